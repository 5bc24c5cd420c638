// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// What this model does beyond the timer_queue contract: wheels on demand, the queue of buckets,
// long buckets, options.
#include <foliot/wheel/bucket_queue_wheel.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <ostream>
#include <random>
#include <stdexcept>
#include <vector>

namespace foliot {
namespace {

constexpr bucket_queue_options kafka{.ticks_per_bucket = 1, .wheel_size = 20};

// One advance of a run that follows next_wakeup.
struct stop {
    std::uint64_t at;
    std::size_t fired;
    std::size_t moved;

    friend bool operator==(const stop&, const stop&) = default;
    friend std::ostream& operator<<(std::ostream& out, const stop& s) {
        return out << "{at " << s.at << ", fired " << s.fired << ", moved " << s.moved << "}";
    }
};
using stops = std::vector<stop>;

stops run_by_wakeups(bucket_queue_wheel& wheel) {
    stops seen;
    while (const auto next = wheel.next_wakeup()) {
        const advance_result r = wheel.advance(*next, 1'000'000, [](timer_hook&) {});
        EXPECT_TRUE(wheel.check_invariants());
        seen.push_back({next->count, r.fired, r.moved});
        if (seen.size() > 1000) break;
    }
    return seen;
}

TEST(bucket_queue_wheel, wheels_come_into_use_on_demand) {
    std::deque<timer_hook> hooks(4);
    bucket_queue_wheel wheel(tick{0}, kafka);
    EXPECT_EQ(wheel.wheels(), 1U);
    wheel.schedule(hooks[0], tick{19});
    EXPECT_EQ(wheel.wheels(), 1U) << "the first wheel's interval is 20";
    wheel.schedule(hooks[1], tick{20});
    EXPECT_EQ(wheel.wheels(), 2U);
    wheel.schedule(hooks[2], tick{399});
    EXPECT_EQ(wheel.wheels(), 2U);
    wheel.schedule(hooks[3], tick::max());
    EXPECT_EQ(wheel.wheels(), 15U) << "20 to the power of 15 is more than 2^64";
    EXPECT_EQ(wheel.occupancy(0), 1U);
    EXPECT_EQ(wheel.occupancy(1), 2U);
    EXPECT_EQ(wheel.occupancy(14), 1U);
    EXPECT_TRUE(wheel.check_invariants());
}

TEST(bucket_queue_wheel, a_timer_goes_down_wheel_by_wheel_and_fires_from_the_first) {
    timer_hook hook;
    bucket_queue_wheel wheel(tick{0}, kafka);
    wheel.schedule(hook, tick{3 * 8000 + 7 * 400 + 20 + 9});
    EXPECT_EQ(run_by_wakeups(wheel),
              (stops{{24'000, 0, 1}, {26'800, 0, 1}, {26'820, 0, 1}, {26'829, 1, 0}}));
}

TEST(bucket_queue_wheel, what_is_due_at_the_start_of_a_coarse_bucket_fires_in_that_tick) {
    std::deque<timer_hook> hooks(2);
    bucket_queue_wheel wheel(tick{0}, kafka);
    wheel.schedule(hooks[0], tick{8000});
    wheel.schedule(hooks[1], tick{8001});
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{8000, 1, 2}, {8001, 1, 0}}));
}

TEST(bucket_queue_wheel, ten_timers_over_thirty_days_take_a_few_wake_ups_each) {
    constexpr std::uint64_t thirty_days_ms = 30ULL * 24 * 3600 * 1000;
    std::mt19937_64 random(6);
    std::deque<timer_hook> hooks(10);
    bucket_queue_wheel wheel;
    for (timer_hook& hook : hooks) wheel.schedule(hook, tick{1 + random() % thirty_days_ms});
    const stops seen = run_by_wakeups(wheel);
    EXPECT_TRUE(wheel.empty());
    EXPECT_LE(seen.size(), 10U * 4) << "a wheel each, of four";
}

TEST(bucket_queue_wheel,
     a_bucket_emptied_by_cancels_costs_one_wake_up_however_often_it_was_filled) {
    std::deque<timer_hook> hooks(2);
    bucket_queue_wheel wheel(tick{0}, kafka);
    for (int i = 0; i < 1000; ++i) {
        wheel.schedule(hooks[0], tick{5});
        wheel.cancel(hooks[0]);
    }
    wheel.schedule(hooks[1], tick{15});
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{5, 0, 0}, {15, 1, 0}}));
}

TEST(bucket_queue_wheel, a_bucket_is_used_again_after_it_expired_empty) {
    std::deque<timer_hook> hooks(2);
    bucket_queue_wheel wheel(tick{0}, kafka);
    wheel.schedule(hooks[0], tick{5});
    wheel.cancel(hooks[0]);
    ASSERT_TRUE(wheel.advance(tick{10}, 10, [](timer_hook&) {}).drained);
    wheel.schedule(hooks[1], tick{25});
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{25, 1, 0}}));
}

TEST(bucket_queue_wheel, moving_later_is_one_move_when_the_old_bucket_expires) {
    timer_hook idle;
    bucket_queue_wheel wheel;
    wheel.schedule(idle, tick{30});
    for (std::uint64_t packet = 1; packet <= 29; ++packet) {
        ASSERT_EQ(wheel.advance(tick{packet}, 10, [](timer_hook&) {}).fired, 0U);
        wheel.reschedule(idle, tick{packet + 30});
        ASSERT_EQ(wheel.next_wakeup(), tick{30}) << "only the hook was written";
    }
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{30, 0, 1}, {59, 1, 0}}));
}

TEST(bucket_queue_wheel, moves_are_bounded_by_the_budget_and_resumed) {
    std::deque<timer_hook> hooks(1000);
    bucket_queue_wheel wheel(tick{0}, kafka);
    for (timer_hook& hook : hooks) wheel.schedule(hook, tick{8000 + 425});
    std::size_t fired = 0;
    std::size_t moved = 0;
    while (true) {
        const advance_result r = wheel.advance(tick{9000}, 7, [](timer_hook&) {});
        ASSERT_TRUE(wheel.check_invariants());
        fired += r.fired;
        moved += r.moved;
        if (r.drained) break;
        ASSERT_EQ(r.fired + r.moved, 7U);
        ASSERT_EQ(wheel.next_wakeup(), wheel.cursor()) << "work is left: at once";
    }
    EXPECT_EQ(fired, 1000U);
    EXPECT_EQ(moved, 3000U) << "from the fourth wheel to the first";
}

TEST(bucket_queue_wheel, the_rest_of_a_bucket_that_is_being_moved_down_can_be_cancelled) {
    std::deque<timer_hook> hooks(1000);
    bucket_queue_wheel wheel(tick{0}, kafka);
    for (timer_hook& hook : hooks) wheel.schedule(hook, tick{405});
    ASSERT_FALSE(wheel.advance(tick{400}, 100, [](timer_hook&) {}).drained);
    for (timer_hook& hook : hooks) EXPECT_TRUE(wheel.cancel(hook));
    EXPECT_TRUE(wheel.check_invariants());
    EXPECT_EQ(wheel.next_wakeup(), std::nullopt);
    wheel.schedule(hooks[0], tick{500});
    EXPECT_EQ(run_by_wakeups(wheel).back(), (stop{500, 1, 1}));
}

TEST(bucket_queue_wheel, long_buckets_fire_at_their_end_and_nothing_early) {
    constexpr std::uint64_t length = 20;
    for (const std::uint64_t start : {0U, 5U, 1005U, 1019U, 1020U}) {
        for (std::uint64_t delay = 1; delay < 1000; delay += 7) {
            timer_hook hook;
            bucket_queue_wheel wheel(tick{start}, {.ticks_per_bucket = length, .wheel_size = 4});
            const std::uint64_t due = start + delay;
            wheel.schedule(hook, tick{due});
            const std::uint64_t end = (due + length - 1) / length * length;
            ASSERT_TRUE(wheel.check_invariants());
            ASSERT_LE(*wheel.next_wakeup(), tick{end});
            ASSERT_EQ(wheel.advance(tick{end - 1}, 10, [](timer_hook&) {}).fired, 0U);
            ASSERT_EQ(wheel.advance(tick{end}, 10, [](timer_hook&) {}).fired, 1U) << start << delay;
        }
    }
}

TEST(bucket_queue_wheel, time_begins_at_the_start_of_the_bucket_that_the_start_is_in) {
    timer_hook hook;
    bucket_queue_wheel wheel(tick{1005}, {.ticks_per_bucket = 20, .wheel_size = 20});
    EXPECT_EQ(wheel.current_time(), tick{1000});
    EXPECT_EQ(wheel.cursor(), tick{1005});
    wheel.schedule(hook, tick{1405});  // an interval from the start
    EXPECT_EQ(wheel.advance(tick{1404}, 10, [](timer_hook&) {}).fired, 0U);
    EXPECT_EQ(wheel.advance(tick{1420}, 10, [](timer_hook&) {}).fired, 1U);
    EXPECT_EQ(wheel.current_time(), tick{1420});
}

TEST(bucket_queue_wheel, long_buckets_end_with_the_last_tick_of_time) {
    for (const std::uint64_t length : {2U, 20U, 1'000'000U}) {
        std::deque<timer_hook> hooks(3);
        bucket_queue_wheel wheel(tick{7}, {.ticks_per_bucket = length, .wheel_size = 5});
        for (std::uint64_t i = 0; i < 3; ++i) wheel.schedule(hooks[i], tick{tick::max().count - i});
        EXPECT_EQ(wheel.advance(tick{tick::max().count - 3}, 1000, [](timer_hook&) {}).fired, 0U);
        EXPECT_TRUE(wheel.check_invariants());
        EXPECT_EQ(wheel.advance(tick::max(), 1000, [](timer_hook&) {}).fired, 3U) << length;
    }
}

TEST(bucket_queue_wheel, a_bucket_may_be_as_long_as_all_time) {
    timer_hook hook;
    bucket_queue_wheel wheel(tick{0}, {.ticks_per_bucket = tick::max().count, .wheel_size = 2});
    wheel.schedule(hook, tick{1});
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{tick::max().count, 1, 0}}));
}

TEST(bucket_queue_wheel, random_timers_with_long_buckets_fire_in_their_bucket) {
    constexpr std::uint64_t length = 7;
    std::mt19937_64 random(8);
    std::deque<timer_hook> hooks(500);
    bucket_queue_wheel wheel(tick{3}, {.ticks_per_bucket = length, .wheel_size = 3});
    for (timer_hook& hook : hooks) wheel.schedule(hook, tick{4 + random() % 3000});
    std::size_t fired = 0;
    std::uint64_t now = 3;
    const auto sink = [&](timer_hook& hook) {
        ++fired;
        const std::uint64_t due = hook.due().count;
        ASSERT_LE(due, wheel.cursor().count) << "never early";
        ASSERT_LT(wheel.cursor().count, due + length) << "less than a bucket late";
    };
    while (!wheel.empty()) {
        timer_hook& hook = hooks[random() % hooks.size()];
        if (hook.armed()) wheel.reschedule(hook, tick{now + 1 + random() % 300});
        now += 1 + random() % 10;
        ASSERT_TRUE(wheel.advance(tick{now}, 10'000, sink).drained);
        ASSERT_TRUE(wheel.check_invariants());
    }
    EXPECT_EQ(fired, hooks.size());
}

TEST(bucket_queue_wheel, reset_forgets_the_buckets) {
    std::deque<timer_hook> hooks(100);
    bucket_queue_wheel wheel(tick{0}, kafka);
    for (std::uint64_t i = 0; i < 100; ++i) wheel.schedule(hooks[i], tick{i * i * i});
    ASSERT_FALSE(wheel.advance(tick{5000}, 20, [](timer_hook&) {}).drained);
    wheel.reset(tick{3});
    EXPECT_TRUE(wheel.check_invariants());
    EXPECT_EQ(wheel.next_wakeup(), std::nullopt);
    wheel.schedule(hooks[0], tick{5});
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{5, 1, 0}}));
}

TEST(bucket_queue_wheel, order_of_scheduling_is_kept_in_a_tick_while_nothing_is_cancelled) {
    std::deque<timer_hook> hooks(100);
    bucket_queue_wheel wheel;
    for (timer_hook& hook : hooks) wheel.schedule(hook, tick{7500});
    std::vector<timer_hook*> order;
    const auto sink = [&](timer_hook& hook) { order.push_back(&hook); };
    ASSERT_TRUE(wheel.advance(tick{8000}, 1000, sink).drained);
    ASSERT_EQ(order.size(), hooks.size());
    for (std::size_t i = 0; i < hooks.size(); ++i) EXPECT_EQ(order[i], &hooks[i]);
}

TEST(bucket_queue_wheel, every_wheel_size_reaches_the_end_of_time) {
    for (const std::uint32_t size : {2U, 3U, 7U, 20U, 60U, 64U, 256U, 1000U, 4097U, 8191U, 8192U}) {
        timer_hook hook;
        bucket_queue_wheel wheel(tick{77}, {.ticks_per_bucket = 1, .wheel_size = size});
        wheel.schedule(hook, tick::max());
        const stops seen = run_by_wakeups(wheel);
        EXPECT_LE(seen.size(), wheel.wheels()) << size;
        EXPECT_EQ(seen.back().at, tick::max().count) << size;
        EXPECT_EQ(seen.back().fired, 1U) << size;
    }
}

void expect_refused(bucket_queue_options options, const char* what) {
    try {
        const bucket_queue_wheel wheel(tick{0}, options);
        ADD_FAILURE() << "not refused: " << what;
    } catch (const std::invalid_argument& refusal) {
        EXPECT_THAT(refusal.what(), testing::HasSubstr(what));
    }
}

TEST(bucket_queue_wheel, an_option_out_of_range_is_refused_by_name) {
    expect_refused({.ticks_per_bucket = 0, .wheel_size = 20}, "ticks_per_bucket is 0");
    expect_refused({.ticks_per_bucket = 1, .wheel_size = 0},
                   "wheel_size is 0; it must be 2 to 8192");
    expect_refused({.ticks_per_bucket = 1, .wheel_size = 1}, "wheel_size is 1");
    expect_refused({.ticks_per_bucket = 1, .wheel_size = 8193}, "wheel_size is 8193");
}

}  // namespace
}  // namespace foliot
