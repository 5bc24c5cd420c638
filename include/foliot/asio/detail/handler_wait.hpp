// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/asio/detail/context_calls.hpp>
#include <foliot/asio/detail/stored_wait.hpp>
#include <foliot/asio/detail/tracked.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/recycling_allocator.hpp>
#include <boost/asio/strand.hpp>

#include <memory>
#include <optional>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace foliot::detail {

namespace asio = boost::asio;

template <class T>
inline constexpr bool is_default_allocator = false;
template <class T>
inline constexpr bool is_default_allocator<std::allocator<T>> = true;

/// Whether a handler leaves it to us where its memory comes from.
template <class Handler>
inline constexpr bool has_default_allocator =
    is_default_allocator<asio::associated_allocator_t<Handler>>;

/// Whether a handler leaves it to us where it is called.
template <class Handler>
inline constexpr bool has_no_executor =
    std::is_same_v<asio::associated_executor_t<Handler, here_executor>, here_executor>;

using native_executor = asio::io_context::executor_type;

/// Whether an executor is an io_context's own: threads that run the context may call handlers.
template <class Executor>
[[nodiscard]] bool is_native(const Executor& ex) noexcept {
    if constexpr (std::is_same_v<Executor, native_executor>) {
        return true;
    } else if constexpr (requires { ex.target_type(); }) {
        return ex.target_type() == typeid(native_executor);
    } else {
        return false;
    }
}

/// The executor of the io_context that is behind one, if that can be seen.
template <class Executor>
[[nodiscard]] std::optional<native_executor> native_behind(const Executor& ex) {
    if constexpr (std::is_same_v<Executor, native_executor>) {
        return ex;
    } else if constexpr (requires { ex.get_inner_executor(); }) {
        return native_behind(ex.get_inner_executor());
    } else if constexpr (requires { ex.template target<native_executor>(); }) {
        if (const auto* native = ex.template target<native_executor>()) return *native;
        using strand = asio::strand<native_executor>;
        if (const auto* s = ex.template target<strand>()) return s->get_inner_executor();
    }
    return std::nullopt;
}

/// Whether the handler of a timer with this executor may be called where the wheel runs.
template <class Handler, class Executor>
[[nodiscard]] bool runs_here(const Handler& handler, const Executor& ex, bool native) noexcept {
    if constexpr (has_no_executor<Handler>) {
        return native;
    } else if constexpr (std::is_same_v<asio::associated_executor_t<Handler, Executor>, Executor>) {
        return native && asio::get_associated_executor(handler, ex) == ex;
    } else {
        return false;
    }
}

/// A wait with memory of its own, from the handler's allocator: one whose handler is large, or has
/// an executor, an allocator or a cancellation slot, or that is not the only one of its timer.
template <class Handler, class Executor>
class handler_wait final : public wait_op {
    using own_executor = asio::associated_executor_t<Handler, Executor>;
    using allocator = typename std::allocator_traits<std::conditional_t<
        has_default_allocator<Handler>, asio::recycling_allocator<void>,
        asio::associated_allocator_t<Handler>>>::template rebind_alloc<handler_wait>;
    using traits = std::allocator_traits<allocator>;

public:
    [[nodiscard]] static handler_wait* make(Handler& handler, const Executor& ex, bool native) {
        struct memory {
            allocator from;
            handler_wait* at;
            ~memory() {
                if (at != nullptr) traits::deallocate(from, at, 1);
            }
        } room{allocator_of(handler), nullptr};
        room.at = traits::allocate(room.from, 1);
        ::new (static_cast<void*>(room.at)) handler_wait(handler, ex, native);
        return std::exchange(room.at, nullptr);
    }

private:
    // Makes the contexts wait: that of the timer's executor, unless a real timer does so already,
    // and that of the handler's.
    struct work {
        work(const Handler& handler, const Executor& ex, bool native) {
            if (runs_here(handler, ex, native)) return;
            own.emplace(asio::get_associated_executor(handler, ex));
            if (!native) of_timer.emplace(ex);
        }
        std::optional<tracked_executor<own_executor>> own;  // none: runs here
        std::optional<tracked_executor<Executor>> of_timer;
    };

    struct call {
        using allocator_type = asio::associated_allocator_t<Handler>;
        [[nodiscard]] allocator_type get_allocator() const noexcept {
            return asio::get_associated_allocator(handler);
        }
        void operator()() { std::move(handler)(ec); }
        Handler handler;
        const boost::system::error_code ec;
    };

    handler_wait(Handler& handler, const Executor& ex, bool native)
        : wait_op(&end), work_(handler, ex, native), handler_(std::move(handler)) {}

    static allocator allocator_of(const Handler& handler) {
        if constexpr (has_default_allocator<Handler>) {
            return allocator();
        } else {
            return allocator(asio::get_associated_allocator(handler));
        }
    }

    // The memory goes first: the handler may own it.
    static void end(wait_op& op, fate how) {
        auto* const self = static_cast<handler_wait*>(&op);
        work left = std::move(self->work_);
        Handler handler = std::move(self->handler_);
        allocator from = allocator_of(handler);
        std::destroy_at(self);
        traits::deallocate(from, self, 1);
        if (how == fate::destroyed) return;
        const boost::system::error_code ec = outcome_of(how == fate::aborted);
        if (!left.own) return std::move(handler)(ec);
        asio::dispatch(left.own->get(), call{std::move(handler), ec});
    }

    work work_;
    Handler handler_;
};

}  // namespace foliot::detail
