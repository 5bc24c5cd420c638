// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/run_scenarios.hpp"
#include "service/scenario.hpp"
#include "support/interleaving/explore.hpp"

#include <gtest/gtest.h>

namespace foliot {

/// Scenarios of which every execution must be right: docs/internals/interleavings.md.
class interleavings : public testing::TestWithParam<scenario> {};

TEST_P(interleavings, are_all_right) {
    number_threads();
    const interleaving::report r = interleaving::explore(GetParam().how, GetParam().run);
    EXPECT_FALSE(r.failed()) << r;
    EXPECT_TRUE(r.complete) << "there are more than " << r.executions;
}

}  // namespace foliot

/// Each of kind_scenarios() as a test.
#define FOLIOT_EXPLORE(kind)                                                             \
    namespace foliot {                                                                   \
    INSTANTIATE_TEST_SUITE_P(kind, interleavings, testing::ValuesIn(kind##_scenarios()), \
                             name_of_scenario());                                        \
    }
