// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// A promise is broken on purpose, and its checker must see it within some tens of seeds.
#include "sim/engine/world.hpp"

#include <gtest/gtest.h>

namespace foliot::sim {
namespace {

struct planted {
    canary what;
    const char* seen_by;
};

class planted_bug : public testing::TestWithParam<planted> {};

TEST_P(planted_bug, is_seen_by_its_checker) {
    std::string others;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        world w{draw_plan(seed, GetParam().what)};
        const auto b = w.run();
        if (!b) continue;
        if (b->promise == GetParam().seen_by) {
            std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), b->what.c_str());
            return;
        }
        others += b->promise + ": " + b->what + "\n";
    }
    FAIL() << "nobody but these saw it:\n" << others;
}

INSTANTIATE_TEST_SUITE_P(simulation, planted_bug,
                         testing::Values(planted{canary::lost_write, "nothing_lost"},
                                         planted{canary::fast_clock, "never_early"},
                                         planted{canary::second_lease, "one_lease"},
                                         planted{canary::unheard_cancel, "final_end"},
                                         planted{canary::open_fence, "fenced_writers"},
                                         planted{canary::moved_due, "same_due"},
                                         planted{canary::wide_window, "bounded_memory"},
                                         planted{canary::miscounted, "true_gauges"}),
                         [](const auto& bug) { return std::string(bug.param.seen_by); });

}  // namespace
}  // namespace foliot::sim
