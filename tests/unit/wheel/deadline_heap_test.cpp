// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// What this model does beyond the timer_queue contract: an exact order of ticks, exact wake-ups,
// lazy moves, and storage that follows the number of timers.
#include <foliot/wheel/deadline_heap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <vector>

namespace foliot {
namespace {

std::vector<std::uint64_t> dues_in_firing_order(deadline_heap& heap) {
    std::vector<std::uint64_t> dues;
    const auto sink = [&](timer_hook& hook) { dues.push_back(hook.due().count); };
    EXPECT_TRUE(heap.advance(tick::max(), 10'000'000, sink).drained);
    return dues;
}

TEST(deadline_heap, fires_in_the_order_of_deadlines_after_random_cancels_and_moves) {
    std::mt19937_64 random(5);
    for (const std::size_t count : {1U, 2U, 4U, 5U, 6U, 20U, 21U, 22U, 500U, 3000U}) {
        std::deque<timer_hook> hooks(count);
        deadline_heap heap;
        for (timer_hook& hook : hooks) heap.schedule(hook, tick{1 + random() % 10'000});
        for (std::size_t i = 0; i < count; ++i) {
            timer_hook& hook = hooks[random() % count];
            if (random() % 3 == 0) {
                heap.cancel(hook);
            } else {
                heap.reschedule(hook, tick{1 + random() % 10'000});
            }
        }
        ASSERT_TRUE(heap.check_invariants()) << count;
        const std::size_t pending = heap.size();
        const auto dues = dues_in_firing_order(heap);
        EXPECT_EQ(dues.size(), pending);
        EXPECT_TRUE(std::is_sorted(dues.begin(), dues.end())) << count;
    }
}

TEST(deadline_heap, needs_one_wake_up_however_far_a_timer_is) {
    deadline_heap heap;
    timer_hook far;
    heap.schedule(far, tick::max());
    ASSERT_EQ(heap.next_wakeup(), tick::max());
    EXPECT_EQ(heap.advance(tick::max(), 1, [](timer_hook&) {}).fired, 1U);
}

TEST(deadline_heap, a_cancelled_first_timer_costs_no_wake_up) {
    deadline_heap heap;
    std::deque<timer_hook> hooks(100);
    for (std::size_t i = 0; i < hooks.size(); ++i) heap.schedule(hooks[i], tick{i + 1});
    for (std::size_t i = 0; i < 99; ++i) {
        ASSERT_EQ(heap.next_wakeup(), tick{i + 1});
        heap.cancel(hooks[i]);
    }
    EXPECT_EQ(heap.next_wakeup(), tick{100});
    heap.clear();
}

TEST(deadline_heap, moving_later_is_one_move_when_the_old_due_comes) {
    deadline_heap heap;
    timer_hook idle;
    timer_hook other;
    heap.schedule(idle, tick{30});
    heap.schedule(other, tick{45});
    for (std::uint64_t packet = 1; packet <= 29; ++packet) {
        heap.reschedule(idle, tick{packet + 30});
        ASSERT_EQ(heap.next_wakeup(), tick{30}) << "only the hook was written";
    }
    const advance_result at_30 = heap.advance(tick{30}, 10, [](timer_hook&) {});
    EXPECT_EQ(at_30.fired, 0U);
    EXPECT_EQ(at_30.moved, 1U);
    EXPECT_EQ(heap.next_wakeup(), tick{45});
    EXPECT_EQ(heap.advance(tick{58}, 10, [](timer_hook&) {}).fired, 1U);
    EXPECT_EQ(heap.advance(tick{59}, 10, [](timer_hook&) {}).fired, 1U);
}

TEST(deadline_heap, moves_are_bounded_by_the_budget_and_resumed) {
    deadline_heap heap;
    std::deque<timer_hook> hooks(1000);
    for (timer_hook& hook : hooks) heap.schedule(hook, tick{10});
    for (timer_hook& hook : hooks) heap.reschedule(hook, tick{20});
    std::size_t moved = 0;
    std::size_t fired = 0;
    while (true) {
        const advance_result r = heap.advance(tick{15}, 7, [](timer_hook&) {});
        moved += r.moved;
        fired += r.fired;
        ASSERT_TRUE(heap.check_invariants());
        if (r.drained) break;
        ASSERT_EQ(r.fired + r.moved, 7U);
        ASSERT_EQ(heap.next_wakeup(), heap.cursor()) << "work is left: at once";
    }
    EXPECT_EQ(moved, 1000U);
    EXPECT_EQ(fired, 0U);
    EXPECT_EQ(heap.next_wakeup(), tick{20});
    heap.clear();
}

TEST(deadline_heap, a_move_between_the_old_and_the_last_due_stays_one_write) {
    deadline_heap heap;
    timer_hook hook;
    heap.schedule(hook, tick{10});
    heap.reschedule(hook, tick{50});
    heap.reschedule(hook, tick{30});
    EXPECT_EQ(heap.next_wakeup(), tick{10});
    heap.reschedule(hook, tick{5});
    EXPECT_EQ(heap.next_wakeup(), tick{5}) << "earlier than the entry: it goes up";
    EXPECT_EQ(heap.advance(tick{5}, 10, [](timer_hook&) {}).fired, 1U);
}

TEST(deadline_heap, late_hooks_fire_in_the_order_of_scheduling) {
    deadline_heap heap(tick{100});
    std::deque<timer_hook> hooks(50);
    for (std::size_t i = 0; i < hooks.size(); ++i) heap.schedule(hooks[i], tick{100 - i});
    EXPECT_EQ(heap.occupancy(0), 0U);
    EXPECT_EQ(heap.occupancy(1), 50U);
    std::vector<timer_hook*> order;
    const auto sink = [&](timer_hook& hook) { order.push_back(&hook); };
    ASSERT_TRUE(heap.advance(tick{100}, 1000, sink).drained);
    ASSERT_EQ(order.size(), hooks.size());
    for (std::size_t i = 0; i < hooks.size(); ++i) EXPECT_EQ(order[i], &hooks[i]);
}

TEST(deadline_heap, storage_follows_the_number_of_timers_up_and_down) {
    constexpr std::size_t block = 1024;
    constexpr std::size_t count = 100'000;
    deadline_heap heap;
    std::deque<timer_hook> hooks(count);
    EXPECT_EQ(heap.capacity(), 0U);
    for (std::size_t i = 0; i < count; ++i) {
        heap.schedule(hooks[i], tick{1 + i * 7919 % count});
        ASSERT_GE(heap.capacity(), heap.size());
        ASSERT_LE(heap.capacity(), std::max(2 * heap.size() + 16, heap.size() + block));
    }
    ASSERT_TRUE(heap.check_invariants());
    for (std::size_t i = 0; i < count; ++i) {
        heap.cancel(hooks[i]);
        ASSERT_LE(heap.capacity(), heap.size() + 2 * block);
    }
    EXPECT_TRUE(heap.check_invariants());
}

TEST(deadline_heap, a_cancel_and_a_schedule_at_the_edge_of_a_block_keep_the_block) {
    deadline_heap heap;
    std::deque<timer_hook> hooks(4000);
    for (timer_hook& hook : hooks) heap.schedule(hook, tick{9});
    const std::size_t before = heap.capacity();
    while (heap.capacity() == before) heap.schedule(hooks.emplace_back(), tick{9});
    const std::size_t grown = heap.capacity();
    for (int i = 0; i < 10; ++i) {
        heap.cancel(hooks.back());
        ASSERT_EQ(heap.capacity(), grown);
        heap.schedule(hooks.back(), tick{9});
        ASSERT_EQ(heap.capacity(), grown);
    }
    heap.clear();
    EXPECT_EQ(heap.capacity(), 0U);
}

}  // namespace
}  // namespace foliot
