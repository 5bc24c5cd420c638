// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "model/wheel/oracle.hpp"
#include "conformance/wheel/queue_driver.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace foliot::test {

std::uint64_t seed_of_run() {
    const char* const given = std::getenv("FOLIOT_SEED");
    const std::uint64_t seed = given == nullptr ? 20'260'101 : std::strtoull(given, nullptr, 10);
    std::cout << "FOLIOT_SEED=" << seed << '\n';
    return seed;
}

namespace {

template <class Queue>
class wheel_oracle : public testing::Test {};
TYPED_TEST_SUITE(wheel_oracle, queues);

TYPED_TEST(wheel_oracle, agrees_with_a_multimap_under_random_operations) {
    const std::uint64_t seed = seed_of_run();
    for (std::uint64_t round = 0; round < 60; ++round) {
        const std::uint64_t starts[] = {0, 1005, 0xffff'ff00, tick::max().count - 5000};
        oracle<TypeParam> against(seed + round, starts[round % 4]);
        ASSERT_EQ(against.run(1500), "") << "FOLIOT_SEED=" << seed << ", round " << round;
        ASSERT_GT(against.fired(), 10U) << "the run must fire timers to be worth something";
    }
}

}  // namespace
}  // namespace foliot::test
