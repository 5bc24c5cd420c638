// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/service/held_executor.hpp"

#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <coroutine>
#include <exception>
#include <memory>
#include <utility>

namespace foliot {

/// A service whose time the test moves; what is due runs on the test's thread.
struct simulated {
    manual_service_clock clock;
    timer_service timers{options(clock)};

    static service_options options(const service_clock& clock) {
        service_options o;
        o.clock = &clock;
        o.driver = false;
        o.workers = 0;
        return o;
    }

    /// From timer to timer, as a driver that is always on time.
    void go(std::chrono::nanoseconds by) {
        const auto end = clock.steady() + by;
        for (auto at = timers.next_wakeup(); at && *at <= end; at = timers.next_wakeup()) {
            if (*at > clock.steady()) clock.advance(*at - clock.steady());
            timers.poll();
        }
        clock.advance(end - clock.steady());
    }
    /// A tick: what was asked to stop has heard of it then.
    void go_on() { go(std::chrono::milliseconds{1}); }

    [[nodiscard]] std::uint64_t timers_left() const {
        const service_metrics m = timers.metrics();
        return m.pending + m.due + m.running;
    }
};

/// A service that rejects what it has no room for: that of one callback, which is taken.
struct crowded {
    manual_service_clock clock;
    std::shared_ptr<held_executor> held_up = std::make_shared<held_executor>(1);
    timer_service timers{options()};

    crowded() {
        timers.after(std::chrono::milliseconds{1}, [] {});
        go();
    }
    void go() {
        clock.advance(std::chrono::milliseconds{20});
        timers.poll();
    }

private:
    [[nodiscard]] service_options options() const {
        service_options o = simulated::options(clock);
        o.executor = held_up;
        o.when_full = overload::reject;
        return o;
    }
};

/// Another library's coroutine: it begins at once, and is gone when it ends. It has no stop token.
struct detached {
    struct promise_type {
        detached get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

/// Another library's coroutine that is destroyed by whoever holds it.
class held {
public:
    struct promise_type {
        held get_return_object() noexcept {
            return held(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_always final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
    held(held&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
    held& operator=(held&&) = delete;
    ~held() {
        if (coroutine_ != nullptr) coroutine_.destroy();
    }
    [[nodiscard]] bool ended() const noexcept { return coroutine_.done(); }

private:
    explicit held(std::coroutine_handle<promise_type> c) noexcept : coroutine_(c) {}
    std::coroutine_handle<promise_type> coroutine_;
};

/// Something that may be waited for, as I/O may: whoever holds it says when it comes.
class event {
public:
    event() = default;
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    // It does not await itself by reference, as g++ 12 may copy what is awaited by reference.
    [[nodiscard]] auto operator co_await() noexcept {
        struct until_it_comes {
            event& of;
            [[nodiscard]] bool await_ready() const noexcept { return of.come_; }
            void await_suspend(std::coroutine_handle<> c) const noexcept { of.waiting_ = c; }
            void await_resume() const noexcept {}
        };
        return until_it_comes{*this};
    }

    void come() {
        come_ = true;
        if (waiting_ != nullptr) std::exchange(waiting_, nullptr).resume();
    }

private:
    bool come_ = false;
    std::coroutine_handle<> waiting_;
};

/// Counts those of its kind that live.
class counted {
public:
    explicit counted(int& living) noexcept : living_(&living) { ++*living_; }
    counted(const counted& other) noexcept : living_(other.living_) { ++*living_; }
    counted& operator=(const counted&) = delete;
    ~counted() { --*living_; }

private:
    int* living_;
};

}  // namespace foliot
