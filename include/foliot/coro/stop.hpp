// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <coroutine>
#include <stop_token>
#include <utility>

// How a coroutine learns that it is asked to stop. Its promise has a token, which lazy hands down
// from each coroutine to those that it awaits; sleep looks at it by itself. Whoever waits for
// something else asks for it:
//
//     foliot::lazy<> copy(connection from, connection to) {
//         const std::stop_token asked = co_await foliot::this_stop_token();
//         while (!asked.stop_requested()) {
//             const buffer b = co_await from.read(asked);
//             co_await to.write(b, asked);
//         }
//     }
//
// A coroutine type of your own takes part if its promise has a member stop_token().
namespace foliot {

/// A promise that has a token.
template <class Promise>
concept promise_with_stop_token = requires(const Promise& promise) {
    { promise.stop_token() } -> std::convertible_to<std::stop_token>;
};

namespace detail {

class stop_token_of_promise {
public:
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <promise_with_stop_token Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) {
        token_ = coroutine.promise().stop_token();
        return false;
    }
    [[nodiscard]] std::stop_token await_resume() noexcept { return std::move(token_); }

private:
    std::stop_token token_;
};

template <class Promise>
[[nodiscard]] std::stop_token token_of(std::coroutine_handle<Promise> coroutine) {
    if constexpr (promise_with_stop_token<Promise>) {
        return coroutine.promise().stop_token();
    } else {
        return {};
    }
}

}  // namespace detail

/// To be awaited: the token of the coroutine that awaits. It does not suspend.
[[nodiscard]] inline detail::stop_token_of_promise this_stop_token() noexcept { return {}; }

}  // namespace foliot
