// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Queues with a planted bug each: the oracle must find every one, or its silence means nothing.
#include "conformance/wheel/queue_driver.hpp"
#include "model/wheel/oracle.hpp"
#include "model/wheel/planted_bugs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace foliot::test {
namespace {

template <class Queue>
class wheel_canary : public testing::Test {};
// Every bug in one model, and some in the others, so that the oracle is known to work for all.
using hierarchical = hierarchical_wheel<60, 4>;
using hashed = hashed_wheel<60>;
using bucket_queue = bucket_queue_of<20>;
using heap = deadline_heap;
using bugs = testing::Types<
    fires_one_tick_early<hierarchical>, fires_one_tick_late<hierarchical>,
    wraps_32_bits<hierarchical>, loses_a_timer_in_a_cascade<hierarchical>,
    forgets_the_budget<hierarchical>, oversleeps<hierarchical>,
    ignores_a_move_to_an_earlier_due<hierarchical>, says_drained_too_soon<hierarchical>,
    fires_again_what_goes_back_in_time<hierarchical>, loses_a_timer_in_a_cascade<hashed>,
    oversleeps<hashed>, forgets_the_budget<hashed>, loses_a_timer_in_a_cascade<bucket_queue>,
    fires_one_tick_late<bucket_queue>, says_drained_too_soon<bucket_queue>,
    fires_one_tick_early<heap>, wraps_32_bits<heap>, ignores_a_move_to_an_earlier_due<heap>>;
TYPED_TEST_SUITE(wheel_canary, bugs);

TYPED_TEST(wheel_canary, the_oracle_finds_the_planted_bug) {
    const std::uint64_t seed = seed_of_run();
    std::string fault;
    for (std::uint64_t round = 0; round < 20 && fault.empty(); ++round) {
        fault = oracle<TypeParam>(seed + round, 0).run(1500);
    }
    EXPECT_NE(fault, "");
}

TEST(wheel_canary_control, the_oracle_is_silent_without_one) {
    const std::uint64_t seed = seed_of_run();
    EXPECT_EQ(oracle<hierarchical>(seed, 0).run(1500), "");
    EXPECT_EQ(oracle<hashed>(seed, 0).run(1500), "");
    EXPECT_EQ(oracle<bucket_queue>(seed, 0).run(1500), "");
    EXPECT_EQ(oracle<heap>(seed, 0).run(1500), "");
}

}  // namespace
}  // namespace foliot::test
