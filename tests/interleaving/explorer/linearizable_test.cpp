// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/interleaving/linearizable.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace foliot::interleaving {
namespace {

// Histories of a variable that is read and written, as in the literature.
struct access_to_variable {
    bool writes;
    int value;
};

bool possible(const std::vector<call<access_to_variable>>& history) {
    const auto apply = [](int& variable, const access_to_variable& a) {
        if (!a.writes) return variable == a.value;
        variable = a.value;
        return true;
    };
    return linearizable<int, access_to_variable>(history, 0, apply, [](int) { return true; });
}

access_to_variable writes(int v) { return {true, v}; }
access_to_variable reads(int v) { return {false, v}; }

TEST(linearizable, calls_after_each_other_are_in_that_order) {
    EXPECT_TRUE(possible({}));
    EXPECT_TRUE(possible({{writes(1), 0, 1}, {reads(1), 2, 3}}));
    EXPECT_FALSE(possible({{writes(1), 0, 1}, {reads(0), 2, 3}}));
    EXPECT_FALSE(possible({{reads(1), 0, 1}, {writes(1), 2, 3}}));
}

TEST(linearizable, calls_beside_each_other_may_be_in_either_order) {
    EXPECT_TRUE(possible({{writes(1), 0, 3}, {reads(0), 1, 2}}));
    EXPECT_TRUE(possible({{writes(1), 0, 3}, {reads(1), 1, 2}}));
}

TEST(linearizable, a_new_value_is_not_followed_by_the_old_one) {
    EXPECT_TRUE(possible({{writes(1), 0, 9}, {reads(0), 1, 2}, {reads(1), 3, 4}}));
    EXPECT_FALSE(possible({{writes(1), 0, 9}, {reads(1), 1, 2}, {reads(0), 3, 4}}));
    EXPECT_TRUE(possible({{writes(1), 0, 9}, {reads(1), 1, 4}, {reads(0), 2, 3}}));
}

TEST(linearizable, two_writes_and_what_two_others_saw) {
    const call<access_to_variable> one{writes(1), 0, 9};
    const call<access_to_variable> two{writes(2), 0, 9};
    EXPECT_TRUE(possible({one, two, {reads(1), 10, 11}, {reads(1), 10, 11}}));
    EXPECT_FALSE(possible({one, two, {reads(1), 10, 11}, {reads(2), 10, 11}}));
}

TEST(linearizable, the_end_must_be_accepted) {
    const std::vector<call<access_to_variable>> history{{writes(1), 0, 9}, {writes(2), 1, 8}};
    const auto apply = [](int& variable, const access_to_variable& a) {
        variable = a.value;
        return true;
    };
    const auto ends_with = [&](int last) {
        return linearizable<int, access_to_variable>(history, 0, apply,
                                                     [last](int v) { return v == last; });
    };
    EXPECT_TRUE(ends_with(1));
    EXPECT_TRUE(ends_with(2));
    EXPECT_FALSE(ends_with(0));
}

}  // namespace
}  // namespace foliot::interleaving
