// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/run_scenarios.hpp"
#include "service/scenario.hpp"
#include "support/interleaving/explore.hpp"
#include "support/interleaving/planted.hpp"

#include <gtest/gtest.h>
#include <canary_names.hpp>

#include <cstdio>
#include <ostream>
#include <set>
#include <span>
#include <string>

namespace foliot {

/// A fault that is planted (canaries.cmake), and who has to find it.
struct canary {
    const char* name;
    const char* scenario;
    const char* told;  // what is said of it
};
inline void PrintTo(const canary& c, std::ostream* out) { *out << c.name; }
struct name_of_canary {
    std::string operator()(const testing::TestParamInfo<canary>& which) const {
        return which.param.name;
    }
};

/// The program under test has to define it: of all its scenarios.
[[nodiscard]] scenarios all_scenarios();

[[nodiscard]] inline scenario scenario_named(const std::string& name) {
    for (const scenario& s : all_scenarios()) {
        if (s.how.name == name) return s;
    }
    ADD_FAILURE() << "no scenario has the name " << name;
    return {};
}

/// Explores the scenario with the fault, or without any.
[[nodiscard]] inline interleaving::report explore_with(const char* fault, const char* name) {
    number_threads();
    scenario s = scenario_named(name);
    if (!s.run) return {};
    s.how.quiet = true;
    interleaving::planted_now = fault;
    const interleaving::report r = interleaving::explore(s.how, s.run);
    interleaving::planted_now = {};
    return r;
}

inline void expect_found(const canary& c) {
    const interleaving::report r = explore_with(c.name, c.scenario);
    std::printf("[ explored ] found after %llu executions: %s\n",
                static_cast<unsigned long long>(r.executions), r.failure.c_str());
    EXPECT_TRUE(r.failed()) << "in " << r.executions << " executions of " << c.scenario;
    EXPECT_NE(r.failure.find(c.told), std::string::npos) << r;
}

/// All that were planted have found their places, and are looked for.
inline void expect_all(std::span<const canary> looked_for) {
    for (const char* const* lost = lost_canaries; *lost != nullptr; ++lost) {
        ADD_FAILURE() << *lost << ": its place in the sources has changed; see canaries.cmake";
    }
    std::set<std::string> there;
    for (const char* const* name = all_canaries; *name != nullptr; ++name) there.insert(*name);
    std::set<std::string> names;
    for (const canary& c : looked_for) names.insert(c.name);
    EXPECT_EQ(there, names);
}

}  // namespace foliot
