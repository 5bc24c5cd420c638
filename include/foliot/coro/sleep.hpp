// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/coro/detail/alarm.hpp>
#include <foliot/coro/stop.hpp>
#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

// co_await foliot::sleep(timers, 5s): any coroutine that can await any awaitable sleeps on a timer
// service.
//
//     foliot::lazy<> retry(foliot::timer_service& timers) {
//         while (!try_once()) {
//             const auto slept = co_await foliot::sleep(timers, 1s);
//             if (slept == foliot::sleep_result::stopped) co_return;
//         }
//     }
//
// **It ends early** when the coroutine is asked to stop: by the token of its promise (see stop.hpp)
// or by one that is passed here. Also when the service stops. It says so, and a loop must look at
// that: each further sleep ends at once, or throws.
//
// **It is not lost.** If the service rejects its timer for want of room
// (service_options::when_full), it sleeps on for 10 ms; if there is no room for another timer
// either, it goes on at once, where the service handed over.
//
// Time:    as timer_service::after. A stop wakes it as a timer of delay 0 would.
// Threads: the coroutine goes on where the service runs callbacks: on a worker, or wherever its
//          executor puts them; never in the thread that asks it to stop. Only when the service
//          stops, it is in the thread that calls that. A thread that begins a sleep is inside a
//          call of the service until the coroutine has returned to it.
// Memory:  about 250 bytes in the coroutine, and the timer. It allocates nothing.
// Errors:  what timer_service::after throws comes out of the co_await: service_stopped, if the
//          service had stopped before. What the coroutine lets out of the resumption is a callback
//          that threw (service_options::on_failure), and ends the process if the service was
//          stopping. A coroutine that sleeps may be destroyed, if nothing can wake it meanwhile
//          on another thread: its timer is cancelled.
// Order:   none.
namespace foliot {

enum class sleep_result : std::uint8_t {
    elapsed,  ///< the whole time
    stopped,  ///< it was asked to stop, or the service stopped
};

namespace detail {

template <timer_queue Queue>
class sleeper : public alarm<Queue, sleeper<Queue>*> {
public:
    sleeper(basic_timer_service<Queue>& timers, std::chrono::nanoseconds delay,
            std::stop_token token) noexcept
        : alarm<Queue, sleeper*>(timers), delay_(delay), token_(std::move(token)) {}
    sleeper(const sleeper&) = delete;
    sleeper& operator=(const sleeper&) = delete;
    ~sleeper() {
        deaf();
        // A callback that has begun finds it silenced, and is waited for.
        this->silence().cancel_and_wait();
    }

    [[nodiscard]] bool await_ready() const noexcept { return false; }

    // Not inlined, as clang before 18 would keep its variables in the coroutine, which may be gone.
    template <class Promise>
    [[gnu::noinline]] void await_suspend(std::coroutine_handle<Promise> coroutine) {
        coroutine_ = coroutine;
        if (token_.stop_possible()) on_stop_.emplace(std::move(token_), waker{*this});
        if (auto inherited = token_of(coroutine); inherited.stop_possible()) {
            on_inherited_stop_.emplace(std::move(inherited), waker{*this});
        }
        this->set(this, delay_);
    }

    sleep_result await_resume() {
        deaf();
        return this->in_full() ? sleep_result::elapsed : sleep_result::stopped;
    }

    void on_ring() { coroutine_.resume(); }
    void on_lost() { coroutine_.resume(); }

private:
    struct waker {
        sleeper& asleep;
        void operator()() const noexcept { asleep.hurry(); }
    };

    // Nobody asks it to stop from then on.
    void deaf() noexcept {
        on_stop_.reset();
        on_inherited_stop_.reset();
    }

    const std::chrono::nanoseconds delay_;
    std::stop_token token_;
    std::coroutine_handle<> coroutine_;
    std::optional<std::stop_callback<waker>> on_stop_;
    std::optional<std::stop_callback<waker>> on_inherited_stop_;
};

template <timer_queue Queue>
class [[nodiscard]] sleep_awaitable {
public:
    sleep_awaitable(basic_timer_service<Queue>& timers, std::chrono::nanoseconds delay,
                    std::stop_token token) noexcept
        : timers_(&timers), delay_(delay), token_(std::move(token)) {}

    sleeper<Queue> operator co_await() const noexcept { return {*timers_, delay_, token_}; }

private:
    basic_timer_service<Queue>* timers_;
    std::chrono::nanoseconds delay_;
    std::stop_token token_;
};

}  // namespace detail

/// To be awaited: sleeps for `delay`; if it is not positive, until the service gets to it.
template <timer_queue Queue, class Rep, class Period>
[[nodiscard]] detail::sleep_awaitable<Queue> sleep(basic_timer_service<Queue>& timers,
                                                   std::chrono::duration<Rep, Period> delay,
                                                   std::stop_token token = {}) {
    return {timers, detail::to_nanoseconds(delay), std::move(token)};
}

/// What co_await timers.sleep(delay, token) calls.
template <timer_queue Queue, class Rep, class Period>
[[nodiscard]] detail::sleep_awaitable<Queue> sleep_on(basic_timer_service<Queue>& timers,
                                                      std::chrono::duration<Rep, Period> delay,
                                                      std::stop_token token = {}) {
    return sleep(timers, delay, std::move(token));
}

}  // namespace foliot
