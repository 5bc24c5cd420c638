// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/time/manual_clock.hpp>

#include <gtest/gtest.h>

namespace foliot {
namespace {

using namespace std::chrono_literals;

TEST(manual_clock, stands_still_until_told) {
    manual_clock clock(5ms);
    EXPECT_EQ(clock.now(), 5ms);
    clock.advance(2ms);
    EXPECT_EQ(clock.now(), 7ms);
    clock.set(10ms);
    clock.set(10ms);
    clock.advance(0ms);
    EXPECT_EQ(clock.now(), 10ms);
}

TEST(manual_clock_death, does_not_go_back) {
    manual_clock clock(5ms);
    EXPECT_DEATH(clock.set(4ms), "earlier time");
    EXPECT_DEATH(clock.advance(-1ns), "negative step");
}

}  // namespace
}  // namespace foliot
