// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/coro/lazy.hpp>
#include <foliot/coro/stop.hpp>
#include <foliot/coro/sync_wait.hpp>

#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "unit/coro/simulated.hpp"

namespace foliot {
namespace {

lazy<int> seven() { co_return 7; }
lazy<> nothing() { co_return; }
lazy<int> count_up(int& n) { co_return ++n; }

TEST(lazy, begins_when_it_is_awaited_and_not_before) {
    int begun = 0;
    lazy<int> l = count_up(begun);
    EXPECT_EQ(begun, 0);
    EXPECT_EQ(sync_wait(std::move(l)), 1);
    EXPECT_EQ(begun, 1);
}

lazy<> keep(counted /*until the end*/) { co_return; }

TEST(lazy, one_that_is_never_awaited_is_freed_with_its_arguments) {
    int living = 0;
    {
        const lazy<> l = keep(counted(living));
        EXPECT_EQ(living, 1);
    }
    EXPECT_EQ(living, 0);
}

TEST(lazy, is_freed_once_when_its_result_was_taken) {
    int living = 0;
    const auto look = [](int& n) -> lazy<int> {
        co_await keep(counted(n));
        co_return n;
    };
    EXPECT_EQ(sync_wait(look(living)), 0);
}

TEST(lazy, may_be_moved_but_not_copied) {
    static_assert(!std::is_copy_constructible_v<lazy<int>>);
    static_assert(!std::is_copy_assignable_v<lazy<int>>);
    int living = 0;
    lazy<> a = keep(counted(living));
    lazy<> b = std::move(a);
    EXPECT_FALSE(static_cast<bool>(a));  // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(static_cast<bool>(b));
    b = keep(counted(living));
    EXPECT_EQ(living, 1);
    sync_wait(std::move(b));
    EXPECT_EQ(living, 0);
}

TEST(lazy, gives_what_can_only_be_moved) {
    const auto make = []() -> lazy<std::unique_ptr<int>> { co_return std::make_unique<int>(3); };
    EXPECT_EQ(*sync_wait(make()), 3);
}

TEST(lazy, gives_what_its_result_can_be_made_of) {
    struct without_default {
        explicit without_default(int n) : number(n) {}
        int number;
    };
    const auto make = []() -> lazy<without_default> { co_return 5; };
    const auto text = []() -> lazy<std::string> { co_return "text"; };
    const auto pair = []() -> lazy<std::pair<int, int>> { co_return {1, 2}; };
    EXPECT_EQ(sync_wait(make()).number, 5);
    EXPECT_EQ(sync_wait(text()), "text");
    EXPECT_EQ(sync_wait(pair()).second, 2);
}

TEST(lazy, gives_references) {
    int n = 1;
    const auto make = [](int& of) -> lazy<int&> { co_return of; };
    const auto through = [&](int& of) -> lazy<int&> { co_return co_await make(of); };
    static_assert(std::is_same_v<decltype(sync_wait(through(n))), int&>);
    sync_wait(through(n)) = 2;
    EXPECT_EQ(n, 2);
}

[[noreturn]] void fail() { throw std::runtime_error("failed"); }
lazy<> fail_with_nothing() {
    fail();
    co_return;
}
lazy<int> fail_with_a_value() {
    fail();
    co_return 1;
}
lazy<int&> fail_with_a_reference(int& n) {
    fail();
    co_return n;
}

TEST(lazy, throws_out_of_the_await_what_it_throws) {
    const auto caught = []() -> lazy<std::string> {
        try {
            co_await fail_with_a_value();
        } catch (const std::runtime_error& e) {
            co_return e.what();
        }
        co_return "nothing";
    };
    int n = 0;
    EXPECT_EQ(sync_wait(caught()), "failed");
    EXPECT_THROW(sync_wait(fail_with_a_value()), std::runtime_error);
    EXPECT_THROW(sync_wait(fail_with_a_reference(n)), std::runtime_error);
    EXPECT_THROW(sync_wait(fail_with_nothing()), std::runtime_error);
}

TEST(lazy_death, cannot_be_awaited_twice) {
    const auto twice = []() -> lazy<int> {
        lazy<int> l = seven();
        co_await std::move(l);
        co_return co_await std::move(l);  // NOLINT(bugprone-use-after-move)
    };
    EXPECT_DEATH(sync_wait(twice()), "a lazy was awaited before");
}

TEST(lazy, a_loop_of_awaits_that_are_over_at_once_takes_no_stack) {
    const auto loop = []() -> lazy<int> {
        int n = 0;
        for (int i = 0; i < 1'000'000; ++i) n += co_await seven() - 6;
        co_return n;
    };
    EXPECT_EQ(sync_wait(loop()), 1'000'000);
}

TEST(lazy, a_loop_of_awaits_that_are_over_later_takes_no_stack) {
    event* waited_for = nullptr;
    const auto one = [](event*& to) -> lazy<> {
        event e;
        to = &e;
        co_await e;
    };
    int rounds = 0;
    const auto loop = [&]() -> lazy<> {
        for (; rounds < 200'000; ++rounds) co_await one(waited_for);
    };
    const auto root = [&]() -> held { co_await loop(); };
    const held h = root();
    while (!h.ended()) waited_for->come();
    EXPECT_EQ(rounds, 200'000);
}

TEST(lazy, who_awaits_it_goes_on_where_it_ends) {
    event e;
    int step = 0;
    const auto inner = [&]() -> lazy<int> {
        co_await e;
        co_return 5;
    };
    const auto root = [&]() -> held {
        step = 1;
        step = co_await inner();
    };
    const held h = root();
    EXPECT_EQ(step, 1);
    e.come();
    EXPECT_EQ(step, 5);
    EXPECT_TRUE(h.ended());
}

// Goes on on another thread, which is through with everything before the first one has left
// await_suspend.
struct elsewhere {
    std::thread::id& where;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[gnu::noinline]] void await_suspend(std::coroutine_handle<> c) const {
        std::thread([c, to = &where] {
            *to = std::this_thread::get_id();
            c.resume();
        }).join();
    }
    void await_resume() const noexcept {}
};

TEST(lazy, one_that_ends_elsewhere_while_it_is_being_begun_goes_on_there_only) {
    std::thread::id there;
    std::thread::id after_inner;
    std::thread::id after_outer;
    int ends = 0;
    const auto inner = [&]() -> lazy<> {
        elsewhere e{there};
        co_await e;
    };
    const auto outer = [&]() -> lazy<> {
        co_await inner();
        after_inner = std::this_thread::get_id();
        co_await nothing();
    };
    const auto root = [&]() -> detached {
        co_await outer();
        after_outer = std::this_thread::get_id();
        ++ends;
    };
    root();
    EXPECT_EQ(ends, 1);
    EXPECT_NE(there, std::this_thread::get_id());
    EXPECT_EQ(after_inner, there);
    EXPECT_EQ(after_outer, there);
}

struct resumed_within_suspend {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> c) const { c.resume(); }
    void await_resume() const noexcept {}
};

TEST(lazy, what_it_awaits_may_resume_it_before_it_has_suspended_it) {
    const auto inner = []() -> lazy<int> {
        co_await resumed_within_suspend();
        co_return 1;
    };
    const auto outer = [&]() -> lazy<int> { co_return co_await inner() + co_await inner(); };
    EXPECT_EQ(sync_wait(outer()), 2);
}

TEST(lazy, one_that_is_destroyed_while_it_waits_takes_with_it_what_it_awaits) {
    int living = 0;
    event never;
    const auto inner = [&](counted /*until the end*/) -> lazy<> { co_await never; };
    const auto outer = [&](counted c) -> lazy<> { co_await inner(c); };
    const auto root = [&]() -> held { co_await outer(counted(living)); };
    {
        const held h = root();
        EXPECT_GT(living, 0);
    }
    EXPECT_EQ(living, 0);
}

lazy<bool> asked_to_stop() { co_return (co_await this_stop_token()).stop_requested(); }
lazy<bool> asked_further_down() { co_return co_await asked_to_stop(); }

TEST(this_stop_token, is_handed_down_from_the_root) {
    std::stop_source source;
    EXPECT_FALSE(sync_wait(asked_further_down(), source.get_token()));
    source.request_stop();
    EXPECT_TRUE(sync_wait(asked_further_down(), source.get_token()));
    EXPECT_FALSE(sync_wait(asked_further_down()));
}

TEST(this_stop_token, is_empty_below_a_coroutine_that_has_none) {
    bool possible = true;
    const auto inner = [&]() -> lazy<> { possible = (co_await this_stop_token()).stop_possible(); };
    const auto root = [&]() -> detached { co_await inner(); };
    root();
    EXPECT_FALSE(possible);
}

TEST(sync_wait, waits_for_one_that_ends_on_another_thread) {
    for (int i = 0; i < 200; ++i) {
        std::jthread other;
        struct on {
            std::jthread& thread;
            [[nodiscard]] bool await_ready() const noexcept { return false; }
            [[gnu::noinline]] void await_suspend(std::coroutine_handle<> c) const {
                std::jthread& to = thread;  // this may be gone once it is resumed
                std::jthread t([c] { c.resume(); });
                t.swap(to);
            }
            void await_resume() const noexcept {}
        };
        const auto go = [&]() -> lazy<int> {
            on o{other};
            co_await o;
            co_return i;
        };
        EXPECT_EQ(sync_wait(go()), i);
    }
}

}  // namespace
}  // namespace foliot
