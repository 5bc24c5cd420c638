// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/coro/detail/nesting.hpp>
#include <foliot/coro/stop.hpp>
#include <foliot/time/detail/contract.hpp>

#include <concepts>
#include <coroutine>
#include <exception>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <variant>

// A coroutine that begins when it is awaited, and gives its result to whoever awaits it. For
// programs that have no such type yet: foliot::sleep and foliot::with_timeout go with any.
//
//     foliot::lazy<int> answer(foliot::timer_service& timers) {
//         co_await foliot::sleep(timers, 5s);
//         co_return 42;
//     }
//     foliot::lazy<> ask(foliot::timer_service& timers) {
//         std::printf("%d\n", co_await answer(timers));
//     }
//     foliot::sync_wait(ask(timers));    // sync_wait.hpp; or spawn(ask(timers)), spawn.hpp
//
// It is awaited once: co_await takes it away, from a variable with std::move. One that is never
// awaited never begins. The result is a value, a reference or nothing; what it throws is thrown by
// the co_await. It has the stop token of the one who awaits it (see stop.hpp).
//
// Beware of lambdas: a coroutine does not keep the captures of the lambda that it came from, nor
// what its parameters refer to. Pass values; or give the lambda itself to spawn or with_timeout,
// which keep it.
//
// Beware of g++ 12.2, which Debian 12 has. It translates two things wrong, without a word; in both
// cases a name helps, as in the examples here:
// - a co_await in the condition of an if, while, for or switch, in a coroutine that declares no
//   variable: name the result;
// - a lambda within the expression of a co_await, with captures that have destructors, which run
//   twice: name the lambda.
//
// Time:    an allocation, and a few stores.
// Threads: it begins in the thread that awaits it, and goes on where what it awaits resumes it. Who
//          awaits it goes on there too. One at a time may use it.
// Memory:  what the compiler needs for its variables, and about 80 bytes; freed when the result was
//          taken. A loop of awaits that are over at once takes no stack, a chain of coroutines
//          that await each other takes some, as calls do.
// Errors:  std::bad_alloc from the call that makes it. Awaiting one that was awaited already, or
//          moved from, ends the process. One that is destroyed while it waits is gone, with all
//          that it awaits: nothing may be about to resume it.
// Order:   as awaited.
namespace foliot {

template <class T = void>
class lazy;

namespace detail {

class lazy_promise_base {
public:
    [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_token_; }

    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] auto final_suspend() const noexcept {
        struct hand_back {
            const nesting& within;
            [[nodiscard]] bool await_ready() const noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<> /*self*/) noexcept {
                return within.end();
            }
            void await_resume() const noexcept {}
        };
        return hand_back{within_};
    }

private:
    template <class T>
    friend class lazy_awaiter;
    friend class exchange_stop_token;

    nesting within_;
    std::stop_token stop_token_;
};

// Where the result is put: a value, a pointer to what it refers to, or nothing.
template <class T>
class lazy_result {
public:
    template <class U = T>
        requires std::constructible_from<T, U>
    void return_value(U&& value) {
        result_.template emplace<1>(std::forward<U>(value));
    }
    void unhandled_exception() noexcept { result_.template emplace<2>(std::current_exception()); }
    [[nodiscard]] T take() {
        if (result_.index() == 2) std::rethrow_exception(std::get<2>(std::move(result_)));
        return std::get<1>(std::move(result_));
    }

private:
    std::variant<std::monostate, T, std::exception_ptr> result_;
};

template <class T>
class lazy_result<T&> {
public:
    void return_value(T& value) noexcept { value_ = std::addressof(value); }
    void unhandled_exception() noexcept { error_ = std::current_exception(); }
    [[nodiscard]] T& take() {
        if (error_ != nullptr) std::rethrow_exception(std::move(error_));
        return *value_;
    }

private:
    T* value_ = nullptr;
    std::exception_ptr error_;
};

template <>
class lazy_result<void> {
public:
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { error_ = std::current_exception(); }
    void take() {
        if (error_ != nullptr) std::rethrow_exception(std::move(error_));
    }

private:
    std::exception_ptr error_;
};

template <class T>
struct lazy_promise : lazy_promise_base, lazy_result<T> {
    [[nodiscard]] lazy<T> get_return_object() noexcept;
};

template <class T>
using lazy_handle = std::coroutine_handle<lazy_promise<T>>;

// Owns it.
template <class T>
class [[nodiscard]] lazy_awaiter {
public:
    explicit lazy_awaiter(lazy_handle<T> coroutine) noexcept : coroutine_(coroutine) {}
    lazy_awaiter(const lazy_awaiter&) = delete;
    lazy_awaiter& operator=(const lazy_awaiter&) = delete;
    ~lazy_awaiter() { coroutine_.destroy(); }

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> parent) noexcept {
        lazy_promise_base& self = coroutine_.promise();
        self.stop_token_ = token_of(parent);
        return !self.within_.begin(coroutine_, parent);
    }
    T await_resume() { return coroutine_.promise().take(); }

private:
    lazy_handle<T> coroutine_;
};

// To be awaited by a lazy: gives it another token, and returns the one that it had.
class exchange_stop_token {
public:
    explicit exchange_stop_token(std::stop_token token) noexcept : token_(std::move(token)) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <std::derived_from<lazy_promise_base> Promise>
    bool await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
        lazy_promise_base& promise = coroutine.promise();
        std::swap(promise.stop_token_, token_);
        return false;
    }
    [[nodiscard]] std::stop_token await_resume() noexcept { return std::move(token_); }

private:
    std::stop_token token_;
};

}  // namespace detail

template <class T>
class [[nodiscard]] lazy {
public:
    static_assert(std::is_void_v<T> || std::is_lvalue_reference_v<T> || std::move_constructible<T>);
    using promise_type = detail::lazy_promise<T>;

    lazy(lazy&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
    lazy& operator=(lazy&& other) noexcept {
        lazy(std::move(other)).swap(*this);
        return *this;
    }
    lazy(const lazy&) = delete;
    lazy& operator=(const lazy&) = delete;
    ~lazy() {
        if (coroutine_ != nullptr) coroutine_.destroy();
    }

    void swap(lazy& other) noexcept { std::swap(coroutine_, other.coroutine_); }

    /// Whether it may be awaited: it was not, nor moved from.
    [[nodiscard]] explicit operator bool() const noexcept { return coroutine_ != nullptr; }

    detail::lazy_awaiter<T> operator co_await() && noexcept {
        detail::require(coroutine_ != nullptr, "a lazy was awaited before, or moved from");
        return detail::lazy_awaiter<T>(std::exchange(coroutine_, nullptr));
    }

private:
    friend promise_type;
    explicit lazy(detail::lazy_handle<T> coroutine) noexcept : coroutine_(coroutine) {}

    detail::lazy_handle<T> coroutine_;
};

template <class T>
lazy<T> detail::lazy_promise<T>::get_return_object() noexcept {
    return lazy<T>(lazy_handle<T>::from_promise(*this));
}

}  // namespace foliot
