// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/wheel/detail/chunk_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace foliot::detail {
namespace {

TEST(chunk_pool, gives_aligned_blocks_that_are_nobody_elses) {
    chunk_pool pool;
    std::mt19937 random(1);
    std::set<void*> taken;
    for (int step = 0; step < 20'000; ++step) {
        const bool grows = step / 2000 % 2 == 0;
        if (random() % 10 < (grows ? 7U : 3U) || taken.empty()) {
            void* const chunk = pool.take();
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(chunk) % chunk_pool::line_size, 0U);
            ASSERT_TRUE(taken.insert(chunk).second);
            // All but the first word, which is the pool's.
            std::fill_n(static_cast<std::byte*>(chunk) + 8, chunk_pool::chunk_size - 8,
                        std::byte{0xa5});
        } else {
            auto victim =
                taken.lower_bound(static_cast<std::byte*>(*taken.begin()) + random() % 1'000'000);
            if (victim == taken.end()) victim = taken.begin();
            pool.give(*victim);
            taken.erase(victim);
        }
        ASSERT_GE(pool.memory(), taken.size() * chunk_pool::chunk_size);
    }
    for (void* chunk : taken) pool.give(chunk);
}

TEST(chunk_pool, what_is_given_back_goes_back_to_the_heap_but_for_one_slab) {
    chunk_pool pool;
    std::vector<void*> taken;
    for (int i = 0; i < 10'000; ++i) taken.push_back(pool.take());
    EXPECT_LE(pool.memory(), 10'000 * chunk_pool::chunk_size * 21 / 20);
    for (void* chunk : taken) pool.give(chunk);
    EXPECT_LE(pool.memory(), std::size_t{16} << 10);
}

}  // namespace
}  // namespace foliot::detail
