// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <coroutine>
#include <type_traits>
#include <utility>

namespace foliot::detail {

template <class A>
concept awaiter = requires(A& a) {
    { a.await_ready() } -> std::convertible_to<bool>;
    a.await_resume();
};

template <class A>
concept has_member_co_await = requires(A&& a) { std::forward<A>(a).operator co_await(); };
template <class A>
concept has_free_co_await = requires(A&& a) { operator co_await(std::forward<A>(a)); };

/// Anything that can stand after co_await, in a coroutine that does not transform it.
template <class A>
concept awaitable = awaiter<A> || has_member_co_await<A> || has_free_co_await<A>;

template <awaitable A>
decltype(auto) awaiter_of(A&& a) {
    if constexpr (has_member_co_await<A>) {
        return std::forward<A>(a).operator co_await();
    } else if constexpr (has_free_co_await<A>) {
        return operator co_await(std::forward<A>(a));
    } else {
        return std::forward<A>(a);
    }
}

/// What co_await gives for an A&&: void, an lvalue reference or an object type.
template <class A>
struct await_result {
    using raw = decltype(awaiter_of(std::declval<A>()).await_resume());
    using type = std::conditional_t<std::is_rvalue_reference_v<raw>, std::remove_cvref_t<raw>,
                                    std::remove_cv_t<raw>>;
};
template <class A>
using await_result_t = typename await_result<A>::type;

/// Awaits an awaiter where it is: g++ 12 may copy one that is named by a reference.
template <class Awaiter>
class in_place {
public:
    explicit in_place(Awaiter& awaiter) noexcept : awaiter_(awaiter) {}

    [[nodiscard]] bool await_ready() { return static_cast<bool>(awaiter_.await_ready()); }
    template <class Promise>
    decltype(auto) await_suspend(std::coroutine_handle<Promise> coroutine) {
        return awaiter_.await_suspend(coroutine);
    }
    decltype(auto) await_resume() { return awaiter_.await_resume(); }

private:
    Awaiter& awaiter_;
};

}  // namespace foliot::detail
