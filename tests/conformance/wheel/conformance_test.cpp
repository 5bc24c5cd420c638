// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// The promises of timer_queue.hpp, one test each, for every model.
#include "conformance/wheel/queue_driver.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace foliot::test {
namespace {

template <class Queue>
class wheel_conformance : public testing::Test {};
TYPED_TEST_SUITE(wheel_conformance, queues);

TYPED_TEST(wheel_conformance, fires_at_its_tick_and_not_one_before) {
    for (const std::uint64_t start : edge_starts()) {
        for (const std::uint64_t delay : edge_delays()) {
            const std::uint64_t due = saturating_add(tick{start}, delay).count;
            if (due <= start) continue;
            entry e(1);
            TypeParam queue(tick{start});
            queue.schedule(e, tick{due});
            ASSERT_EQ(fire(queue, due - 1), firings{}) << start << " + " << delay;
            ASSERT_EQ(fire(queue, due), (firings{{1, due}})) << start << " + " << delay;
            ASSERT_TRUE(queue.empty());
        }
    }
}

TYPED_TEST(wheel_conformance, following_next_wakeup_fires_on_time_with_few_wake_ups) {
    for (const std::uint64_t start : edge_starts()) {
        for (const std::uint64_t delay : edge_delays()) {
            const std::uint64_t due = saturating_add(tick{start}, delay).count;
            if (due <= start) continue;
            entry e(1);
            TypeParam queue(tick{start});
            queue.schedule(e, tick{due});
            int wake_ups = 0;
            firings seen;
            while (const std::optional<tick> next = queue.next_wakeup()) {
                ASSERT_GT(*next, queue.cursor()) << "strictly later than the last wake-up";
                ASSERT_LE(next->count, due);
                seen = fire(queue, next->count);
                ++wake_ups;
            }
            ASSERT_EQ(seen, (firings{{1, due}})) << start << " + " << delay;
            ASSERT_LE(wake_ups, 1 + 64);
        }
    }
}

TYPED_TEST(wheel_conformance, many_timers_fire_each_at_its_tick_lower_ticks_first) {
    for (const std::uint64_t start : edge_starts()) {
        std::deque<entry> entries;
        TypeParam queue(tick{start});
        std::vector<std::uint64_t> expected;
        std::mt19937_64 random(1);
        std::vector<std::uint64_t> delays = edge_delays();
        std::shuffle(delays.begin(), delays.end(), random);
        for (const std::uint64_t delay : delays) {
            const std::uint64_t due = saturating_add(tick{start}, delay).count;
            queue.schedule(entries.emplace_back(static_cast<int>(entries.size())), tick{due});
            expected.push_back(std::max(due, start));
        }
        std::sort(expected.begin(), expected.end());
        const firings seen = fire(queue, tick::max().count);
        ASSERT_EQ(seen.size(), expected.size());
        for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i].at, expected[i]);
        for (const firing& f : seen) {
            const entry& e = entries[static_cast<std::size_t>(f.id)];
            ASSERT_EQ(f.at, std::max(e.due().count, start));
        }
    }
}

TYPED_TEST(wheel_conformance, a_near_timer_is_found_behind_a_far_one_at_every_boundary) {
    for (unsigned power = 1; power < 63; ++power) {
        const std::uint64_t boundary = std::uint64_t{1} << power;
        entry far(1);
        entry near(2);
        TypeParam queue;
        queue.schedule(far, tick{boundary * 2});
        const std::uint64_t just_before = boundary - std::min<std::uint64_t>(boundary / 2, 100);
        ASSERT_EQ(fire(queue, just_before), firings{});
        const std::uint64_t due = std::min(boundary + 233, boundary * 2 - 1);
        queue.schedule(near, tick{due});
        ASSERT_EQ(fire(queue, due), (firings{{2, due}})) << "2^" << power;
        ASSERT_EQ(fire(queue, boundary * 2), (firings{{1, boundary * 2}}));
    }
}

TYPED_TEST(wheel_conformance, a_due_at_or_before_the_cursor_fires_in_the_next_advance) {
    entry zero(1);
    entry at_cursor(2);
    entry next(3);
    TypeParam queue(tick{1000});
    queue.schedule(next, tick{1001});
    queue.schedule(zero, tick{0});
    queue.schedule(at_cursor, tick{1000});
    EXPECT_EQ(queue.next_wakeup(), tick{1000}) << "at once";
    EXPECT_EQ(fire(queue, 1000), (firings{{1, 1000}, {2, 1000}})) << "even if time stands still";
    EXPECT_EQ(fire(queue, 1001), (firings{{3, 1001}}));
}

TYPED_TEST(wheel_conformance, late_timers_fire_before_later_ticks) {
    entry later(1);
    entry late(2);
    TypeParam queue(tick{1000});
    queue.schedule(later, tick{1001});
    queue.schedule(late, tick{5});
    EXPECT_EQ(fire(queue, 2000), (firings{{2, 1000}, {1, 1001}}));
}

TYPED_TEST(wheel_conformance, the_last_tick_of_time_can_be_reached) {
    entry last(1);
    entry late(2);
    TypeParam queue(tick{tick::max().count - 3});
    queue.schedule(last, tick::max());
    EXPECT_EQ(fire(queue, tick::max().count - 1), firings{});
    EXPECT_EQ(fire(queue, tick::max().count), (firings{{1, tick::max().count}}));
    queue.schedule(late, tick::max());
    EXPECT_EQ(fire(queue, tick::max().count), (firings{{2, tick::max().count}}));
}

TYPED_TEST(wheel_conformance, an_earlier_now_is_a_no_op) {
    entry e(1);
    TypeParam queue;
    queue.schedule(e, tick{70});
    EXPECT_EQ(fire(queue, 60), firings{});
    EXPECT_EQ(fire(queue, 59), firings{});
    EXPECT_EQ(fire(queue, 0), firings{});
    EXPECT_EQ(queue.cursor(), tick{60});
    EXPECT_EQ(fire(queue, 69), firings{});
    EXPECT_EQ(fire(queue, 70), (firings{{1, 70}}));
}

TYPED_TEST(wheel_conformance, an_earlier_now_in_an_unfinished_pass_says_that_work_is_left) {
    std::deque<entry> entries(2);
    TypeParam queue;
    for (entry& e : entries) queue.schedule(e, tick{10});
    std::size_t fired = 0;
    const auto sink = [&](timer_hook&) { ++fired; };
    while (fired == 0) ASSERT_FALSE(queue.advance(tick{20}, 1, sink).drained);
    const advance_result back = queue.advance(tick{10}, 100, sink);
    EXPECT_EQ(back.fired, 0U);
    EXPECT_FALSE(back.drained);
    EXPECT_TRUE(queue.advance(tick{20}, 100, sink).drained);
    EXPECT_EQ(fired, 2U);
}

TYPED_TEST(wheel_conformance, advance_stops_at_its_budget_and_resumes_there) {
    for (const std::size_t budget : {1U, 2U, 7U, 100U}) {
        std::deque<entry> entries;
        TypeParam queue;
        for (int i = 0; i < 300; ++i) {
            const std::uint64_t dues[] = {0, 70, 70'000, 70'001};
            queue.schedule(entries.emplace_back(i), tick{dues[i % 4]});
        }
        std::vector<bool> seen(entries.size());
        for (const firing& f : fire(queue, 1'000'000, budget)) {
            ASSERT_FALSE(seen[static_cast<std::size_t>(f.id)]) << "fired twice";
            seen[static_cast<std::size_t>(f.id)] = true;
            ASSERT_EQ(f.at, entries[static_cast<std::size_t>(f.id)].due().count);
        }
        ASSERT_EQ(std::count(seen.begin(), seen.end(), true), 300);
        ASSERT_EQ(queue.cursor(), tick{1'000'000});
    }
}

TYPED_TEST(wheel_conformance, a_budget_of_nothing_does_nothing_and_says_so) {
    entry e(1);
    TypeParam queue;
    queue.schedule(e, tick{5});
    const advance_result r = queue.advance(tick{5}, 0, [](timer_hook&) { FAIL(); });
    EXPECT_EQ(r.fired, 0U);
    EXPECT_FALSE(r.drained);
    EXPECT_EQ(fire(queue, 5), (firings{{1, 5}}));
    EXPECT_TRUE(queue.advance(tick{9}, 0, [](timer_hook&) { FAIL(); }).drained) << "nothing due";
}

TYPED_TEST(wheel_conformance, timers_may_change_between_the_parts_of_a_pass) {
    std::deque<entry> entries;
    entry next_tick(10);
    entry now(11);
    TypeParam queue;
    for (int i = 0; i < 10; ++i) queue.schedule(entries.emplace_back(i), tick{100});
    std::size_t fired = 0;
    const auto count = [&](timer_hook&) { ++fired; };
    while (fired < 3) ASSERT_FALSE(queue.advance(tick{200}, 1, count).drained);
    EXPECT_EQ(queue.next_wakeup(), queue.cursor()) << "work is left: at once";
    std::vector<entry*> left;
    for (entry& e : entries) {
        if (e.armed()) left.push_back(&e);
    }
    ASSERT_EQ(left.size(), 7U);
    EXPECT_TRUE(queue.cancel(*left[6]));
    queue.reschedule(*left[5], tick{150});
    queue.schedule(next_tick, tick{101});
    queue.schedule(now, tick{100});
    ASSERT_TRUE(queue.check_invariants());
    firings rest = fire(queue, 200, 1);
    ASSERT_EQ(rest.size(), 5U + 3U);
    EXPECT_EQ(rest[5], (firing{10, 101}));
    EXPECT_EQ(rest[6], (firing{left[5]->id, 150}));
    EXPECT_EQ(rest[7], (firing{11, 200})) << "scheduled at the cursor: in the next pass";
}

TYPED_TEST(wheel_conformance, empty_ticks_cost_nothing) {
    // Were each tick visited, this would take centuries. The moves are the work that is counted.
    entry e(1);
    TypeParam queue;
    for (std::uint64_t now = 1; now < (std::uint64_t{1} << 62); now *= 2) {
        queue.schedule(e, tick{now * 2});
        std::size_t moved = 0;
        while (true) {
            const advance_result r = queue.advance(tick{now * 2}, 1, [](timer_hook&) {});
            moved += r.moved;
            if (r.drained) break;
        }
        ASSERT_FALSE(e.armed());
        ASSERT_LE(moved, 64U);
    }
}

TYPED_TEST(wheel_conformance, cancel_says_whether_it_was_armed_and_forgets_at_once) {
    TypeParam queue;
    for (const std::uint64_t delay : edge_delays()) {
        auto doomed = std::make_unique<entry>(1);
        auto neighbour = std::make_unique<entry>(2);
        EXPECT_FALSE(queue.cancel(*doomed)) << "never armed";
        queue.schedule(*doomed, tick{delay});
        queue.schedule(*neighbour, tick{delay});
        ASSERT_EQ(queue.size(), 2U);
        EXPECT_TRUE(queue.cancel(*doomed));
        EXPECT_FALSE(queue.cancel(*doomed)) << "not armed any more";
        ASSERT_EQ(queue.size(), 1U);
        doomed.reset();  // AddressSanitizer would see any further access
        ASSERT_TRUE(queue.check_invariants());
        EXPECT_TRUE(queue.cancel(*neighbour));
    }
    EXPECT_EQ(queue.next_wakeup(), std::nullopt);
    EXPECT_EQ(fire(queue, tick::max().count), firings{});
}

TYPED_TEST(wheel_conformance, reschedule_leaves_one_pending_timer_that_fires_once) {
    entry e(1);
    TypeParam queue(tick{10});
    queue.reschedule(e, tick{500});  // arms it
    for (const std::uint64_t due : {700U, 600U, 20U, 1'000'000U, 5U, 90'000U, 30U, 31U}) {
        queue.reschedule(e, tick{due});
        ASSERT_EQ(e.due(), tick{due});
        ASSERT_EQ(queue.size(), 1U);
        ASSERT_TRUE(queue.check_invariants());
        ASSERT_LE(queue.next_wakeup()->count, std::max<std::uint64_t>(due, 10));
    }
    EXPECT_EQ(fire(queue, 30), firings{});
    EXPECT_EQ(fire(queue, 31), (firings{{1, 31}}));
    EXPECT_EQ(fire(queue, 10'000'000), firings{});
}

TYPED_TEST(wheel_conformance, a_timer_moved_to_any_due_from_any_due_fires_at_the_last_one) {
    std::mt19937_64 random(2);
    std::vector<std::uint64_t> delays = edge_delays();
    for (const std::uint64_t first : delays) {
        const std::uint64_t second = delays[random() % delays.size()];
        entry e(1);
        TypeParam queue(tick{77});
        queue.schedule(e, saturating_add(tick{77}, first));
        queue.reschedule(e, saturating_add(tick{77}, second));
        ASSERT_TRUE(queue.check_invariants());
        const std::uint64_t due = e.due().count;
        if (due > 77) {
            ASSERT_EQ(fire(queue, due - 1), firings{}) << first << " to " << second;
        }
        ASSERT_EQ(fire(queue, due), (firings{{1, due}})) << first << " to " << second;
    }
}

TYPED_TEST(wheel_conformance, next_wakeup_is_told_an_earlier_timer_at_once) {
    entry first(1);
    entry second(2);
    TypeParam queue(tick{3});
    EXPECT_EQ(queue.next_wakeup(), std::nullopt);
    queue.schedule(first, tick{10'000});
    EXPECT_LE(*queue.next_wakeup(), tick{10'000});
    queue.schedule(second, tick{600});
    EXPECT_LE(*queue.next_wakeup(), tick{600});
    queue.reschedule(first, tick{4});
    EXPECT_EQ(queue.next_wakeup(), tick{4});
    queue.cancel(first);
    EXPECT_GT(*queue.next_wakeup(), tick{3});
    queue.cancel(second);
    EXPECT_EQ(queue.next_wakeup(), std::nullopt);
}

TYPED_TEST(wheel_conformance, order_is_a_function_of_the_calls_alone) {
    const auto run = [](std::uint64_t address_noise) {
        std::vector<std::unique_ptr<entry>> entries;
        TypeParam queue;
        std::vector<std::unique_ptr<char[]>> noise;
        std::mt19937_64 random(3);
        for (int i = 0; i < 500; ++i) {
            noise.push_back(std::make_unique<char[]>(1 + address_noise * random() % 200));
            entries.push_back(std::make_unique<entry>(i));
            queue.schedule(*entries.back(), tick{random() % 4 * 1000});
            if (i % 3 == 0) queue.cancel(*entries[random() % entries.size()]);
            if (i % 5 == 0) queue.reschedule(*entries[random() % entries.size()], tick{2000});
        }
        return fire(queue, 5000, 3);
    };
    EXPECT_EQ(run(0), run(1));
}

TYPED_TEST(wheel_conformance, for_each_visits_what_is_pending) {
    std::deque<entry> entries;
    TypeParam queue;
    std::vector<int> pending;
    for (const std::uint64_t delay : edge_delays()) {
        const int id = static_cast<int>(entries.size());
        queue.schedule(entries.emplace_back(id), tick{delay});
        if (id % 3 == 0) {
            queue.cancel(entries.back());
        } else {
            pending.push_back(id);
        }
    }
    std::vector<int> seen;
    queue.for_each([&](timer_hook& hook) { seen.push_back(entry_of(hook).id); });
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, pending);
    EXPECT_EQ(queue.size(), pending.size());
    std::size_t in_all_places = 0;
    for (unsigned place = 0; place < queue.places(); ++place) {
        in_all_places += queue.occupancy(place);
    }
    EXPECT_EQ(in_all_places, queue.size());
}

TYPED_TEST(wheel_conformance, for_each_skips_what_an_unfinished_pass_has_fired) {
    std::deque<entry> entries(5);
    TypeParam queue;
    for (entry& e : entries) queue.schedule(e, tick{1});
    ASSERT_FALSE(queue.advance(tick{1}, 2, [](timer_hook&) {}).drained);
    std::size_t seen = 0;
    queue.for_each([&](timer_hook& hook) { seen += hook.armed() ? 1U : 100U; });
    EXPECT_EQ(seen, queue.size());
}

TYPED_TEST(wheel_conformance, clear_disarms_everything_also_in_an_unfinished_pass) {
    std::deque<entry> entries;
    TypeParam queue;
    for (const std::uint64_t delay : edge_delays()) {
        queue.schedule(entries.emplace_back(), tick{delay});
    }
    ASSERT_FALSE(queue.advance(tick{100}, 2, [](timer_hook&) {}).drained);
    queue.clear();
    EXPECT_TRUE(queue.check_invariants());
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.next_wakeup(), std::nullopt);
    for (const entry& e : entries) ASSERT_FALSE(e.armed());
    EXPECT_EQ(fire(queue, tick::max().count), firings{});
}

TYPED_TEST(wheel_conformance, reset_may_go_back_in_time) {
    entry e(1);
    TypeParam queue(tick{1'000'000});
    queue.schedule(e, tick{2'000'000});
    queue.reset(tick{5});
    EXPECT_FALSE(e.armed());
    EXPECT_EQ(queue.cursor(), tick{5});
    queue.schedule(e, tick{7});
    EXPECT_EQ(fire(queue, 6), firings{});
    EXPECT_EQ(fire(queue, 7), (firings{{1, 7}}));
}

TYPED_TEST(wheel_conformance, destroying_the_queue_disarms_its_hooks) {
    std::deque<entry> entries;
    {
        TypeParam queue;
        for (const std::uint64_t delay : edge_delays()) {
            queue.schedule(entries.emplace_back(), tick{delay});
        }
    }
    for (const entry& e : entries) EXPECT_FALSE(e.armed());
}

}  // namespace
}  // namespace foliot::test
