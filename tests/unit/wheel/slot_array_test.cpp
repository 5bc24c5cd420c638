// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/wheel/detail/slot_array.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>

namespace foliot::detail {
namespace {

// Hooks that are disarmed before they die, as a queue would do.
class slot_array_test : public testing::Test {
protected:
    ~slot_array_test() override {
        for (timer_hook& hook : hooks_) hook_access::disarm(hook);
    }

    void append(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) array_.append(hooks_.emplace_back(), 7);
    }

    void expect_hooks_know_their_places() {
        for (std::uint32_t i = 0; i < array_.size(); ++i) {
            ASSERT_EQ(hook_access::index(*array_[i]), i);
            ASSERT_EQ(hook_access::slot(*array_[i]), 7U);
        }
    }

    std::deque<timer_hook> hooks_;
    slot_array array_;
};

TEST_F(slot_array_test, appends_in_order) {
    append(1000);
    ASSERT_EQ(array_.size(), 1000U);
    expect_hooks_know_their_places();
    for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(array_[i], &hooks_[i]);
}

TEST_F(slot_array_test, removal_puts_the_last_entry_into_the_hole) {
    append(5);
    array_.remove(1);
    ASSERT_EQ(array_.size(), 4U);
    EXPECT_EQ(array_[1], &hooks_[4]);
    array_.remove(3);
    ASSERT_EQ(array_.size(), 3U);
    expect_hooks_know_their_places();
}

TEST_F(slot_array_test, dead_space_never_exceeds_what_is_live) {
    append(10'000);
    while (array_.size() != 0) {
        array_.remove(array_.size() / 3);
        ASSERT_LE(array_.capacity(), std::max(slot_array::smallest, 2 * array_.size()));
    }
    expect_hooks_know_their_places();
}

TEST_F(slot_array_test, clearing_gives_the_memory_back) {
    append(10'000);
    array_.clear();
    EXPECT_EQ(array_.size(), 0U);
    EXPECT_LE(array_.capacity(), slot_array::smallest);
    append(3);
    expect_hooks_know_their_places();
}

}  // namespace
}  // namespace foliot::detail
