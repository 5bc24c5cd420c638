// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/coro/lazy.hpp>
#include <foliot/service/timer_service.hpp>

#include <concepts>
#include <coroutine>
#include <exception>
#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

// Begins coroutines that nobody waits for.
//
//     std::stop_source stop;
//     foliot::spawn(serve(timers, connection), stop.get_token());
//     foliot::spawn([&timers, id]() -> foliot::lazy<> { ... }, stop.get_token());
//
// It runs in this thread until it suspends for the first time; then spawn returns. It is freed when
// it ends. Nobody waits for it: what it uses must live until then. One that waits for nothing but a
// service has ended when that has been stopped, unless a callback called stop.
//
// **What it throws**: service_stopped is an end like any other, as it is what a loop gets that
// sleeps on after the service has stopped. Anything else is given to `on_failure`, which must not
// throw. If there is none, std::terminate, as for a thread.
//
// Time:    two allocations: of the coroutine, and beside it.
// Threads: see lazy.hpp.
// Memory:  about 150 bytes beside the coroutine.
// Errors:  std::bad_alloc, then nothing was begun.
// Order:   none.
namespace foliot {

namespace detail {

using failure_handler = std::function<void(std::exception_ptr)>;

struct spawned_root {
    class promise_type {
    public:
        template <class What>
        promise_type(const What& /*what*/, std::stop_token& token,
                     failure_handler& handler) noexcept
            : stop_token_(std::move(token)), on_failure_(std::move(handler)) {}

        [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_token_; }
        [[nodiscard]] spawned_root get_return_object() const noexcept { return {}; }
        [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
        [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept {
            try {
                throw;
            } catch (const service_stopped&) {
            } catch (...) {
                if (!on_failure_) std::terminate();
                on_failure_(std::current_exception());
            }
        }

    private:
        std::stop_token stop_token_;
        failure_handler on_failure_;
    };
};

inline spawned_root spawn_root(lazy<> coroutine, std::stop_token /*token*/,
                               failure_handler /*on_failure*/) {
    co_await std::move(coroutine);
}

template <class F>
spawned_root spawn_root(F make, std::stop_token /*token*/, failure_handler /*on_failure*/) {
    co_await std::invoke(make);
}

}  // namespace detail

/// Begins it. `token` asks it to stop.
inline void spawn(lazy<> coroutine, std::stop_token token = {},
                  std::function<void(std::exception_ptr)> on_failure = {}) {
    detail::spawn_root(std::move(coroutine), std::move(token), std::move(on_failure));
}

/// The same for what a callable returns, usually a lambda: it is kept until the end, so that its
/// captures may be used.
template <class F>
    requires std::same_as<std::invoke_result_t<std::decay_t<F>&>, lazy<>>
void spawn(F&& make, std::stop_token token = {},
           std::function<void(std::exception_ptr)> on_failure = {}) {
    detail::spawn_root(std::decay_t<F>(std::forward<F>(make)), std::move(token),
                       std::move(on_failure));
}

}  // namespace foliot
