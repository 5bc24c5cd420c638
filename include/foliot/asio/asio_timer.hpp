// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/asio/asio_wheel.hpp>
#include <foliot/asio/detail/handler_wait.hpp>
#include <foliot/asio/detail/timer_core.hpp>
#include <foliot/service/clock.hpp>
#include <foliot/service/timer.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/wait_traits.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

namespace foliot {

// A timer for Boost.Asio that can be put in the place of boost::asio::steady_timer: it has its
// interface, and keeps its rules. All timers of a context are in one timing wheel (asio_wheel.hpp),
// so that a cancel, a new expiry and a new wait cost the same however many others are pending.
//
//     foliot::asio_timer idle(io);
//     idle.expires_after(30s);  // also ends the wait for the last one, with operation_aborted
//     idle.async_wait([&](boost::system::error_code ec) { if (!ec) close(); });
//
// Pick it where a context has many timers, above all when most are cancelled or moved before they
// expire: idle timeouts, timeouts of requests. Stay with steady_timer for some dozens of timers, or
// where less than a tick (1 ms unless asio_wheel is told otherwise) matters.
//
// **As with steady_timer** any completion token is taken; handlers are called by their associated
// executor, and never by the function that starts the wait; small waits take no memory, others that
// of the associated allocator; a cancellation slot cancels its wait alone; a context runs as long
// as something waits; one that is destroyed destroys handlers without calling them. A wait whose
// time had come when the context looked last succeeds, whatever is cancelled afterwards.
//
// **Other than with steady_timer**
// - It is late by up to a tick, besides all else. Never early.
// - While more than 16 handlers are ready, the context calls up to 16 of them as one. So what run()
//   and poll() count is less, run_one() calls more than one, and after stop() up to 15 more may be
//   called. With more than 16 timers the context may also count a handler, or return from
//   run_one(), when it only moved timers within the wheel.
// - A handler of up to 48 bytes with no allocator of its own, whose move does not throw, is moved
//   while the wheel is locked. Its move constructor, and the destructor of what that leaves, must
//   not use timers.
// - The hooks asio_handler_allocate and asio_handler_invoke, deprecated, are not called.
// - A timer may be moved while a slot can cancel its waits. A slot may be used when the timer is
//   gone, and belongs to the last wait that took it.
//
// Time:    O(1): async_wait, cancel, expires_after, and what ends a wait. cancel_one and a slot
//          O(waits of the timer). Making one is a look-up of the context's service.
// Threads: different timers may be used by different threads; one timer by one thread at a time.
// Memory:  160 bytes. One wait of a small handler lies inside; see asio_wheel.hpp for the rest.
// Errors:  as steady_timer; cancel, expires_at and expires_after may throw std::bad_alloc and then
//          have changed nothing, and the destructor ends the process then.
// Order:   by expiry, whatever the tick, as long as no more than 1024 expire at once; waits of one
//          timer in the order in which they were started. Aborted ones in the order of the cancels.
template <class Executor = boost::asio::any_io_executor>
class basic_asio_timer {
public:
    using executor_type = Executor;
    using clock_type = std::chrono::steady_clock;
    using duration = clock_type::duration;
    using time_point = clock_type::time_point;
    using traits_type = boost::asio::wait_traits<clock_type>;

    /// The type of a timer with another executor.
    template <class Other>
    struct rebind_executor {
        using other = basic_asio_timer<Other>;
    };

    /// Of an executor or a context, which must outlive it. Its expiry is the clock's epoch.
    explicit basic_asio_timer(const executor_type& ex) : core_(wheel_of(ex)), executor_(ex) {
        core_.native = detail::is_native(executor_);
        if (core_.wheel->wants_native()) core_.wheel->use(detail::native_behind(executor_));
    }
    template <class Context>
        requires std::convertible_to<Context&, boost::asio::execution_context&>
    explicit basic_asio_timer(Context& context) : basic_asio_timer(context.get_executor()) {}

    /// With an expiry: at a time, or after some time from now.
    basic_asio_timer(const executor_type& ex, const time_point& expiry) : basic_asio_timer(ex) {
        expires_at(expiry);
    }
    template <class Context>
        requires std::convertible_to<Context&, boost::asio::execution_context&>
    basic_asio_timer(Context& context, const time_point& expiry) : basic_asio_timer(context) {
        expires_at(expiry);
    }
    basic_asio_timer(const executor_type& ex, const duration& expiry) : basic_asio_timer(ex) {
        expires_after(expiry);
    }
    template <class Context>
        requires std::convertible_to<Context&, boost::asio::execution_context&>
    basic_asio_timer(Context& context, const duration& expiry) : basic_asio_timer(context) {
        expires_after(expiry);
    }

    /// The waits go along. Leaves the other one as if just made.
    basic_asio_timer(basic_asio_timer&& other)  // NOLINT(performance-noexcept-move-constructor)
        : core_(*other.core_.wheel), executor_(other.executor_) {
        take(other);
    }
    template <class Other>
        requires(!std::same_as<Other, Executor> && std::convertible_to<Other, Executor>)
    basic_asio_timer(basic_asio_timer<Other>&& other)  // NOLINT(google-explicit-constructor)
        : core_(*other.core_.wheel), executor_(other.executor_) {
        take(other);
    }
    /// The same; waits of this one are aborted. It belongs to the other's context from then on.
    // NOLINTNEXTLINE(performance-noexcept-move-constructor)
    basic_asio_timer& operator=(basic_asio_timer&& other) {
        if (this != &other) replace(other);
        return *this;
    }
    template <class Other>
        requires(!std::same_as<Other, Executor> && std::convertible_to<Other, Executor>)
    basic_asio_timer& operator=(basic_asio_timer<Other>&& other) {
        replace(other);
        return *this;
    }
    basic_asio_timer(const basic_asio_timer&) = delete;
    basic_asio_timer& operator=(const basic_asio_timer&) = delete;

    /// Aborts its waits.
    ~basic_asio_timer() { leave(); }

    [[nodiscard]] const executor_type& get_executor() noexcept { return executor_; }

    /// Ends the waits with operation_aborted, and says how many. Those that have expired are not
    /// among them once the context has seen that.
    std::size_t cancel() {
        if (!core_.may_wait) return 0;
        const std::size_t cancelled = core_.wheel->cancel(core_);
        core_.may_wait = false;
        return cancelled;
    }
    /// The oldest wait only.
    std::size_t cancel_one() {
        if (!core_.may_wait) return 0;
        const std::size_t cancelled = core_.wheel->cancel_one(core_);
        if (cancelled == 0) core_.may_wait = false;
        return cancelled;
    }

    [[nodiscard]] time_point expiry() const { return time_point(core_.expiry); }
    /// Sets it, ends the waits as cancel() does, and says how many.
    std::size_t expires_at(const time_point& expiry) {
        return expire(expiry.time_since_epoch(), false);
    }
    std::size_t expires_after(const duration& expiry) {
        const auto now = core_.wheel->clock_.steady();
        return expire(detail::saturating_sum(now, expiry), expiry.count() <= 0);
    }

    /// Blocks until it is expired.
    void wait() { std::this_thread::sleep_until(expiry()); }
    void wait(boost::system::error_code& ec) {
        wait();
        ec = {};
    }

    /// Completes with `void(error_code)`: none if it expires, operation_aborted if it is cancelled.
    template <BOOST_ASIO_COMPLETION_TOKEN_FOR(void(boost::system::error_code))
                  Token = typename boost::asio::default_completion_token<executor_type>::type>
    auto async_wait(
        Token&& token = typename boost::asio::default_completion_token<executor_type>::type()) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
            initiation(*this), token);
    }

#if !defined(BOOST_ASIO_NO_DEPRECATED)
    // What Asio has deprecated too.
    std::size_t cancel(boost::system::error_code& ec) {
        ec = {};
        return cancel();
    }
    std::size_t cancel_one(boost::system::error_code& ec) {
        ec = {};
        return cancel_one();
    }
    [[nodiscard]] time_point expires_at() const { return expiry(); }
    std::size_t expires_at(const time_point& expiry, boost::system::error_code& ec) {
        ec = {};
        return expires_at(expiry);
    }
    [[nodiscard]] duration expires_from_now() const {
        return detail::saturating_sum(core_.expiry, -core_.wheel->clock_.steady());
    }
    std::size_t expires_from_now(const duration& expiry) { return expires_after(expiry); }
    std::size_t expires_from_now(const duration& expiry, boost::system::error_code& ec) {
        ec = {};
        return expires_after(expiry);
    }
#endif

private:
    template <class>
    friend class basic_asio_timer;

    class initiation {
    public:
        using executor_type = Executor;
        explicit initiation(basic_asio_timer& timer) noexcept : timer_(&timer) {}
        [[nodiscard]] const executor_type& get_executor() const noexcept {
            return timer_->get_executor();
        }
        template <class Handler>
        void operator()(Handler&& handler) const {
            static_assert(std::invocable<std::decay_t<Handler>, const boost::system::error_code&>,
                          "the handler of a wait is called with an error_code");
            std::decay_t<Handler> own(std::forward<Handler>(handler));
            timer_->start(own);
        }

    private:
        basic_asio_timer* timer_;
    };

    static asio_wheel& wheel_of(const executor_type& ex) {
        if constexpr (boost::asio::execution::is_executor<Executor>::value) {
            return boost::asio::use_service<asio_wheel>(
                boost::asio::query(ex, boost::asio::execution::context));
        } else {
            return boost::asio::use_service<asio_wheel>(ex.context());
        }
    }

    std::size_t expire(std::chrono::nanoseconds expiry, bool past) {
        const std::size_t cancelled = cancel();
        core_.expiry = expiry;
        core_.past = past;
        return cancelled;
    }

    template <class Handler>
    void start(Handler& handler) {
        const auto slot = boost::asio::get_associated_cancellation_slot(handler);
        if constexpr (detail::is_small_wait<Handler> && detail::has_default_allocator<Handler>) {
            if (!core_.may_wait && !slot.is_connected() &&
                detail::runs_here(handler, executor_, core_.native)) {
                core_.may_wait = core_.may_be_armed = true;
                core_.wheel->wait(core_, [&]() noexcept { core_.first.put(handler); });
                return;
            }
        }
        start_op(*detail::handler_wait<Handler, Executor>::make(handler, executor_, core_.native),
                 slot);
    }

    template <class Slot>
    void start_op(detail::wait_op& op, Slot slot) {
        struct guard {
            detail::wait_op* op;
            detail::cancel_link* link = nullptr;
            ~guard() {
                if (op == nullptr) return;
                if (link != nullptr) link->op = nullptr;
                op->act(*op, detail::wait_op::fate::destroyed);
            }
        } unless{&op};
        if (slot.is_connected()) {
            unless.link = &slot.template emplace<canceller>(*core_.wheel, op).link;
        }
        core_.may_wait = core_.may_be_armed = true;
        const bool waits = core_.wheel->wait(core_, [&]() noexcept {
            op.home = &core_;
            op.link = unless.link;
            core_.others.push(op);
            core_.more = true;
        });
        if (waits) unless.op = nullptr;
    }

    struct canceller {
        canceller(asio_wheel& wheel, detail::wait_op& op) noexcept : link(wheel, op) {}
        void operator()(boost::asio::cancellation_type_t type) {
            using ct = boost::asio::cancellation_type;
            if ((type & (ct::terminal | ct::partial | ct::total)) == ct::none) return;
            if (link.op.load(std::memory_order_acquire) != nullptr) link.wheel.cancel(link);
        }
        detail::cancel_link link;
    };

    void leave() {
        if (!std::exchange(core_.may_be_armed, false)) return;
        core_.wheel->leave(core_);
        core_.may_wait = false;
    }

    // This is not in use, and of the same wheel.
    template <class Other>
    void take(basic_asio_timer<Other>& other) {
        detail::timer_core& from = other.core_;
        core_.native = detail::is_native(executor_);
        core_.past = std::exchange(from.past, false);
        core_.may_wait = std::exchange(from.may_wait, false);
        core_.may_be_armed = std::exchange(from.may_be_armed, false);
        if (core_.may_be_armed) {
            core_.wheel->move(core_, from);
        } else {
            core_.expiry = from.expiry;
        }
        from.expiry = {};
    }

    template <class Other>
    void replace(basic_asio_timer<Other>& other) {
        leave();
        core_.wheel = other.core_.wheel;
        std::destroy_at(&executor_);  // it need not be assignable
        std::construct_at(&executor_, other.executor_);
        take(other);
    }

    detail::timer_core core_;
    executor_type executor_;
};

/// The one to take: as boost::asio::steady_timer.
using asio_timer = basic_asio_timer<>;

}  // namespace foliot
