// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/service/held_executor.hpp"

#include <foliot/service/timer_service.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace foliot {
namespace {

using namespace std::chrono_literals;

// An executor with room for two, and three timers that are due.
struct overloaded {
    explicit overloaded(overload policy, std::vector<timer_options> of = {{}, {}, {}}) {
        options.clock = &clock;
        options.driver = false;
        options.executor = held;
        options.when_full = policy;
        options.block_time = 1s;
        options.backlog_limit = 2;
        options.shards = 1;
        options.on_rejected = [this] { ++rejected; };
        timers = std::make_unique<timer_service>(options);
        for (std::size_t i = 0; i < of.size(); ++i) {
            made.push_back(timers->after(
                10ms + i * 1ms, [this, i] { run.push_back(i); }, of[i]));
        }
        clock.advance(20ms);
        timers->poll();
    }

    manual_service_clock clock;
    std::shared_ptr<held_executor> held = std::make_shared<held_executor>(2);
    service_options options;
    int rejected = 0;
    std::vector<std::size_t> run;
    std::unique_ptr<timer_service> timers;
    std::vector<timer> made;
};

TEST(overload_block, keeps_what_is_due_until_there_is_room) {
    overloaded o(overload::block);
    EXPECT_EQ(o.held->size(), 2U);
    EXPECT_EQ(o.timers->metrics().backlog[1], 1U);
    EXPECT_EQ(o.timers->metrics().due, 3U);
    o.held->run_one();
    o.timers->poll();
    EXPECT_EQ(o.held->size(), 2U);
    o.held->run_one();
    o.held->run_one();
    EXPECT_EQ(o.run, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(o.rejected, 0);
}

TEST(overload_block, rejects_what_waited_for_too_long) {
    overloaded o(overload::block);
    o.clock.advance(999ms);
    o.timers->poll();
    EXPECT_EQ(o.rejected, 0);
    o.clock.advance(1ms);
    o.timers->poll();
    EXPECT_EQ(o.rejected, 1);
    EXPECT_EQ(o.timers->metrics().rejected, 1U);
    EXPECT_EQ(o.made[2].cancel(), cancel_result::gone);
}

TEST(overload_block, what_finds_no_place_to_wait_either_goes_back_into_the_wheel) {
    overloaded o(overload::block, std::vector<timer_options>(10));
    const service_metrics m = o.timers->metrics();
    EXPECT_EQ(m.due, 2U + 2U);
    EXPECT_EQ(m.backlog[1], 2U);
    EXPECT_EQ(m.pending, 6U);
    for (int i = 0; o.run.size() < 10; ++i) {
        ASSERT_LT(i, 100);
        if (o.held->size() > 0) o.held->run_one();
        o.clock.advance(10ms);
        o.timers->poll();
    }
    EXPECT_EQ(o.rejected, 0);
}

TEST(overload_block, a_full_class_delays_no_other) {
    std::vector<timer_options> of(10, timer_options{priority::low, false, 0});
    of.push_back({priority::high, false, 0});
    overloaded o(overload::block, of);
    // The executor of this test has one limit for all: make room for one.
    const auto before = o.timers->metrics().backlog;
    EXPECT_EQ(before[2], 2U);
    EXPECT_EQ(before[0], 1U) << "it was taken out of the wheel, and waits before the low ones";
    o.held->run_one();
    o.timers->poll();
    o.held->run_one();
    o.held->run_one();
    EXPECT_EQ(o.run.back(), 10U);
}

TEST(overload_block, what_waits_can_be_cancelled) {
    overloaded o(overload::block);
    EXPECT_EQ(o.made[2].cancel(), cancel_result::cancelled);
    o.held->run_one();
    o.timers->poll();
    o.held->run_one();
    o.held->run_one();  // void
    EXPECT_EQ(o.run, (std::vector<std::size_t>{0, 1}));
}

TEST(overload_reject, drops_what_finds_no_room_and_tells) {
    overloaded o(overload::reject);
    EXPECT_EQ(o.rejected, 1);
    EXPECT_EQ(o.timers->metrics().rejected, 1U);
    o.held->run_one();
    o.held->run_one();
    EXPECT_EQ(o.run, (std::vector<std::size_t>{0, 1}));
}

TEST(overload_shed, drops_a_discardable_one_for_one_that_is_not) {
    overloaded o(overload::shed, {{priority::low, true}, {}, {}});
    EXPECT_EQ(o.timers->metrics().shed, 1U);
    o.held->run_one();
    o.held->run_one();
    EXPECT_EQ(o.run, (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(o.rejected, 0);
}

TEST(overload_shed, drops_itself_if_no_other_can_be_dropped) {
    overloaded o(overload::shed, {{}, {}, {priority::low, true}});
    EXPECT_EQ(o.timers->metrics().shed, 1U);
    EXPECT_EQ(o.rejected, 0);
    overloaded all(overload::shed);
    EXPECT_EQ(all.rejected, 1) << "none is discardable";
}

TEST(overload_defer, puts_it_back_into_the_wheel) {
    overloaded o(overload::defer);
    EXPECT_EQ(o.timers->metrics().deferred, 1U);
    EXPECT_EQ(o.timers->metrics().pending, 1U);
    o.held->run_one();
    o.timers->poll();
    EXPECT_EQ(o.held->size(), 1U) << "it waits";
    o.clock.advance(10ms);
    o.timers->poll();
    EXPECT_EQ(o.held->size(), 2U);
    o.held->run_one();
    o.held->run_one();
    EXPECT_EQ(o.run, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(overload, a_stop_counts_what_was_due_and_drops_it) {
    overloaded o(overload::block);
    const stop_report report = o.timers->stop();
    EXPECT_EQ(report.pending, 0U);
    EXPECT_EQ(report.due, 3U);
    EXPECT_EQ(o.timers->metrics().dropped, 3U);
    EXPECT_TRUE(o.run.empty());
    EXPECT_EQ(o.rejected, 0);
}

}  // namespace
}  // namespace foliot
