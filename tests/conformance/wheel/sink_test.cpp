// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// What a sink may do while its queue is advancing, for every model.
#include "conformance/wheel/queue_driver.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <vector>

namespace foliot::test {
namespace {

template <class Queue>
class wheel_sink : public testing::Test {};
TYPED_TEST_SUITE(wheel_sink, queues);

TYPED_TEST(wheel_sink, cancelling_a_timer_of_the_same_tick_stops_it) {
    for (const std::uint64_t due : {0U, 1U, 100U, 70'000U}) {
        std::vector<std::unique_ptr<entry>> entries;
        TypeParam queue;
        for (int i = 0; i < 20; ++i) {
            entries.push_back(std::make_unique<entry>(i));
            queue.schedule(*entries.back(), tick{due});
        }
        int cancelled = 0;
        const firings seen = fire(queue, 100'000, no_limit, [&](entry& fired) {
            for (std::unique_ptr<entry>& e : entries) {
                if (!e || e.get() == &fired || !e->armed() || e->id % 2 == 0) continue;
                ASSERT_TRUE(queue.cancel(*e));
                e.reset();  // freed at once
                ++cancelled;
            }
        });
        EXPECT_EQ(seen.size() + static_cast<std::size_t>(cancelled), 20U);
        EXPECT_GE(cancelled, 9);
        for (const firing& f : seen) ASSERT_TRUE(f.id % 2 == 0 || &f == &seen.front());
        ASSERT_TRUE(queue.empty());
    }
}

TYPED_TEST(wheel_sink, may_free_the_timer_that_it_is_given) {
    TypeParam queue;
    for (int i = 0; i < 200; ++i) {
        queue.schedule(*new entry(i), tick{static_cast<std::uint64_t>(i) % 7 * 50});
    }
    const firings seen = fire(queue, 1000, 3, [](entry& e) { delete &e; });
    EXPECT_EQ(seen.size(), 200U);
}

TYPED_TEST(wheel_sink, a_timer_that_reschedules_itself_for_now_waits_for_the_next_pass) {
    entry e(1);
    TypeParam queue;
    queue.schedule(e, tick{5});
    const auto again = [&](entry& fired) { queue.schedule(fired, tick{5}); };
    EXPECT_EQ(fire(queue, 10, no_limit, again), (firings{{1, 5}}));
    EXPECT_EQ(queue.next_wakeup(), tick{10});
    EXPECT_EQ(fire(queue, 10, no_limit, again), (firings{{1, 10}})) << "once a pass";
    queue.cancel(e);
}

TYPED_TEST(wheel_sink, timers_that_reschedule_themselves_for_now_hold_nobody_up) {
    for (const std::size_t budget : {1U, 2U, 3U}) {
        std::deque<entry> eager(3);
        TypeParam queue;
        for (entry& e : eager) queue.schedule(e, tick{0});
        entry other(7);
        queue.schedule(other, tick{50});
        int calls = 0;
        while (other.armed() && calls < 100) {
            const auto r = queue.advance(tick{60}, budget, [&](timer_hook& hook) {
                if (entry_of(hook).id != 7) queue.schedule(hook, tick{0});
            });
            ASSERT_LE(r.fired + r.moved, budget);
            ++calls;
        }
        EXPECT_FALSE(other.armed()) << "starved with a budget of " << budget;
        queue.clear();
    }
}

TYPED_TEST(wheel_sink, what_it_schedules_for_a_later_tick_up_to_now_fires_in_the_same_pass) {
    entry e(1);
    TypeParam queue;
    queue.schedule(e, tick{1});
    const firings seen = fire(queue, 300, no_limit, [&](entry& fired) {
        queue.schedule(fired, tick{queue.cursor().count + 1});
    });
    ASSERT_EQ(seen.size(), 300U);
    for (std::uint64_t i = 0; i < 300; ++i) ASSERT_EQ(seen[i], (firing{1, i + 1}));
    EXPECT_TRUE(e.armed());
    queue.cancel(e);
}

TYPED_TEST(wheel_sink, may_schedule_for_any_due) {
    for (const std::uint64_t delay : edge_delays()) {
        entry first(1);
        entry second(2);
        TypeParam queue;
        queue.schedule(first, tick{77});
        fire(queue, 77, no_limit,
             [&](entry&) { queue.schedule(second, saturating_add(queue.cursor(), delay)); });
        const std::uint64_t due = second.due().count;
        if (due > 77) {
            ASSERT_EQ(fire(queue, due - 1), firings{}) << delay;
        }
        ASSERT_EQ(fire(queue, due), (firings{{2, due}})) << delay;
    }
}

TYPED_TEST(wheel_sink, may_grow_the_storage_under_the_running_pass) {
    std::deque<entry> entries;
    TypeParam queue;
    for (int i = 0; i < 10; ++i) queue.schedule(entries.emplace_back(i), tick{10});
    const firings seen = fire(queue, 11, no_limit, [&](entry& fired) {
        if (fired.id >= 10) return;
        for (int i = 0; i < 500; ++i) {
            queue.schedule(entries.emplace_back(10 + i), tick{i % 2 == 0 ? 10U : 11U});
        }
    });
    EXPECT_EQ(seen.size(), 10U + 10U * 250U)
        << "those for tick 11; tick 10 waits for the next pass";
    EXPECT_EQ(fire(queue, 11).size(), 10U * 250U);
}

TYPED_TEST(wheel_sink, may_move_a_timer_of_the_same_tick_later_or_keep_it) {
    std::deque<entry> entries;
    TypeParam queue;
    for (int i = 0; i < 4; ++i) queue.schedule(entries.emplace_back(i), tick{10});
    const firings seen = fire(queue, 100, no_limit, [&](entry& fired) {
        if (fired.id != 0) return;
        queue.reschedule(entries[1], tick{50});
        queue.reschedule(entries[2], tick{3});  // as due as before
        queue.reschedule(entries[3], tick{1000});
    });
    EXPECT_EQ(seen, (firings{{0, 10}, {2, 10}, {1, 50}}));
    EXPECT_EQ(fire(queue, 1000), (firings{{3, 1000}}));
}

TYPED_TEST(wheel_sink, a_late_timer_moved_to_a_tick_of_the_running_pass_fires_in_it) {
    entry first(1);
    entry other(2);
    TypeParam queue;
    queue.schedule(first, tick{10});
    const firings seen = fire(queue, 100, no_limit, [&](entry& fired) {
        if (fired.id != 1) return;
        queue.schedule(other, tick{4});
        queue.reschedule(other, tick{60});
    });
    EXPECT_EQ(seen, (firings{{1, 10}, {2, 60}}));
}

TYPED_TEST(wheel_sink, moving_a_timer_there_and_back_within_its_tick_loses_nothing) {
    std::deque<entry> entries;
    TypeParam queue;
    for (int i = 0; i < 3; ++i) queue.schedule(entries.emplace_back(i), tick{10});
    const firings seen = fire(queue, 20, no_limit, [&](entry& fired) {
        if (fired.id != 0) return;
        queue.reschedule(entries[1], tick{15});
        queue.reschedule(entries[1], tick{12});
        queue.reschedule(entries[2], tick{500});
        queue.reschedule(entries[2], tick{10});
    });
    EXPECT_EQ(seen, (firings{{0, 10}, {1, 12}}));
    EXPECT_EQ(fire(queue, 20), (firings{{2, 20}})) << "moved to the cursor: the next pass";
}

TYPED_TEST(wheel_sink, a_throwing_sink_harms_no_other_timer) {
    std::deque<entry> entries;
    TypeParam queue;
    for (int i = 0; i < 6; ++i) queue.schedule(entries.emplace_back(i), tick{10});
    std::size_t calls = 0;
    const auto throwing = [&](timer_hook& hook) {
        ++calls;
        if (entry_of(hook).id % 2 == 0) throw std::runtime_error("from the sink");
    };
    int thrown = 0;
    for (int i = 0; i < 10; ++i) {
        try {
            if (queue.advance(tick{20}, 100, throwing).drained) break;
        } catch (const std::runtime_error&) {
            ++thrown;
        }
        ASSERT_TRUE(queue.check_invariants());
    }
    EXPECT_EQ(thrown, 3);
    EXPECT_EQ(calls, 6U);
    EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace foliot::test
