// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/wheel/inspect.hpp>

#include "conformance/wheel/queue_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

namespace foliot::test {
namespace {

template <class Queue>
class wheel_inspect : public testing::Test {};
using one_of_each =
    testing::Types<hierarchical_wheel<60, 4>, hashed_wheel<60>, bucket_queue_of<20>, deadline_heap>;
TYPED_TEST_SUITE(wheel_inspect, one_of_each);

std::vector<std::uint64_t> dues_of(const std::vector<timer_hook*>& hooks) {
    std::vector<std::uint64_t> dues;
    for (const timer_hook* hook : hooks) dues.push_back(hook->due().count);
    return dues;
}

TYPED_TEST(wheel_inspect, first_due_gives_the_first_k_in_order) {
    std::mt19937_64 random(1);
    std::deque<entry> entries;
    TypeParam queue(tick{1000});
    std::vector<std::uint64_t> expected;
    for (int i = 0; i < 500; ++i) {
        const std::uint64_t due = i % 3 == 0 ? random() : random() % 3000;  // late ones too
        queue.schedule(entries.emplace_back(i), tick{due});
    }
    for (int i = 0; i < 100; ++i) {  // moved later: entries stay where they were
        entry& e = entries[random() % entries.size()];
        queue.reschedule(e, saturating_add(e.due(), random() % 100'000));
    }
    for (const entry& e : entries) expected.push_back(e.due().count);
    std::sort(expected.begin(), expected.end());
    for (const std::size_t k : {0U, 1U, 2U, 10U, 499U, 500U, 501U, 100'000U}) {
        const std::vector<timer_hook*> first = first_due(queue, k);
        const auto end = expected.begin() +
                         static_cast<std::ptrdiff_t>(std::min<std::size_t>(k, expected.size()));
        ASSERT_EQ(dues_of(first), std::vector(expected.begin(), end)) << k;
    }
    EXPECT_EQ(queue.size(), 500U) << "nothing was changed";
    EXPECT_TRUE(queue.check_invariants());
}

TYPED_TEST(wheel_inspect, first_due_keeps_the_order_of_for_each_among_equals) {
    std::deque<entry> entries;
    TypeParam queue;
    for (int i = 0; i < 100; ++i) queue.schedule(entries.emplace_back(i), tick{7});
    std::vector<timer_hook*> visited;
    queue.for_each([&](timer_hook& hook) { visited.push_back(&hook); });
    visited.resize(40);
    EXPECT_EQ(first_due(queue, 40), visited);
}

TYPED_TEST(wheel_inspect, an_empty_queue_has_no_first_due) {
    const TypeParam queue;
    EXPECT_TRUE(first_due(queue, 5).empty());
}

}  // namespace
}  // namespace foliot::test
