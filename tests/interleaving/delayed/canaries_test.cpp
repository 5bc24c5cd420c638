// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Faults that are planted into copies of the headers of delayed operations must be found.
#include "delayed/delayed_scenarios.hpp"
#include "service/find_canaries.hpp"

namespace foliot {

scenarios all_scenarios() { return delayed_scenarios(); }

namespace {

const canary canaries[] = {
    {"who_is_inside_does_not_look_again", "delayed/watch beside check 1", "is lost"},
    {"two_complete_at_a_time", "delayed/force+force", "completed twice"},
    {"a_try_completes_what_was_withdrawn_meanwhile", "delayed/check 1+cancel 1", "withdrawn"},
    {"who_is_overtaken_counts_as_delayed", "delayed/watch beside force", "delayed()"},
    {"an_expiration_does_not_ask_whether_another_is_inside", "delayed/check 1+expire", "inside"},
    {"what_is_watched_is_not_tried_once_more", "delayed/watch beside check 1", "is lost"},
    {"who_sweeps_does_not_look_again", "delayed/lists are swept while they are looked at",
     "entries"},
};

class planted : public testing::TestWithParam<canary> {};

TEST_P(planted, is_found) { expect_found(GetParam()); }

INSTANTIATE_TEST_SUITE_P(delayed, planted, testing::ValuesIn(canaries), name_of_canary());

TEST(canaries, are_all_in_their_places_and_each_is_looked_for) { expect_all(canaries); }

TEST(canaries, are_not_there_unless_they_are_asked_for) {
    const interleaving::report r = explore_with("", "delayed/watch beside check 1");
    EXPECT_FALSE(r.failed()) << r;
    EXPECT_TRUE(r.complete);
}

}  // namespace
}  // namespace foliot
