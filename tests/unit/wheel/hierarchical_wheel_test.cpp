// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// What this model does beyond the timer_queue contract: levels, moves, wake-ups, overflow.
#include <foliot/wheel/hierarchical_wheel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <ostream>
#include <vector>

namespace foliot {
namespace {

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

template <class Wheel>
std::vector<stop> run_by_wakeups(Wheel& wheel, std::size_t limit = 1000) {
    std::vector<stop> stops;
    while (const auto next = wheel.next_wakeup()) {
        const advance_result r = wheel.advance(*next, 1'000'000, [](timer_hook&) {});
        stops.push_back({next->count, r.fired, r.moved});
        if (stops.size() > limit) break;
    }
    return stops;
}

using stops = std::vector<stop>;

TEST(hierarchical_wheel, a_timer_goes_down_level_by_level_and_fires_from_the_lowest) {
    hierarchical_wheel<60, 4> wheel;  // seconds, minutes, hours, blocks of 60 hours
    timer_hook two_hours_five_minutes;
    wheel.schedule(two_hours_five_minutes, tick{2 * 3600 + 5 * 60});
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{7200, 0, 1}, {7500, 1, 1}}));
}

TEST(hierarchical_wheel, a_short_delay_stays_on_level_0_across_any_boundary) {
    for (const std::uint64_t boundary : {60U, 3600U, 216'000U, 12'960'000U}) {
        hierarchical_wheel<60, 4> wheel(tick{boundary - 1});
        timer_hook hook;
        wheel.schedule(hook, tick{boundary + 58});
        EXPECT_EQ(run_by_wakeups(wheel), (stops{{boundary + 58, 1, 0}}));
    }
}

TEST(hierarchical_wheel, covers_slots_to_the_power_of_levels) {
    hierarchical_wheel<60, 4> wheel;
    timer_hook last_in_reach;
    timer_hook first_in_overflow;
    wheel.schedule(last_in_reach, tick{12'959'999});
    EXPECT_EQ(wheel.next_wakeup(), tick{59 * 216'000}) << "in the last slot of the top level";
    wheel.cancel(last_in_reach);
    wheel.schedule(first_in_overflow, tick{12'960'000 + 7});
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{12'960'000, 0, 1}, {12'960'007, 1, 0}}));
}

TEST(hierarchical_wheel, one_far_timer_wakes_at_most_once_per_level) {
    const std::uint64_t year_ms = 366ULL * 24 * 3600 * 1000 - 1;
    hierarchical_wheel<256, 4> wheel;
    timer_hook hook;
    wheel.schedule(hook, tick{year_ms});
    const stops seen = run_by_wakeups(wheel);
    EXPECT_LE(seen.size(), 1U + 4U);
    EXPECT_EQ(seen.back().at, year_ms);
    EXPECT_EQ(seen.back().fired, 1U);
}

TEST(hierarchical_wheel, overflow_waits_for_its_first_due_and_keeps_the_rest) {
    hierarchical_wheel<4, 2> wheel;  // reaches 16 ticks
    std::deque<timer_hook> hooks(3);
    wheel.schedule(hooks[0], tick{1000});
    wheel.schedule(hooks[1], tick{1'000'000});
    wheel.schedule(hooks[2], tick{1002});
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{1000, 1, 3}, {1002, 1, 0}, {1'000'000, 1, 1}}));
}

TEST(hierarchical_wheel, a_cancelled_first_overflow_timer_costs_at_most_one_wake_up) {
    hierarchical_wheel<4, 2> wheel;
    timer_hook first;
    timer_hook second;
    wheel.schedule(first, tick{1000});
    wheel.schedule(second, tick{2002});
    wheel.cancel(first);
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{1000, 0, 1}, {2000, 0, 1}, {2002, 1, 0}}));
}

TEST(hierarchical_wheel, moving_later_is_one_move_when_the_old_slot_comes_round) {
    hierarchical_wheel<60, 4> wheel;
    timer_hook idle;
    wheel.schedule(idle, tick{30});
    for (std::uint64_t packet = 1; packet <= 29; ++packet) {
        ASSERT_EQ(wheel.advance(tick{packet}, 10, [](timer_hook&) {}).fired, 0U);
        wheel.reschedule(idle, tick{packet + 30});
    }
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{30, 0, 1}, {59, 1, 0}}));
}

TEST(hierarchical_wheel, moves_are_bounded_by_the_budget_and_resumed) {
    hierarchical_wheel<60, 4> wheel;
    std::deque<timer_hook> hooks(1000);
    for (timer_hook& hook : hooks) wheel.schedule(hook, tick{7200 + 125});
    std::size_t fired = 0;
    std::size_t moved = 0;
    std::size_t calls = 0;
    while (true) {
        const advance_result r = wheel.advance(tick{8000}, 7, [](timer_hook&) {});
        ASSERT_LE(r.fired + r.moved, 7U);
        ASSERT_TRUE(wheel.check_invariants());
        fired += r.fired;
        moved += r.moved;
        ++calls;
        if (r.drained) break;
        ASSERT_EQ(r.fired + r.moved, 7U);
        ASSERT_EQ(wheel.next_wakeup(), wheel.cursor()) << "work is left: at once";
    }
    EXPECT_EQ(fired, 1000U);
    EXPECT_EQ(moved, 2000U) << "level 2 to level 1 to level 0";
    EXPECT_EQ(calls, (1000 + 2000 + 6) / 7);
}

TEST(hierarchical_wheel, a_driver_that_calls_every_tick_sees_no_burst) {
    constexpr std::size_t count = 60'000;
    hierarchical_wheel<60, 3> wheel;
    std::deque<timer_hook> hooks(count);
    for (std::size_t i = 0; i < count; ++i) wheel.schedule(hooks[i], tick{7200 + i % 3600});
    std::size_t busiest = 0;
    std::size_t fired = 0;
    for (std::uint64_t now = 1; now < 7200 + 3600; ++now) {
        const advance_result r = wheel.advance(tick{now}, count, [](timer_hook&) {});
        busiest = std::max(busiest, r.fired + r.moved);
        fired += r.fired;
        ASSERT_TRUE(now % 100 != 0 || wheel.check_invariants());
    }
    EXPECT_EQ(fired, count);
    EXPECT_LE(busiest, 3 * (3 * count / 3600)) << "three times what a tick's fair share is";
}

TEST(hierarchical_wheel, a_sleeping_driver_is_woken_for_a_crowded_slot_and_sees_no_burst) {
    constexpr std::size_t count = 100'000;
    hierarchical_wheel<256, 4> wheel;
    std::deque<timer_hook> hooks(count);
    for (std::size_t i = 0; i < count; ++i) wheel.schedule(hooks[i], tick{3 * 65536 + i % 65536});
    std::size_t busiest = 0;
    for (const stop& s : run_by_wakeups(wheel, 1'000'000)) {
        busiest = std::max(busiest, s.fired + s.moved);
    }
    EXPECT_TRUE(wheel.empty());
    EXPECT_LE(busiest, 1024U * 5 / 4);
}

TEST(hierarchical_wheel, the_rest_of_a_slot_that_is_being_moved_down_can_be_cancelled) {
    hierarchical_wheel<60, 3> wheel;
    std::deque<timer_hook> hooks(1000);
    for (timer_hook& hook : hooks) wheel.schedule(hook, tick{7200});
    const advance_result r = wheel.advance(tick{5400}, 10'000, [](timer_hook&) {});
    ASSERT_GT(r.moved, 0U);
    ASSERT_LT(r.moved, 1000U);
    for (timer_hook& hook : hooks) EXPECT_TRUE(wheel.cancel(hook));
    EXPECT_TRUE(wheel.check_invariants());
    EXPECT_EQ(wheel.next_wakeup(), std::nullopt);
    wheel.schedule(hooks[0], tick{7300});
    EXPECT_EQ(run_by_wakeups(wheel).back(), (stop{7300, 1, 0}));
}

TEST(hierarchical_wheel, memory_follows_what_is_pending) {
    constexpr std::size_t count = 200'000;
    std::deque<timer_hook> hooks(count);
    hierarchical_wheel<> wheel;
    EXPECT_EQ(wheel.memory(), 0U);
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < count; ++i) wheel.schedule(hooks[i], tick{70'000 + i * 300});
        EXPECT_LE(wheel.memory(), count * 10 + 600 * 512);
        for (std::size_t i = 0; i < count; ++i) {
            if (i % 10'000 != 0) wheel.cancel(hooks[i]);
        }
        EXPECT_EQ(wheel.size(), 20U);
        EXPECT_LE(wheel.memory(), 720U * 512) << "a chunk for each slot that was in use";
        for (std::size_t i = 0; i < count; i += 10'000) EXPECT_TRUE(wheel.cancel(hooks[i]));
        EXPECT_LE(wheel.memory(), 720U * 512);
        EXPECT_EQ(wheel.next_wakeup(), std::nullopt);
        EXPECT_LE(wheel.memory(), 16U << 10) << "who goes to sleep gives it back";
    }
}

// A bank of the overflow is moved down in part, ahead of time; then the rest of it is cancelled; then
// it is filled again.
TEST(hierarchical_wheel,
     an_overflow_bank_emptied_by_cancels_while_it_is_moved_can_be_filled_again) {
    hierarchical_wheel<4, 2> wheel;
    std::deque<timer_hook> first(2000);
    for (timer_hook& hook : first) wheel.schedule(hook, tick{1000});
    wheel.cancel(first[1]);
    ASSERT_EQ(wheel.occupancy(2), 1999U);
    const auto nothing = [](timer_hook&) {};
    (void)wheel.advance(tick{997}, 1'000'000, nothing);
    const std::size_t left = wheel.occupancy(2);
    ASSERT_GT(left, 0U);
    ASSERT_LT(left, 1900U);
    for (timer_hook& hook : first) wheel.cancel(hook);

    timer_hook turns;
    wheel.schedule(turns, tick{2000});
    std::size_t fired = 0;
    const auto count = [&](timer_hook&) { ++fired; };
    (void)wheel.advance(tick{2000}, 1'000'000, count);
    ASSERT_EQ(fired, 1U);

    std::deque<timer_hook> second(2000);
    for (timer_hook& hook : second) wheel.schedule(hook, tick{5000});
    EXPECT_TRUE(wheel.check_invariants());
    (void)wheel.advance(tick{5000}, 1'000'000, count);
    EXPECT_EQ(fired, 2001U);
    EXPECT_TRUE(wheel.empty());
}

// The slots that thin out while another one is being condensed have their turn after it.
TEST(hierarchical_wheel, many_slots_that_were_mostly_cancelled_at_the_same_time_give_memory_back) {
    constexpr std::size_t slots = 100;
    constexpr std::size_t each = 2000;
    std::deque<timer_hook> hooks(slots * each);
    hierarchical_wheel<> wheel;
    for (std::size_t i = 0; i < hooks.size(); ++i) {
        wheel.schedule(hooks[i], tick{70'000 + i / each * 65'536});
    }
    const std::size_t full = wheel.memory();
    // Slot by slot, so that nothing is cancelled in a slot after the next one was begun.
    for (std::size_t i = 0; i < hooks.size(); ++i) {
        if (i % each > 20) wheel.cancel(hooks[i]);
    }
    for (int call = 0; call < 1000; ++call) {
        (void)wheel.advance(tick{1}, 1000, [](timer_hook&) {});
    }
    EXPECT_EQ(wheel.size(), slots * 21);
    EXPECT_TRUE(wheel.check_invariants());
    EXPECT_LE(wheel.memory(), full / 10);
}

TEST(hierarchical_wheel, next_wakeup_from_the_sink_of_the_last_timer_leaves_the_slot_in_peace) {
    std::deque<timer_hook> hooks(10'000);
    hierarchical_wheel<> wheel;
    for (std::size_t i = 0; i < hooks.size(); ++i) wheel.schedule(hooks[i], tick{10 + i % 300});
    std::size_t fired = 0;
    const auto fire_one_and_cancel_all = [&](timer_hook&) {
        ++fired;
        for (timer_hook& hook : hooks) wheel.cancel(hook);
        EXPECT_EQ(wheel.next_wakeup(), std::nullopt);
        wheel.schedule(hooks[7], tick{10 + 200});
        wheel.cancel(hooks[7]);
        wheel.schedule(hooks[8], tick{10 + 200});
    };
    EXPECT_TRUE(wheel.advance(tick{100}, 1'000'000, fire_one_and_cancel_all).drained);
    EXPECT_EQ(fired, 1U);
    EXPECT_EQ(wheel.size(), 1U);
    EXPECT_TRUE(wheel.check_invariants());
    EXPECT_EQ(wheel.next_wakeup(), tick{210});
}

TEST(hierarchical_wheel, occupancy_tells_where_timers_wait) {
    std::deque<timer_hook> hooks(10);
    hierarchical_wheel<60, 2> wheel(tick{10});
    const std::uint64_t dues[] = {5, 10, 11, 119, 120, 200, 3599, 7199, 7200, 1'000'000};
    for (std::size_t i = 0; i < hooks.size(); ++i) wheel.schedule(hooks[i], tick{dues[i]});
    EXPECT_EQ(wheel.places(), 4U);
    EXPECT_EQ(wheel.occupancy(0), 2U) << "11, 119";
    EXPECT_EQ(wheel.occupancy(1), 4U) << "120 ... 7199";
    EXPECT_EQ(wheel.occupancy(2), 2U) << "overflow";
    EXPECT_EQ(wheel.occupancy(3), 2U) << "late";
}

TEST(hierarchical_wheel, order_of_scheduling_is_kept_in_a_tick_while_nothing_is_cancelled) {
    hierarchical_wheel<60, 4> wheel;
    std::deque<timer_hook> hooks(100);
    for (timer_hook& hook : hooks) wheel.schedule(hook, tick{7500});
    std::vector<timer_hook*> order;
    const auto sink = [&](timer_hook& hook) { order.push_back(&hook); };
    ASSERT_TRUE(wheel.advance(tick{8000}, 1000, sink).drained);
    ASSERT_EQ(order.size(), hooks.size());
    for (std::size_t i = 0; i < hooks.size(); ++i) EXPECT_EQ(order[i], &hooks[i]);
}

TEST(hierarchical_wheel, levels_may_reach_past_64_bits) {
    hierarchical_wheel<256, 8> whole(tick{77});
    hierarchical_wheel<60, 11> odd(tick{77});
    timer_hook a;
    timer_hook b;
    whole.schedule(a, tick::max());
    odd.schedule(b, tick::max());
    EXPECT_LE(run_by_wakeups(whole).size(), 8U);
    EXPECT_LE(run_by_wakeups(odd).size(), 11U);
    EXPECT_FALSE(a.armed());
    EXPECT_FALSE(b.armed());
    EXPECT_EQ(whole.cursor(), tick::max());
}

}  // namespace
}  // namespace foliot
