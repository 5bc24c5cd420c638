// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

// co_await foliot::sleep(timers, 5s, token): any coroutine that can await any awaitable sleeps on a
// timer service.
//
//     task<void> retry(foliot::timer_service& timers, std::stop_token stop) {
//         while (!try_once()) {
//             if (co_await foliot::sleep(timers, 1s, stop) == foliot::sleep_result::stopped) co_return;
//         }
//     }
//
// Time:    as timer_service::after, and an allocation.
// Threads: the coroutine goes on where the service runs callbacks: on a worker, or wherever its
//          executor puts them; after stop() on the thread that called it.
// Memory:  about 100 bytes on the heap while it sleeps.
// Errors:  what timer_service::after throws comes out of the co_await. What the coroutine lets out of
//          the resumption is a callback that threw: see service_options::on_failure.
// Order:   none.
namespace foliot {

enum class sleep_result : std::uint8_t {
    elapsed,  ///< the whole time
    stopped,  ///< the token asked to stop, or the service stopped
};

namespace detail {

// What the coroutine, its timer and the one who stops it share. Only the timer's callback resumes,
// run or dropped, so that it happens once.
class sleeper {
public:
    explicit sleeper(std::coroutine_handle<> coroutine) : coroutine_(coroutine) {}

    // The timer is made. It may have fired by now.
    void has(timer t) {
        bool dropped = false;
        {
            const std::lock_guard held(mutex_);
            timer_ = t;
            dropped = dropped_;
            if (stopped_) timer_.reschedule(std::chrono::nanoseconds{0});
        }
        if (dropped) coroutine_.resume();
    }
    void stop() {
        const std::lock_guard held(mutex_);
        stopped_ = true;
        timer_.reschedule(std::chrono::nanoseconds{0});
    }
    void run() { coroutine_.resume(); }
    void drop() {
        {
            const std::lock_guard held(mutex_);
            stopped_ = true;
            dropped_ = true;
            // If the timer was not made, that is told by an exception; else see has().
            if (!timer_) return;
        }
        coroutine_.resume();
    }
    [[nodiscard]] sleep_result result() {
        const std::lock_guard held(mutex_);
        return stopped_ ? sleep_result::stopped : sleep_result::elapsed;
    }

private:
    std::mutex mutex_;
    timer timer_;
    bool stopped_ = false;
    bool dropped_ = false;
    std::coroutine_handle<> coroutine_;
};

// The timer's callback. If the service drops it, the coroutine is told, rather than left for ever.
class wake_up {
public:
    explicit wake_up(std::shared_ptr<sleeper> s) noexcept : sleeper_(std::move(s)) {}
    wake_up(wake_up&&) noexcept = default;
    wake_up(const wake_up&) = delete;
    wake_up& operator=(const wake_up&) = delete;
    ~wake_up() {
        if (sleeper_ != nullptr) sleeper_->drop();
    }
    void operator()() {
        const auto sleeper = std::exchange(sleeper_, nullptr);
        sleeper->run();
    }

private:
    std::shared_ptr<sleeper> sleeper_;
};

template <timer_queue Queue>
class sleep_awaitable {
public:
    sleep_awaitable(basic_timer_service<Queue>& timers, std::chrono::nanoseconds delay,
                    std::stop_token token)
        : timers_(timers), delay_(delay), token_(std::move(token)) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }

    void await_suspend(std::coroutine_handle<> coroutine) {
        const auto shared = std::make_shared<sleeper>(coroutine);
        sleeper_ = shared;
        on_stop_.emplace(token_, stopper{shared});
        // Once the timer is made the coroutine may go on elsewhere, and this object be gone.
        shared->has(timers_.after(delay_, wake_up(shared)));
    }

    [[nodiscard]] sleep_result await_resume() {
        on_stop_.reset();
        return sleeper_->result();
    }

private:
    struct stopper {
        std::shared_ptr<sleeper> shared;
        void operator()() const { shared->stop(); }
    };

    basic_timer_service<Queue>& timers_;
    std::chrono::nanoseconds delay_;
    std::stop_token token_;
    std::shared_ptr<sleeper> sleeper_;
    std::optional<std::stop_callback<stopper>> on_stop_;
};

}  // namespace detail

/// To be awaited: sleeps for `delay`; at once if it is not positive. When `token` asks to stop, or the
/// service is stopped, it goes on early and says so.
template <timer_queue Queue, class Rep, class Period>
[[nodiscard]] detail::sleep_awaitable<Queue> sleep(basic_timer_service<Queue>& timers,
                                                   std::chrono::duration<Rep, Period> delay,
                                                   std::stop_token token = {}) {
    return {timers, detail::to_nanoseconds(delay), std::move(token)};
}

}  // namespace foliot
