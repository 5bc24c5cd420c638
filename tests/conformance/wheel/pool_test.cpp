// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// The promises of timer_queue.hpp again, where timers are reached through the ids of a timer_pool.
#include "conformance/wheel/queue_driver.hpp"

#include <foliot/wheel/timer_pool.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

namespace foliot::test {
namespace {

using payload = std::unique_ptr<int>;  // one that cannot be copied

payload made(int id) { return std::make_unique<int>(id); }

template <class Queue>
class pool_conformance : public testing::Test {
protected:
    using pool_type = timer_pool<payload, Queue>;

    template <class Then>
    static firings fire(pool_type& pool, std::uint64_t now, std::size_t budget, Then then) {
        firings seen;
        while (true) {
            const advance_result r = pool.advance(tick{now}, budget, [&](timer_id id, payload&& p) {
                EXPECT_EQ(pool.find(id), nullptr) << "the id is gone when the sink runs";
                seen.push_back({*p, pool.cursor().count});
                then(id, *p);
            });
            EXPECT_LE(r.fired + r.moved, budget);
            EXPECT_TRUE(pool.check_invariants());
            if (r.drained) return seen;
            if (r.fired + r.moved == 0) throw std::logic_error("advance neither works nor ends");
        }
    }
    static firings fire(pool_type& pool, std::uint64_t now, std::size_t budget = no_limit) {
        return fire(pool, now, budget, [](timer_id, int) {});
    }
};
using one_of_each =
    testing::Types<hierarchical_wheel<60, 4>, hashed_wheel<60>, bucket_queue_of<20>, deadline_heap>;
TYPED_TEST_SUITE(pool_conformance, one_of_each);

TYPED_TEST(pool_conformance, fires_at_its_tick_and_not_one_before) {
    for (const std::uint64_t start : edge_starts()) {
        for (const std::uint64_t delay : edge_delays()) {
            const tick due = saturating_add(tick{start}, delay);
            if (due.count <= start) continue;
            timer_pool<payload, TypeParam> pool(tick{start});
            (void)pool.schedule(due, made(1));
            ASSERT_EQ(this->fire(pool, due.count - 1), firings{}) << start << " + " << delay;
            ASSERT_EQ(this->fire(pool, due.count), (firings{{1, due.count}}));
            ASSERT_TRUE(pool.empty());
        }
    }
}

TYPED_TEST(pool_conformance, lower_ticks_fire_first_in_parts_of_any_budget) {
    for (const std::size_t budget : {1U, 7U, 1000U}) {
        timer_pool<payload, TypeParam> pool(tick{100});
        std::vector<std::uint64_t> expected;
        for (const std::uint64_t delay : edge_delays()) {
            (void)pool.schedule(tick{delay}, made(static_cast<int>(expected.size())));
            expected.push_back(std::max<std::uint64_t>(delay, 100));
        }
        std::sort(expected.begin(), expected.end());
        const firings seen = this->fire(pool, tick::max().count, budget);
        ASSERT_EQ(seen.size(), expected.size());
        for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i].at, expected[i]);
    }
}

TYPED_TEST(pool_conformance, cancel_and_reschedule_are_exact_and_at_once) {
    timer_pool<payload, TypeParam> pool;
    const timer_id cancelled = pool.schedule(tick{500}, made(1));
    const timer_id later = pool.schedule(tick{500}, made(2));
    const timer_id earlier = pool.schedule(tick{500}, made(3));
    EXPECT_EQ(pool.size(), 3U);
    EXPECT_TRUE(pool.cancel(cancelled));
    EXPECT_FALSE(pool.cancel(cancelled));
    EXPECT_FALSE(pool.reschedule(cancelled, tick{9}));
    EXPECT_TRUE(pool.reschedule(later, tick{70'000}));
    EXPECT_TRUE(pool.reschedule(earlier, tick{20}));
    EXPECT_EQ(pool.size(), 2U);
    EXPECT_LE(*pool.next_wakeup(), tick{20});
    EXPECT_EQ(this->fire(pool, 69'999), (firings{{3, 20}}));
    EXPECT_EQ(this->fire(pool, 70'000), (firings{{2, 70'000}}));
    EXPECT_EQ(pool.next_wakeup(), std::nullopt);
}

TYPED_TEST(pool_conformance, a_due_at_or_before_the_cursor_fires_in_the_next_advance) {
    timer_pool<payload, TypeParam> pool(tick{1000});
    (void)pool.schedule(tick{0}, made(1));
    EXPECT_EQ(pool.next_wakeup(), tick{1000});
    EXPECT_EQ(this->fire(pool, 1000), (firings{{1, 1000}}));
}

TYPED_TEST(pool_conformance, an_earlier_now_is_a_no_op) {
    timer_pool<payload, TypeParam> pool(tick{60});
    (void)pool.schedule(tick{70}, made(1));
    EXPECT_EQ(this->fire(pool, 59), firings{});
    EXPECT_EQ(pool.cursor(), tick{60});
    EXPECT_EQ(this->fire(pool, 70), (firings{{1, 70}}));
}

TYPED_TEST(pool_conformance, the_sink_may_cancel_and_move_timers_of_the_same_tick) {
    timer_pool<payload, TypeParam> pool;
    std::vector<timer_id> ids;
    for (int i = 0; i < 30; ++i) ids.push_back(pool.schedule(tick{10}, made(i)));
    const auto change = [&](timer_id self, int) {
        EXPECT_FALSE(pool.cancel(self));
        EXPECT_FALSE(pool.reschedule(self, tick{11}));
        if (pool.size() != 29) return;  // the first one changes the others
        int changed = 0;
        for (const timer_id id : ids) {
            if (id == self) continue;
            if (++changed % 2 == 0) {
                EXPECT_TRUE(pool.cancel(id));
            } else {
                EXPECT_TRUE(pool.reschedule(id, tick{50}));
            }
        }
    };
    const firings seen = this->fire(pool, 100, no_limit, change);
    ASSERT_EQ(seen.size(), 1U + 15U);
    for (std::size_t i = 1; i < seen.size(); ++i) ASSERT_EQ(seen[i].at, 50U);
    EXPECT_TRUE(pool.empty());
}

TYPED_TEST(pool_conformance, the_sink_may_schedule_while_the_storage_grows) {
    timer_pool<payload, TypeParam> pool;
    for (int i = 0; i < 10; ++i) (void)pool.schedule(tick{10}, made(i));
    const firings seen = this->fire(pool, 11, no_limit, [&](timer_id, int id) {
        if (id >= 10) return;
        for (int i = 0; i < 500; ++i) {
            (void)pool.schedule(tick{i % 2 == 0 ? 10U : 11U}, made(10 + i));
        }
    });
    EXPECT_EQ(seen.size(), 10U + 10U * 250U);
    EXPECT_EQ(this->fire(pool, 11).size(), 10U * 250U) << "tick 10 waits for the next pass";
}

TYPED_TEST(pool_conformance, a_timer_scheduled_anew_with_no_delay_holds_nobody_up) {
    timer_pool<payload, TypeParam> pool;
    (void)pool.schedule(tick{0}, made(1));
    (void)pool.schedule(tick{50}, made(7));
    bool other_fired = false;
    for (int calls = 0; calls < 100 && !other_fired; ++calls) {
        (void)pool.advance(tick{60}, 1, [&](timer_id, payload&& p) {
            other_fired = *p == 7;
            if (*p == 1) (void)pool.schedule(tick{0}, std::move(p));
        });
    }
    EXPECT_TRUE(other_fired);
    EXPECT_EQ(pool.size(), 1U);
}

TYPED_TEST(pool_conformance, a_throwing_sink_harms_no_other_timer) {
    timer_pool<payload, TypeParam> pool;
    for (int i = 0; i < 6; ++i) (void)pool.schedule(tick{10}, made(i));
    int thrown = 0;
    std::vector<int> seen;
    for (bool drained = false; !drained;) {
        try {
            drained = pool.advance(tick{20}, 100,
                                   [&](timer_id, payload&& p) {
                                       seen.push_back(*p);
                                       if (*p % 2 == 0) throw std::runtime_error("from the sink");
                                   })
                          .drained;
        } catch (const std::runtime_error&) {
            ++thrown;
        }
        ASSERT_TRUE(pool.check_invariants()) << "the cell of the one that threw is free again";
    }
    EXPECT_EQ(thrown, 3);
    EXPECT_EQ(seen.size(), 6U);
    EXPECT_TRUE(pool.empty());
}

TYPED_TEST(pool_conformance, for_each_and_occupancy_see_what_is_pending) {
    timer_pool<payload, TypeParam> pool(tick{100});
    std::vector<timer_id> ids;
    for (const std::uint64_t delay : edge_delays()) {
        ids.push_back(pool.schedule(tick{delay}, made(1)));
        if (ids.size() % 3 == 0) {
            EXPECT_TRUE(pool.cancel(ids.back()));
            ids.pop_back();
        }
    }
    std::vector<timer_id> visited;
    pool.for_each([&](timer_id id, tick due, const payload& p) {
        EXPECT_EQ(pool.due(id), due);
        EXPECT_EQ(*p, 1);
        visited.push_back(id);
    });
    std::sort(visited.begin(), visited.end());
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(visited, ids);
    std::size_t sum = 0;
    for (unsigned place = 0; place < pool.places(); ++place) sum += pool.occupancy(place);
    EXPECT_EQ(sum, pool.size());
}

TYPED_TEST(pool_conformance, clear_makes_all_ids_gone_also_in_an_unfinished_pass) {
    timer_pool<payload, TypeParam> pool;
    std::vector<timer_id> ids;
    for (const std::uint64_t delay : edge_delays()) {
        ids.push_back(pool.schedule(tick{delay}, made(1)));
    }
    EXPECT_FALSE(pool.advance(tick{100}, 2, [](timer_id, payload&&) {}).drained);
    pool.clear();
    EXPECT_TRUE(pool.empty());
    EXPECT_TRUE(pool.check_invariants());
    for (const timer_id id : ids) ASSERT_FALSE(pool.cancel(id));
    EXPECT_EQ(this->fire(pool, tick::max().count), firings{});
}

TEST(pool_of_a_queue_with_options, passes_them_on) {
    timer_pool<payload, bucket_queue_wheel> pool(
        tick{}, bucket_queue_options{.ticks_per_bucket = 10, .wheel_size = 20});
    (void)pool.schedule(tick{5}, made(1));
    EXPECT_EQ(pool.next_wakeup(), tick{10}) << "the end of its bucket";
}

}  // namespace
}  // namespace foliot::test
