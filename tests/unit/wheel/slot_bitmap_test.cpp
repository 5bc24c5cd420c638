// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/wheel/detail/slot_bitmap.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace foliot::detail {
namespace {

// Every pair (from, set slot) of a ring, against the plain definition of the distance.
template <std::uint32_t Slots>
void every_distance_is_found() {
    for (std::uint32_t set = 0; set < Slots; ++set) {
        slot_bitmap<Slots> bitmap;
        bitmap.set(set);
        for (std::uint32_t from = 0; from < Slots; ++from) {
            const std::uint32_t expected = (set + Slots - from) % Slots;
            ASSERT_EQ(bitmap.distance_to_next(from), expected) << from << " to " << set;
            ASSERT_EQ(bitmap.test(from), from == set);
        }
        bitmap.reset(set);
        ASSERT_EQ(bitmap.distance_to_next(0), 0U);
    }
}

TEST(slot_bitmap, finds_the_next_slot_round_the_ring) {
    every_distance_is_found<2>();
    every_distance_is_found<60>();
    every_distance_is_found<64>();
    every_distance_is_found<65>();
    every_distance_is_found<256>();
    every_distance_is_found<300>();
}

TEST(slot_bitmap, finds_the_nearest_of_several) {
    slot_bitmap<256> bitmap;
    for (const std::uint32_t slot : {3U, 64U, 127U, 255U}) bitmap.set(slot);
    EXPECT_EQ(bitmap.distance_to_next(3), 61U);
    EXPECT_EQ(bitmap.distance_to_next(64), 63U);
    EXPECT_EQ(bitmap.distance_to_next(127), 128U);
    EXPECT_EQ(bitmap.distance_to_next(255), 4U);
}

}  // namespace
}  // namespace foliot::detail
