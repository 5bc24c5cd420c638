// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/coro/detail/alarm.hpp>
#include <foliot/coro/detail/await_result.hpp>
#include <foliot/coro/lazy.hpp>
#include <foliot/coro/stop.hpp>
#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

// co_await foliot::with_timeout(timers, ask(server), 5s): what it waits for has 5 s; then it is
// asked to stop.
//
//     foliot::lazy<> client(foliot::timer_service& timers, server& s) {
//         const std::optional<reply> r = co_await foliot::with_timeout(timers, s.ask(), 5s);
//         std::puts(r ? r->text() : "the server is slow");
//     }
//
// It waits for a lazy, or for anything else that can be awaited and stops when it is asked: by the
// token of the promise that awaits it (see stop.hpp; so do lazy, sleep and with_timeout) or by one
// that it is given. For the latter, pass what makes it; that is kept until the end:
//
//     co_await foliot::with_timeout(timers,
//         [&](std::stop_token stop) { return socket.read(buffer, std::move(stop)); }, 5s);
//
// **The result**, for one that gives a T: std::optional<T>; for a T&, T*; for nothing, bool. Empty,
// null or false says one thing: the time was over first.
//
// **There is one outcome.** Which comes first, the end or the time, is decided under a lock. What
// it gives or throws in time is the result. What it gives or throws after that is dropped, since
// that is its answer to being asked.
//
// **It always waits for the end** of what it began, so nothing is left behind that uses what the
// caller is about to destroy. What does not listen when it is asked to stop is waited for as long
// as it takes; the result is nonetheless that the time was over.
//
// **When the caller is asked to stop**, so is what it waits for. That is no timeout: the result is
// what that gives. The same if the service stops meanwhile, since its time cannot come any more.
//
// Time:    as timer_service::after and cancel, and three allocations. The time counts from the
//          co_await on; if it is not positive, it is over when the service gets to it. What ends at
//          once is in time.
// Threads: it goes on where what it waited for ended. That is asked to stop on a thread that runs
//          callbacks (if the service stops, on the one that stops it).
// Memory:  about 400 bytes while it waits, and its timer, which is cancelled at the end.
// Errors:  what timer_service::after throws comes out before anything was begun: service_stopped.
//          What it waits for throws through it, if in time.
// Order:   none.
namespace foliot {

namespace detail {

/// The time that something has. It outlives the coroutine when that ends while it is being asked to
/// stop.
template <timer_queue Queue>
class time_limit : public alarm<Queue, std::shared_ptr<time_limit<Queue>>> {
public:
    explicit time_limit(basic_timer_service<Queue>& timers)
        : alarm<Queue, std::shared_ptr<time_limit>>(timers) {}

    [[nodiscard]] std::stop_source stop() const noexcept { return stop_; }

    /// True: in time. Nothing is pending after that.
    bool ends() noexcept {
        this->silence().cancel();
        return !this->rang();
    }

    void on_ring() { stop_.request_stop(); }
    void on_lost() { stop_.request_stop(); }

private:
    std::stop_source stop_;
};

// What ends a time limit, however the coroutine ends; and what hands on that it is asked to stop.
template <timer_queue Queue>
class limited {
public:
    limited(std::shared_ptr<time_limit<Queue>> limit, std::stop_token outer)
        : limit_(std::move(limit)), on_outer_stop_(std::move(outer), hand_on{limit_->stop()}) {}
    limited(const limited&) = delete;
    limited& operator=(const limited&) = delete;
    ~limited() { limit_->ends(); }

    [[nodiscard]] bool in_time() noexcept { return limit_->ends(); }

private:
    struct hand_on {
        std::stop_source to;
        // A copy, as this may end what it is in.
        void operator()() const noexcept { std::stop_source(to).request_stop(); }
    };

    const std::shared_ptr<time_limit<Queue>> limit_;
    const std::stop_callback<hand_on> on_outer_stop_;
};

template <class T>
struct timeout_result {
    using type = std::optional<T>;
};
template <class T>
struct timeout_result<T&> {
    using type = T*;
};
template <>
struct timeout_result<void> {
    using type = bool;
};

template <class A>
concept made_with_stop_token =
    std::invocable<A&, std::stop_token> && awaitable<std::invoke_result_t<A&, std::stop_token>>;

template <class A>
struct limitable : std::type_identity<A> {};
template <made_with_stop_token A>
struct limitable<A> : std::invoke_result<A&, std::stop_token> {};

template <class A>
decltype(auto) to_await(A& a, const std::stop_token& asked) {
    if constexpr (made_with_stop_token<A>) {
        return std::invoke(a, asked);
    } else {
        return std::move(a);
    }
}

}  // namespace detail

/// What with_timeout gives for a T: std::optional<T>, T* for a reference, bool for void.
template <class T>
using timeout_result = typename detail::timeout_result<T>::type;

/// To be awaited: the result of `awaitable`, or nothing if it has none after `time`. Instead of an
/// awaitable, a callable that takes a std::stop_token and returns one.
template <timer_queue Queue, class Awaitable, class Rep, class Period>
    requires detail::awaitable<typename detail::limitable<Awaitable>::type>
lazy<timeout_result<detail::await_result_t<typename detail::limitable<Awaitable>::type>>>
with_timeout(basic_timer_service<Queue>& timers, Awaitable awaitable,
             std::chrono::duration<Rep, Period> time) {
    using result = detail::await_result_t<typename detail::limitable<Awaitable>::type>;
    const auto limit = std::make_shared<detail::time_limit<Queue>>(timers);
    const std::stop_token asked = limit->stop().get_token();
    detail::limited<Queue> limited(limit, co_await detail::exchange_stop_token(asked));
    limit->set(limit, detail::to_nanoseconds(time));
    try {
        auto&& begun = detail::to_await(awaitable, asked);
        auto&& awaiter = detail::awaiter_of(std::forward<decltype(begun)>(begun));
        if constexpr (std::is_void_v<result>) {
            co_await detail::in_place(awaiter);
            co_return limited.in_time();
        } else {
            result r = co_await detail::in_place(awaiter);
            if (limited.in_time()) {
                if constexpr (std::is_reference_v<result>) {
                    co_return std::addressof(r);
                } else {
                    co_return timeout_result<result>(std::move(r));
                }
            }
        }
    } catch (...) {
        if (limited.in_time()) throw;
    }
    co_return timeout_result<result>();
}

}  // namespace foliot
