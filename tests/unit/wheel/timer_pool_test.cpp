// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/wheel/timer_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

#include <malloc.h>

namespace foliot::detail {

// Lets a test make a cell as old as it would be after years.
struct timer_pool_access {
    template <class Pool>
    static timer_id age(Pool& pool, timer_id id, std::uint32_t generation) {
        auto* const c = pool.pending(id);
        c->generation = generation;
        return c->id();
    }
};

}  // namespace foliot::detail

namespace foliot::test {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

// A payload that is counted, and that does something when it goes away.
struct counted {
    explicit counted(int& count, std::function<void()> at_end_ = {})
        : alive(&count), at_end(std::move(at_end_)) {
        ++*alive;
    }
    counted(counted&& other) noexcept : alive(other.alive), at_end(std::move(other.at_end)) {
        other.at_end = nullptr;
        ++*alive;
    }
    counted& operator=(counted&&) = delete;
    ~counted() {
        --*alive;
        if (at_end) at_end();
    }

    int* alive;
    std::function<void()> at_end;
};
using counted_pool = timer_pool<counted>;

template <class Pool>
std::size_t fire(Pool& pool, std::uint64_t now) {
    const advance_result r = pool.advance(tick{now}, no_limit, [](timer_id, auto&&) {});
    EXPECT_TRUE(pool.check_invariants());
    return r.fired;
}

TEST(timer_id, a_default_one_names_nothing) {
    int alive = 0;
    counted_pool pool;
    EXPECT_FALSE(timer_id{});
    EXPECT_FALSE(pool.cancel({}));
    EXPECT_EQ(pool.find({}), nullptr);
    const timer_id first = pool.emplace(tick{5}, alive);
    EXPECT_TRUE(first);
    EXPECT_NE(first, timer_id{});
    EXPECT_EQ(timer_id{first.word()}, first);
    EXPECT_FALSE(pool.cancel({}));
    EXPECT_EQ(std::unordered_set<timer_id>({first, timer_id{}}).count(first), 1U);
}

TEST(timer_pool, a_timer_lives_from_schedule_until_it_fires) {
    int alive = 0;
    counted_pool pool;
    const timer_id id = pool.schedule(tick{50}, counted(alive));
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(pool.find(id)->alive, &alive);
    EXPECT_EQ(pool.due(id), tick{50});
    EXPECT_TRUE(pool.reschedule(id, tick{70}));
    EXPECT_EQ(pool.due(id), tick{70});
    EXPECT_EQ(fire(pool, 69), 0U);
    EXPECT_EQ(fire(pool, 70), 1U);
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(pool.find(id), nullptr);
    EXPECT_EQ(pool.due(id), std::nullopt);
    EXPECT_FALSE(pool.reschedule(id, tick{90}));
    EXPECT_FALSE(pool.cancel(id));
}

TEST(timer_pool, a_stale_id_never_touches_the_next_timer_of_its_cell) {
    int alive = 0;
    counted_pool pool;
    std::vector<timer_id> stale;
    for (int i = 0; i < 100; ++i) {
        const timer_id id = pool.emplace(tick{50}, alive);
        for (const timer_id old : stale) {
            ASSERT_EQ(old.index(), id.index()) << "or this tests nothing";
            ASSERT_FALSE(pool.cancel(old));
            ASSERT_FALSE(pool.reschedule(old, tick{1}));
            ASSERT_EQ(pool.find(old), nullptr);
        }
        ASSERT_EQ(pool.due(id), tick{50});
        ASSERT_TRUE(pool.cancel(id));
        stale.push_back(id);
    }
}

TEST(timer_pool, ids_that_were_never_given_out_are_gone) {
    int alive = 0;
    counted_pool pool;
    const timer_id id = pool.emplace(tick{50}, alive);
    for (std::uint32_t generation = 0; generation < 8; ++generation) {
        for (const std::uint32_t index : {0U, 1U, 511U, 512U, 1U << 20, ~0U}) {
            const timer_id forged(index, generation);
            if (forged != id) {
                ASSERT_FALSE(pool.cancel(forged)) << index << " " << generation;
            }
        }
    }
    EXPECT_EQ(pool.size(), 1U);
}

TEST(timer_pool, a_cell_out_of_generations_is_retired) {
    int alive = 0;
    counted_pool pool;
    const timer_id young = pool.emplace(tick{50}, alive);
    const timer_id neighbour = pool.emplace(tick{50}, alive);
    const timer_id last = detail::timer_pool_access::age(pool, young, ~0U);
    EXPECT_TRUE(pool.cancel(last));
    EXPECT_TRUE(pool.check_invariants());
    std::vector<timer_id> fresh;
    for (int i = 0; i < 3000; ++i) {
        fresh.push_back(pool.emplace(tick{60}, alive));
        ASSERT_NE(fresh.back().index(), last.index());
    }
    EXPECT_FALSE(pool.cancel(young));
    EXPECT_FALSE(pool.cancel(last));
    EXPECT_TRUE(pool.check_invariants());
    const std::uint32_t worn_slab = neighbour.index() - young.index();
    EXPECT_EQ(worn_slab, 1U) << "cells of one slab";
    // Its slab is given back, and its number is not used again.
    for (const timer_id id : fresh) ASSERT_TRUE(pool.cancel(id));
    EXPECT_TRUE(pool.cancel(neighbour));
    EXPECT_TRUE(pool.check_invariants());
    for (int i = 0; i < 3000; ++i) {
        ASSERT_NE(pool.emplace(tick{60}, alive).index(), last.index());
    }
    EXPECT_TRUE(pool.check_invariants());
}

TEST(timer_pool, a_cell_one_timer_before_its_end_is_used_once_more) {
    int alive = 0;
    counted_pool pool;
    const timer_id id = detail::timer_pool_access::age(pool, pool.emplace(tick{5}, alive), ~0U - 2);
    EXPECT_TRUE(pool.cancel(id));
    const timer_id last = pool.emplace(tick{5}, alive);
    EXPECT_EQ(last, timer_id(id.index(), ~0U));
    EXPECT_TRUE(pool.cancel(last));
    EXPECT_EQ(pool.capacity(), 0U) << "a slab with a retired cell is not kept to spare";
    EXPECT_NE(pool.emplace(tick{5}, alive).index(), id.index());
}

TEST(timer_pool, ids_stay_stale_when_their_slab_was_given_back) {
    int alive = 0;
    counted_pool pool;
    std::unordered_set<timer_id> seen;
    for (int round = 0; round < 5; ++round) {
        std::vector<timer_id> ids;
        for (int i = 0; i < 2000; ++i) {
            ids.push_back(pool.emplace(tick{50}, alive));
            ASSERT_TRUE(seen.insert(ids.back()).second) << "an id came twice";
        }
        for (const timer_id id : ids) ASSERT_TRUE(pool.cancel(id));
        for (const timer_id id : seen) ASSERT_FALSE(pool.cancel(id));
    }
}

TEST(timer_pool, keeps_one_slab_more_than_it_needs) {
    int alive = 0;
    counted_pool pool;
    EXPECT_EQ(pool.capacity(), 0U);
    std::deque<timer_id> ids{pool.emplace(tick{50}, alive)};
    const std::size_t slab = pool.capacity();
    while (ids.size() < 10 * slab) ids.push_back(pool.emplace(tick{50}, alive));
    EXPECT_EQ(pool.capacity(), 10 * slab) << "no cell was left unused";
    while (!ids.empty()) {
        pool.cancel(ids.front());
        ids.pop_front();
        ASSERT_LE(pool.capacity(), (ids.size() + slab - 1) / slab * slab + slab);
    }
    EXPECT_EQ(pool.capacity(), slab);
    EXPECT_TRUE(pool.check_invariants());
}

TEST(timer_pool, hook_and_id_of_a_cell_are_on_one_line) {
    timer_pool<std::uint64_t> pool;
    timer_pool<std::array<char, 41>> larger;
    for (int i = 0; i < 100; ++i) {
        (void)pool.schedule(tick{5}, 0);
        (void)larger.schedule(tick{5}, {});
    }
    const auto on_one_line = [](timer_hook& hook) {
        ASSERT_LE(reinterpret_cast<std::uintptr_t>(&hook) % 64, 64U - 24U);
    };
    pool.queue().for_each(on_one_line);
    larger.queue().for_each(on_one_line);
}

TEST(timer_pool, payloads_that_need_a_large_alignment_get_it) {
    struct alignas(128) wide {
        int value = 7;
    };
    timer_pool<wide> pool;
    for (int i = 0; i < 100; ++i) {
        const wide* const at = pool.find(pool.emplace(tick{5}));
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % 128, 0U);
        ASSERT_EQ(at->value, 7);
    }
}

TEST(timer_pool, cancelled_far_timers_free_what_they_captured_at_once_and_memory_stays_flat) {
    static int blocks;
    struct holder {
        std::unique_ptr<char[]> block = std::make_unique<char[]>(4096);
        holder() { ++blocks; }
        holder(holder&& other) noexcept : block(std::move(other.block)) { ++blocks; }
        ~holder() { --blocks; }
    };
    blocks = 0;
    timer_pool<holder> pool;
    std::deque<timer_id> pending;
    std::size_t capacity = 0;
    std::size_t allocated = 0;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) {
        pending.push_back(pool.emplace(tick{std::uint64_t{1} << 40 | i << 20}));
        if (pending.size() > 100) {
            ASSERT_TRUE(pool.cancel(pending.front()));
            pending.pop_front();
            ASSERT_EQ(blocks, 100) << "destroyed at once";
        }
        if (i == 10'000) {
            capacity = pool.capacity();
            allocated = mallinfo2().uordblks;
        }
    }
    EXPECT_EQ(pool.capacity(), capacity);
    EXPECT_LE(capacity, 2 * 512U);
    EXPECT_LE(mallinfo2().uordblks, allocated + 100'000) << "of 4 GB that went through it";
}

TEST(timer_pool, move_only_payloads_are_moved_out_to_the_sink) {
    timer_pool<std::unique_ptr<int>> pool;
    (void)pool.schedule(tick{5}, std::make_unique<int>(42));
    std::unique_ptr<int> got;
    (void)pool.advance(tick{5}, 10,
                       [&](timer_id, std::unique_ptr<int>&& p) { got = std::move(p); });
    EXPECT_EQ(*got, 42);
    (void)pool.schedule(tick{6}, std::move(got));
    (void)pool.advance(tick{6}, 10, [&](timer_id, std::unique_ptr<int> p) { got = std::move(p); });
    EXPECT_EQ(*got, 42);
}

TEST(timer_pool, a_destructor_may_use_the_pool) {
    int alive = 0;
    counted_pool pool;
    const timer_id other = pool.emplace(tick{70}, alive);
    timer_id self;
    timer_id successor;
    const auto at_end = [&] {
        EXPECT_FALSE(pool.cancel(self)) << "its own timer is gone";
        pool.cancel(other);
        successor = pool.emplace(tick{80}, alive);
    };
    self = pool.emplace(tick{60}, alive, at_end);
    EXPECT_TRUE(pool.cancel(self));
    EXPECT_EQ(pool.size(), 1U);
    EXPECT_EQ(pool.due(successor), tick{80});
    EXPECT_NE(successor.index(), self.index()) << "its cell was not free yet";
    EXPECT_EQ(alive, 1);
    EXPECT_TRUE(pool.check_invariants());
}

TEST(timer_pool, clear_destroys_what_is_pending_while_destructors_use_the_pool) {
    int alive = 0;
    counted_pool pool(tick{10});
    std::vector<timer_id> ids(2000);
    int scheduled = 0;
    for (timer_id& id : ids) {
        id = pool.emplace(tick{60}, alive, [&] {
            for (const timer_id each : {ids[0], ids[1000], ids[1999]}) {
                EXPECT_FALSE(pool.cancel(each));
            }
            if (++scheduled % 100 == 0) (void)pool.emplace(tick{80}, alive);
        });
    }
    pool.clear();
    EXPECT_EQ(pool.size(), 20U);
    EXPECT_EQ(alive, 20);
    EXPECT_EQ(pool.cursor(), tick{10});
    EXPECT_TRUE(pool.check_invariants());
    for (const timer_id id : ids) ASSERT_FALSE(pool.cancel(id));
    pool.reset(tick{5});
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(pool.cursor(), tick{5});
    EXPECT_TRUE(pool.check_invariants());
}

TEST(timer_pool, a_payload_whose_constructor_throws_changes_nothing) {
    struct throwing {
        explicit throwing(bool throws) {
            if (throws) throw std::runtime_error("from a constructor");
        }
    };
    timer_pool<throwing> pool;
    EXPECT_THROW((void)pool.emplace(tick{5}, true), std::runtime_error);
    EXPECT_TRUE(pool.empty());
    EXPECT_TRUE(pool.check_invariants());
    const timer_id kept = pool.emplace(tick{5}, false);
    const std::size_t capacity = pool.capacity();
    for (int i = 0; i < 2000; ++i) {
        ASSERT_THROW((void)pool.emplace(tick{5}, true), std::runtime_error);
    }
    EXPECT_EQ(pool.capacity(), capacity) << "no cell is lost";
    EXPECT_EQ(pool.size(), 1U);
    EXPECT_TRUE(pool.cancel(kept));
    EXPECT_TRUE(pool.check_invariants());
}

// A queue that is out of memory on demand.
struct full_queue : hierarchical_wheel<> {
    using hierarchical_wheel<>::hierarchical_wheel;
    void schedule(timer_hook& hook, tick due) {
        if (is_full) throw std::bad_alloc();
        hierarchical_wheel<>::schedule(hook, due);
    }
    void reschedule(timer_hook& hook, tick due) {
        if (is_full) throw std::bad_alloc();
        hierarchical_wheel<>::reschedule(hook, due);
    }
    static inline bool is_full = false;
};

TEST(timer_pool, a_queue_out_of_memory_changes_nothing) {
    int alive = 0;
    timer_pool<counted, full_queue> pool;
    const timer_id id = pool.emplace(tick{5}, alive);
    const std::size_t capacity = pool.capacity();
    full_queue::is_full = true;
    for (int i = 0; i < 2000; ++i) {
        ASSERT_THROW((void)pool.emplace(tick{6}, alive), std::bad_alloc);
    }
    EXPECT_THROW((void)pool.reschedule(id, tick{7}), std::bad_alloc);
    full_queue::is_full = false;
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(pool.due(id), tick{5});
    EXPECT_EQ(pool.capacity(), capacity);
    EXPECT_TRUE(pool.check_invariants());
    EXPECT_EQ(fire(pool, 5), 1U);
}

TEST(timer_pool, destroying_it_destroys_the_payloads) {
    int alive = 0;
    {
        counted_pool pool;
        for (int i = 0; i < 1500; ++i) (void)pool.emplace(tick{5}, alive);
        EXPECT_EQ(alive, 1500);
    }
    EXPECT_EQ(alive, 0);
}

TEST(timer_pool_death, clearing_from_the_sink) {
    int alive = 0;
    counted_pool pool;
    (void)pool.emplace(tick{5}, alive);
    EXPECT_DEATH((void)pool.advance(tick{5}, 1, [&](timer_id, counted&&) { pool.clear(); }),
                 "called from a sink");
}

}  // namespace
}  // namespace foliot::test
