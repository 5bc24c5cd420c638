// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// The timer service in all interleavings of small programs: docs/internals/interleavings.md.
#include "service/run_scenarios.hpp"
#include "service/scenario.hpp"

#include <gtest/gtest.h>

namespace foliot {
namespace {

class interleavings : public testing::TestWithParam<scenario> {};

TEST_P(interleavings, are_all_right) {
    number_threads();
    const interleaving::report r = interleaving::explore(GetParam().how, GetParam().run);
    EXPECT_FALSE(r.failed()) << r;
    EXPECT_TRUE(r.complete) << "there are more than " << r.executions;
}

#define FOLIOT_EXPLORE(kind)                                                             \
    INSTANTIATE_TEST_SUITE_P(kind, interleavings, testing::ValuesIn(kind##_scenarios()), \
                             name_of_scenario())
FOLIOT_EXPLORE(shard);
FOLIOT_EXPLORE(polled);
FOLIOT_EXPLORE(overload);
FOLIOT_EXPLORE(driver);
FOLIOT_EXPLORE(reusable);
#undef FOLIOT_EXPLORE

}  // namespace
}  // namespace foliot
