// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/coro/lazy.hpp>

#include <condition_variable>
#include <coroutine>
#include <exception>
#include <mutex>
#include <stop_token>
#include <utility>

namespace foliot {

namespace detail {

class completion {
public:
    // The waiter may destroy this as soon as the lock is free.
    void signal() noexcept {
        const std::lock_guard held(mutex_);
        over_ = true;
        changed_.notify_one();
    }
    void wait() noexcept {
        std::unique_lock held(mutex_);
        changed_.wait(held, [&] { return over_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
};

// Awaits a lazy, and leaves its result to the one who waits for the completion.
class waiting_root {
public:
    class promise_type {
    public:
        template <class Awaiter>
        promise_type(const Awaiter& /*awaiter*/, completion& to, std::stop_token& token) noexcept
            : to_(to), stop_token_(std::move(token)) {}

        [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_token_; }
        waiting_root get_return_object() noexcept {
            return waiting_root(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
        [[nodiscard]] auto final_suspend() const noexcept {
            struct tell {
                completion& to;
                [[nodiscard]] bool await_ready() const noexcept { return false; }
                void await_suspend(std::coroutine_handle<> /*self*/) const noexcept { to.signal(); }
                void await_resume() const noexcept {}
            };
            return tell{to_};
        }
        void return_void() const noexcept {}
        [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }

    private:
        completion& to_;
        std::stop_token stop_token_;
    };

    waiting_root(const waiting_root&) = delete;
    waiting_root& operator=(const waiting_root&) = delete;
    ~waiting_root() { coroutine_.destroy(); }

    template <class Awaiter>
    static waiting_root begin(Awaiter& awaiter, completion& /*to*/, std::stop_token /*token*/) {
        struct until_end {
            Awaiter& awaiter;
            [[nodiscard]] bool await_ready() const noexcept { return false; }
            bool await_suspend(std::coroutine_handle<promise_type> root) noexcept {
                return awaiter.await_suspend(root);
            }
            void await_resume() const noexcept {}
        };
        until_end end{awaiter};
        co_await end;
    }

private:
    explicit waiting_root(std::coroutine_handle<promise_type> coroutine) noexcept
        : coroutine_(coroutine) {}
    std::coroutine_handle<promise_type> coroutine_;
};

}  // namespace detail

/// Begins a coroutine in this thread, waits for its end and returns its result, or throws what it
/// throws. `token` asks it to stop.
///
/// For main, and for tests. Not for a thread that the coroutine needs in order to go on: the only
/// worker, or the thread that polls a service without a driver, would wait for ever.
template <class T>
T sync_wait(lazy<T> coroutine, std::stop_token token = {}) {
    detail::completion end;
    detail::lazy_awaiter<T> awaiter = std::move(coroutine).operator co_await();
    const auto root = detail::waiting_root::begin(awaiter, end, std::move(token));
    end.wait();
    return awaiter.await_resume();
}

}  // namespace foliot
