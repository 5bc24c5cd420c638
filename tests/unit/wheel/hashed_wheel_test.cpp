// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// What this model does beyond the timer_queue contract: rounds, slots, what a jump costs.
#include <foliot/wheel/hashed_wheel.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
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
using stops = std::vector<stop>;

template <class Wheel>
stops run_by_wakeups(Wheel& wheel) {
    stops seen;
    while (const auto next = wheel.next_wakeup()) {
        const advance_result r = wheel.advance(*next, 1'000'000, [](timer_hook&) {});
        seen.push_back({next->count, r.fired, r.moved});
        if (seen.size() > 1000) break;
    }
    return seen;
}

TEST(hashed_wheel, a_timer_within_one_lap_is_never_moved) {
    for (const std::uint64_t start : {0U, 1U, 300U, 511U, 512U, 1'000'003U}) {
        hashed_wheel<512> wheel(tick{start});
        std::deque<timer_hook> hooks(512);
        for (std::uint64_t i = 0; i < 512; ++i) wheel.schedule(hooks[i], tick{start + 1 + i});
        std::size_t fired = 0;
        for (std::uint64_t now = start + 1; now <= start + 512; ++now) {
            const advance_result r = wheel.advance(tick{now}, 10, [](timer_hook&) {});
            ASSERT_EQ(r.fired, 1U);
            ASSERT_EQ(r.moved, 0U);
            fired += r.fired;
        }
        EXPECT_EQ(fired, 512U);
    }
}

TEST(hashed_wheel, a_timer_of_a_later_round_is_put_back_when_its_slot_fires) {
    hashed_wheel<60> wheel;
    timer_hook this_round;
    timer_hook next_round;
    timer_hook third_round;
    wheel.schedule(third_round, tick{130});
    wheel.schedule(this_round, tick{10});
    wheel.schedule(next_round, tick{70});
    EXPECT_EQ(wheel.rounds(this_round.due()), 0U);
    EXPECT_EQ(wheel.rounds(next_round.due()), 1U);
    EXPECT_EQ(wheel.rounds(third_round.due()), 2U);
    EXPECT_EQ(wheel.occupancy(10), 3U);
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{10, 1, 2}, {70, 1, 1}, {130, 1, 0}}));
}

TEST(hashed_wheel, rounds_in_which_a_slot_has_nothing_due_pass_it_by) {
    hashed_wheel<8> wheel;
    timer_hook far;
    wheel.schedule(far, tick{8'000'000'000'003});
    EXPECT_EQ(wheel.rounds(far.due()), 1'000'000'000'000U);
    for (std::uint64_t now = 1; now <= 100; ++now) {
        ASSERT_EQ(wheel.advance(tick{now}, 10, [](timer_hook&) {}).moved, 0U);
    }
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{8'000'000'000'003, 1, 0}}));
}

TEST(hashed_wheel, a_jump_over_many_rounds_fires_in_the_order_of_ticks) {
    hashed_wheel<8> wheel;
    std::deque<timer_hook> hooks(500);
    for (std::size_t i = 0; i < hooks.size(); ++i)
        wheel.schedule(hooks[i], tick{1 + i * 7919 % 5000});
    std::uint64_t last = 0;
    std::size_t fired = 0;
    const auto sink = [&](timer_hook& hook) {
        ASSERT_EQ(hook.due(), wheel.cursor());
        ASSERT_LE(last, hook.due().count);
        last = hook.due().count;
        ++fired;
    };
    while (!wheel.advance(tick{1'000'000}, 33, sink).drained) ASSERT_TRUE(wheel.check_invariants());
    EXPECT_EQ(fired, hooks.size());
}

TEST(hashed_wheel, a_timer_is_looked_at_no_more_than_once_for_each_tick_that_its_slot_fires) {
    hashed_wheel<4> wheel;
    std::deque<timer_hook> hooks(10);
    for (std::size_t i = 0; i < 10; ++i) wheel.schedule(hooks[i], tick{4 * (i + 1)});
    timer_hook far;
    wheel.schedule(far, tick{4'000'000'000});
    const stops seen = run_by_wakeups(wheel);
    ASSERT_EQ(seen.size(), 11U) << "the ticks at which something is due, and no other";
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(seen[i], (stop{4 * (i + 1), 1, 10 - i}));
}

TEST(hashed_wheel, a_cancelled_first_timer_costs_at_most_one_wake_up) {
    hashed_wheel<60> wheel;
    timer_hook first;
    timer_hook second;
    wheel.schedule(first, tick{10});
    wheel.schedule(second, tick{310});
    wheel.cancel(first);
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{10, 0, 1}, {310, 1, 0}}));
}

TEST(hashed_wheel, a_slot_that_was_emptied_costs_none) {
    hashed_wheel<60> wheel;
    timer_hook first;
    timer_hook second;
    timer_hook third;
    wheel.schedule(first, tick{10});
    wheel.schedule(third, tick{500});
    wheel.cancel(first);
    EXPECT_EQ(wheel.next_wakeup(), tick{500});
    wheel.schedule(second, tick{310});
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{310, 1, 0}, {500, 1, 0}}));
}

TEST(hashed_wheel, moving_later_is_one_move_when_the_old_slot_comes_round) {
    hashed_wheel<60> wheel;
    timer_hook idle;
    wheel.schedule(idle, tick{30});
    for (std::uint64_t packet = 1; packet <= 29; ++packet) {
        ASSERT_EQ(wheel.advance(tick{packet}, 10, [](timer_hook&) {}).fired, 0U);
        wheel.reschedule(idle, tick{packet + 30});
        ASSERT_EQ(wheel.occupancy(30), 1U) << "only the hook was written";
    }
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{30, 0, 1}, {59, 1, 0}}));
}

TEST(hashed_wheel, a_move_to_an_earlier_round_of_the_same_slot_is_seen) {
    hashed_wheel<60> wheel;
    timer_hook hook;
    wheel.schedule(hook, tick{610});
    wheel.reschedule(hook, tick{70});
    ASSERT_TRUE(wheel.check_invariants());
    EXPECT_EQ(run_by_wakeups(wheel), (stops{{70, 1, 0}}));
}

TEST(hashed_wheel, moves_are_bounded_by_the_budget_and_resumed) {
    hashed_wheel<60> wheel;
    std::deque<timer_hook> hooks(1000);
    for (std::size_t i = 0; i < hooks.size(); ++i) {
        wheel.schedule(hooks[i], tick{i % 2 == 0 ? 10U : 70U});
    }
    std::size_t moved = 0;
    std::size_t fired = 0;
    while (true) {
        const advance_result r = wheel.advance(tick{20}, 7, [](timer_hook&) {});
        ASSERT_TRUE(wheel.check_invariants());
        fired += r.fired;
        moved += r.moved;
        ASSERT_EQ(wheel.occupancy(10), 1000 - fired);
        if (r.drained) break;
        ASSERT_EQ(r.fired + r.moved, 7U);
        ASSERT_EQ(wheel.next_wakeup(), wheel.cursor()) << "work is left: at once";
    }
    EXPECT_EQ(fired, 500U);
    EXPECT_EQ(moved, 500U);
    wheel.clear();
}

TEST(hashed_wheel, a_sink_may_schedule_into_the_slot_that_is_drained) {
    hashed_wheel<16> wheel;
    std::deque<timer_hook> hooks(20);
    for (timer_hook& hook : hooks) wheel.schedule(hook, tick{5});
    const auto again = [&](timer_hook& hook) {
        wheel.schedule(hook, tick{wheel.cursor().count + 16});
    };
    for (const std::uint64_t now : {5U, 21U, 37U}) {
        const advance_result r = wheel.advance(tick{now}, 1000, again);
        EXPECT_EQ(r.fired, 20U);
        EXPECT_EQ(r.moved, 0U);
        ASSERT_TRUE(wheel.check_invariants());
    }
    EXPECT_EQ(wheel.occupancy(5), 20U);
    wheel.clear();
}

TEST(hashed_wheel, the_rest_of_a_slot_that_is_being_drained_can_be_cancelled) {
    hashed_wheel<16> wheel;
    std::deque<timer_hook> hooks(1000);
    for (std::size_t i = 0; i < 1000; ++i) wheel.schedule(hooks[i], tick{i % 2 == 0 ? 5U : 21U});
    ASSERT_FALSE(wheel.advance(tick{5}, 100, [](timer_hook&) {}).drained);
    for (timer_hook& hook : hooks) wheel.cancel(hook);
    EXPECT_TRUE(wheel.check_invariants());
    EXPECT_EQ(wheel.next_wakeup(), std::nullopt);
    wheel.schedule(hooks[0], tick{21});
    EXPECT_EQ(run_by_wakeups(wheel).back(), (stop{21, 1, 0}));
}

TEST(hashed_wheel, occupancy_tells_where_timers_wait) {
    std::deque<timer_hook> hooks(5);
    hashed_wheel<60> wheel(tick{100});
    const std::uint64_t dues[] = {5, 100, 101, 161, 102};
    for (std::size_t i = 0; i < hooks.size(); ++i) wheel.schedule(hooks[i], tick{dues[i]});
    EXPECT_EQ(wheel.places(), 61U);
    EXPECT_EQ(wheel.occupancy(101 % 60), 2U);
    EXPECT_EQ(wheel.occupancy(102 % 60), 1U);
    EXPECT_EQ(wheel.occupancy(60), 2U) << "late";
}

TEST(hashed_wheel, order_of_scheduling_is_kept_in_a_tick_while_nothing_is_cancelled) {
    hashed_wheel<60> wheel;
    std::deque<timer_hook> hooks(100);
    for (timer_hook& hook : hooks) wheel.schedule(hook, tick{7500});
    std::vector<timer_hook*> order;
    const auto sink = [&](timer_hook& hook) { order.push_back(&hook); };
    ASSERT_TRUE(wheel.advance(tick{8000}, 1000, sink).drained);
    ASSERT_EQ(order.size(), hooks.size());
    for (std::size_t i = 0; i < hooks.size(); ++i) EXPECT_EQ(order[i], &hooks[i]);
}

TEST(hashed_wheel, may_have_as_many_slots_as_hooks_can_tell_apart) {
    const auto wheel = std::make_unique<hashed_wheel<65'533>>();
    std::deque<timer_hook> hooks(3);
    wheel->schedule(hooks[0], tick{65'532});
    wheel->schedule(hooks[1], tick{65'533});
    wheel->schedule(hooks[2], tick{65'533 + 65'532});
    EXPECT_EQ(run_by_wakeups(*wheel), (stops{{65'532, 1, 1}, {65'533, 1, 0}, {131'065, 1, 0}}));
    EXPECT_TRUE(wheel->check_invariants());
}

}  // namespace
}  // namespace foliot
