// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/task.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>

namespace foliot {
namespace {

TEST(task, calls_what_it_holds_as_often_as_asked) {
    int calls = 0;
    task t([&] { return ++calls; });
    t();
    t();
    EXPECT_EQ(calls, 2);
}

TEST(task, small_callables_lie_inside_and_large_ones_do_not) {
    const auto small = [a = std::array<char, 48>{}] { static_cast<void>(a); };
    const auto large = [a = std::array<char, 49>{}] { static_cast<void>(a); };
    EXPECT_TRUE(task::fits<decltype(small)>);
    EXPECT_FALSE(task::fits<decltype(large)>);
    EXPECT_LE(sizeof(task), 64U);
}

// Moves, and destroys what it holds once, whether it lies inside or not.
template <std::size_t Size>
void expect_moves_and_destroys_once() {
    const auto owned = std::make_shared<int>(7);
    int seen = 0;
    {
        task a([owned, &seen, pad = std::array<char, Size>{}] {
            seen += *owned + static_cast<int>(pad.size()) * 0;
        });
        EXPECT_EQ(owned.use_count(), 2);
        task b(std::move(a));
        EXPECT_FALSE(static_cast<bool>(a));  // NOLINT(bugprone-use-after-move): what is meant
        EXPECT_EQ(owned.use_count(), 2);
        b();
        task c;
        c = std::move(b);
        c();
        EXPECT_EQ(owned.use_count(), 2);
        c = task([] {});
        EXPECT_EQ(owned.use_count(), 1);
    }
    EXPECT_EQ(seen, 14);
}

TEST(task, moves_and_destroys_a_small_callable_once) { expect_moves_and_destroys_once<1>(); }
TEST(task, moves_and_destroys_a_large_callable_once) { expect_moves_and_destroys_once<100>(); }

TEST(task, holds_what_can_only_be_moved) {
    int seen = 0;
    task t([p = std::make_unique<int>(3), &seen] { seen = *p; });
    task u(std::move(t));
    u();
    EXPECT_EQ(seen, 3);
    u.reset();
    EXPECT_FALSE(static_cast<bool>(u));
}

}  // namespace
}  // namespace foliot
