// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/asio/asio_timer.hpp>
#include <foliot/asio/detail/timeout_state.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

// Asynchronous operations that are given up after some time, of Asio's kind: as a completion token
// for any operation that can be cancelled, and for awaitables.
//
//     socket.async_read_some(buffer, foliot::with_timeout(5s, [](error_code ec, std::size_t n) {
//         if (ec == boost::asio::error::timed_out) ...
//     }));
//     co_await foliot::with_timeout(handshake(socket), 5s);  // throws system_error(timed_out)
//
// When the time is over the operation is cancelled, by its cancellation slot and with
// cancellation_type::terminal. **It is waited for in any case**, as its buffers are in use until it
// ends: one that ignores cancellation is not ended by this. If it ends with operation_aborted by
// then, it is told as timed_out. Any other end is told as it is: what was read or written is not
// lost because the time was over as well. What cancels the operation from outside goes through, and
// is told as operation_aborted.
//
// Time:    a wait of an asio_timer, a strand, an allocation; for awaitables a co_spawn too.
// Threads: as Asio: the handler is called by its associated executor, and the context may be run by
//          any number of threads. An awaitable runs on a strand of its own over the caller's
//          executor, if its executor's type can hold one (any_io_executor can), since its
//          cancellation must not overlap with it.
// Memory:  about 500 bytes on the heap while it lasts.
// Errors:  those of the operation; timed_out as above. std::bad_alloc when it starts.
// Order:   none.
namespace foliot {

namespace detail {

// `Serial` is the executor that the operation and its end run on; void: a strand is made for it.
template <class Token, class Serial = void>
struct timeout_token {
    std::chrono::nanoseconds timeout;
    Token token;
    Serial serial;
};
template <class Token>
struct timeout_token<Token, void> {
    std::chrono::nanoseconds timeout;
    Token token;
};

template <class Signature, class Initiation, class Serial>
class timeout_initiation;

template <class... Results, class Initiation, class Serial>
class timeout_initiation<void(Results...), Initiation, Serial> {
public:
    using executor_type = boost::asio::associated_executor_t<Initiation>;

    template <class Token>
    timeout_initiation(Initiation initiation, const timeout_token<Token, Serial>& token)
        : initiation_(std::move(initiation)), timeout_(token.timeout) {
        if constexpr (!std::is_void_v<Serial>) serial_.emplace(token.serial);
    }

    [[nodiscard]] executor_type get_executor() const noexcept {
        return boost::asio::get_associated_executor(initiation_);
    }

    template <class Handler, class... Args>
    void operator()(Handler&& handler, Args&&... args) && {
        using own = std::decay_t<Handler>;
        const executor_type io = get_executor();
        if constexpr (std::is_void_v<Serial>) {
            auto strand =
                boost::asio::make_strand(boost::asio::get_associated_executor(handler, io));
            using state = timeout_state<own, decltype(strand), executor_type, Results...>;
            state::start(std::move(strand), io, std::forward<Handler>(handler), timeout_,
                         std::move(initiation_), std::forward<Args>(args)...);
        } else {
            using state = timeout_state<own, Serial, executor_type, Results...>;
            state::start(*serial_, io, std::forward<Handler>(handler), timeout_,
                         std::move(initiation_), std::forward<Args>(args)...);
        }
    }

private:
    struct nothing {};
    Initiation initiation_;
    std::chrono::nanoseconds timeout_;
    std::optional<std::conditional_t<std::is_void_v<Serial>, nothing, Serial>> serial_;
};

template <class T, class Executor, class Token>
auto spawn_with_timeout(const Executor& ex, boost::asio::awaitable<T, Executor> operation,
                        std::chrono::nanoseconds timeout, Token token) {
    using strand = boost::asio::strand<Executor>;
    if constexpr (std::is_convertible_v<strand, Executor>) {
        const strand serial = boost::asio::make_strand(ex);
        return boost::asio::co_spawn(serial, std::move(operation),
                                     timeout_token<Token, strand>{timeout, token, serial});
    } else {
        return boost::asio::co_spawn(ex, std::move(operation),
                                     timeout_token<Token, Executor>{timeout, token, ex});
    }
}

}  // namespace detail

/// A completion token: what `token` makes of the operation, which ends within the time. A time that
/// is not positive cancels it at once. The first result of the operation must be an error_code or
/// an exception_ptr.
template <class Rep, class Period, class Token>
[[nodiscard]] auto with_timeout(std::chrono::duration<Rep, Period> timeout, Token&& token) {
    return detail::timeout_token<std::decay_t<Token>>{detail::to_nanoseconds(timeout),
                                                      std::forward<Token>(token)};
}

/// Runs an awaitable to its end and gives its value, or throws what it throws;
/// system_error(timed_out) if it was cancelled because the time was over.
template <class T, class Executor, class Rep, class Period>
[[nodiscard]] boost::asio::awaitable<T, Executor> with_timeout(
    boost::asio::awaitable<T, Executor> operation, std::chrono::duration<Rep, Period> timeout) {
    const Executor ex = co_await boost::asio::this_coro::executor;
    co_return co_await detail::spawn_with_timeout(ex, std::move(operation),
                                                  detail::to_nanoseconds(timeout),
                                                  boost::asio::use_awaitable_t<Executor>());
}

/// The same without a throw: an exception_ptr, which is null if all is well, and the value.
///
///     auto [error, n] = co_await foliot::with_timeout(read(), 5s, as_tuple(use_awaitable));
///     if (foliot::is_timeout(error)) ...
template <class T, class Executor, class Rep, class Period>
[[nodiscard]] boost::asio::awaitable<std::tuple<std::exception_ptr, T>, Executor> with_timeout(
    boost::asio::awaitable<T, Executor> operation, std::chrono::duration<Rep, Period> timeout,
    boost::asio::as_tuple_t<boost::asio::use_awaitable_t<Executor>> token) {
    const Executor ex = co_await boost::asio::this_coro::executor;
    co_return co_await detail::spawn_with_timeout(ex, std::move(operation),
                                                  detail::to_nanoseconds(timeout), token);
}
template <class Executor, class Rep, class Period>
[[nodiscard]] boost::asio::awaitable<std::tuple<std::exception_ptr>, Executor> with_timeout(
    boost::asio::awaitable<void, Executor> operation, std::chrono::duration<Rep, Period> timeout,
    boost::asio::as_tuple_t<boost::asio::use_awaitable_t<Executor>> token) {
    const Executor ex = co_await boost::asio::this_coro::executor;
    co_return co_await detail::spawn_with_timeout(ex, std::move(operation),
                                                  detail::to_nanoseconds(timeout), token);
}

/// Whether it is what an operation throws that was timed out.
[[nodiscard]] inline bool is_timeout(const std::exception_ptr& error) noexcept {
    return detail::has_code(error, boost::asio::error::timed_out);
}

}  // namespace foliot

template <class Token, class Serial, class... Results>
class boost::asio::async_result<foliot::detail::timeout_token<Token, Serial>, void(Results...)> {
public:
    template <class Initiation, class TimeoutToken, class... Args>
    static auto initiate(Initiation&& initiation, TimeoutToken&& token, Args&&... args) {
        using wrapped =
            foliot::detail::timeout_initiation<void(Results...), std::decay_t<Initiation>, Serial>;
        wrapped with(std::forward<Initiation>(initiation), token);
        return boost::asio::async_initiate<Token, void(Results...)>(std::move(with), token.token,
                                                                    std::forward<Args>(args)...);
    }
};
