// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"

#include <gtest/gtest.h>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;

struct clock_test : testing::Test {
    std::unique_ptr<store::due_store> store = store::make_memory_store();
    engine_world w{*store};
};

TEST_F(clock_test, relative_due_does_not_move_when_the_wall_clock_is_stepped) {
    for (const auto step : {1h, -1h}) {
        w.set("x", after{10s});
        w.step_wall(step);
        w.pass(10s - 1ms);
        EXPECT_TRUE(w.lease().empty());
        w.pass(1ms);
        const auto d = w.lease();
        ASSERT_EQ(d.size(), 1u);
        w.ack(d[0]);
    }
}

TEST_F(clock_test, absolute_due_follows_the_wall_clock) {
    const tick due{w.wall_ms().count + 10'000};
    w.set_at("x", due);
    w.step_wall(-1h);
    w.pass(1h);
    EXPECT_TRUE(w.lease().empty());
    w.step_wall(10s);
    w.settle();
    EXPECT_EQ(w.lease().size(), 1u);
}

TEST_F(clock_test, timer_set_after_a_step_back_is_not_early) {
    w.step_wall(-1h);
    w.settle();
    w.set_at("x", tick{w.wall_ms().count + 1000});
    EXPECT_TRUE(w.lease().empty());
    w.pass(999ms);
    EXPECT_TRUE(w.lease().empty());
    w.pass(1ms);
    EXPECT_EQ(w.lease().size(), 1u);
}

TEST_F(clock_test, restart_after_a_step_moves_no_relative_due) {
    for (const bool new_boot : {false, true}) {
        const auto step = new_boot ? 1h : -1h;
        w.set("near", after{10s});
        w.set("far", after{30min});
        w.step_wall(step);
        w.pass(1s);
        if (new_boot) {
            w.reboot();
        } else {
            w.restart();
        }
        w.pass(9s - 1ms);
        EXPECT_TRUE(w.lease().empty());
        w.pass(1ms);
        const auto near = w.lease();
        ASSERT_EQ(near.size(), 1u);
        w.ack(near[0]);
        w.pass_in_steps(30min - 10s - 1ms);
        EXPECT_TRUE(w.lease().empty());
        w.pass(1ms);
        const auto far = w.lease();
        ASSERT_EQ(far.size(), 1u);
        w.ack(far[0]);
    }
}

TEST_F(clock_test, step_while_down_moves_no_relative_due_in_the_same_boot) {
    w.set("x", after{10s});
    w.step_wall(1h);
    w.restart();
    w.pass(10s - 1ms);
    EXPECT_TRUE(w.lease().empty());
    w.pass(1ms);
    EXPECT_EQ(w.lease().size(), 1u);
}

TEST_F(clock_test, due_is_told_as_wall_time_after_a_step) {
    w.step_wall(1h);
    w.settle();
    EXPECT_EQ(w.set("x", after{10s}).due_ms.count, w.wall_ms().count + 10'000);
}

TEST_F(clock_test, dues_at_the_end_of_time_stay_pending) {
    w.set_at("a", tick::max());
    w.set_at("b", tick{tick::max().count - 5});
    w.set("c", after{std::chrono::nanoseconds::max()});
    w.pass_in_steps(24h);
    EXPECT_TRUE(w.lease().empty());
    w.restart();
    w.pass_in_steps(24h);
    EXPECT_TRUE(w.lease().empty());
    EXPECT_EQ(w.stats().pending, 3u);
    EXPECT_EQ(w.list_ids().size(), 3u);
}

}  // namespace
}  // namespace foliot::test
