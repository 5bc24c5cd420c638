// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/wheel/hierarchical_wheel.hpp>
#include <foliot/wheel/timer_hook.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <type_traits>

namespace foliot {
namespace {

TEST(timer_hook, is_sixteen_bytes_and_stays_where_it_is) {
    static_assert(sizeof(timer_hook) == 16);
    static_assert(!std::is_copy_constructible_v<timer_hook>);
    static_assert(!std::is_move_constructible_v<timer_hook>);
    static_assert(!std::is_copy_assignable_v<timer_hook>);
    const timer_hook hook;
    EXPECT_FALSE(hook.armed());
}

TEST(timer_hook, says_whether_it_is_armed_and_for_when) {
    hierarchical_wheel<> wheel;
    timer_hook hook;
    wheel.schedule(hook, tick{30});
    EXPECT_TRUE(hook.armed());
    EXPECT_EQ(hook.due(), tick{30});
    wheel.reschedule(hook, tick{40});
    EXPECT_EQ(hook.due(), tick{40});
    wheel.cancel(hook);
    EXPECT_FALSE(hook.armed());
    EXPECT_EQ(hook.due(), tick{40});
}

TEST(timer_hook_death, destroying_an_armed_hook_ends_the_process_with_a_message) {
    hierarchical_wheel<> wheel;
    EXPECT_DEATH(
        {
            timer_hook hook;
            wheel.schedule(hook, tick{30});
        },
        "timer_hook was destroyed while armed");
}

TEST(timer_hook, outlives_its_wheel) {
    timer_hook hook;
    {
        hierarchical_wheel<> wheel;
        wheel.schedule(hook, tick{30});
    }
    EXPECT_FALSE(hook.armed());
}

}  // namespace
}  // namespace foliot
