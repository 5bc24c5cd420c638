// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Many seeds of the simulation: docs/internals/simulation.md. FOLIOT_SEED runs one;
// ./dev sim SEED replays it with its trace.
#include "sim/engine/seeds.hpp"
#include "sim/engine/world.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace foliot::sim {
namespace {

void expect_kept(std::uint64_t seed) {
    world w{draw_plan(seed)};
    const auto b = w.run();
    EXPECT_FALSE(b.has_value()) << b->promise << ": " << b->what << "\nreplay: ./dev sim " << seed;
}

std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Seeds 1..N in parts; FOLIOT_SIM_SHARD says which part ctest wants of this program.
TEST(simulation, keeps_every_promise) {
    if (std::getenv("FOLIOT_SEED") != nullptr) return expect_kept(number_of("FOLIOT_SEED", 1));
    const std::uint64_t shard = number_of("FOLIOT_SIM_SHARD", 0);
    const std::uint64_t first = 1 + shard * FOLIOT_SIM_SEEDS;
    for (std::uint64_t seed = first; seed < first + FOLIOT_SIM_SEEDS; ++seed) expect_kept(seed);
}

TEST(simulation, keeps_every_promise_from_a_random_seed) {
    const std::uint64_t seed = number_of("FOLIOT_SEED", std::random_device{}());
    std::printf("FOLIOT_SEED=%llu\n", static_cast<unsigned long long>(seed));
    expect_kept(seed);
}

TEST(simulation, seeds_that_found_faults_find_none_now) {
    for (const auto& s : found_seeds) {
        SCOPED_TRACE(s.what);
        expect_kept(s.seed);
    }
}

TEST(simulation, same_seed_gives_the_same_run) {
    std::uint64_t other = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        world first{draw_plan(seed)};
        world second{draw_plan(seed)};
        (void)first.run();
        (void)second.run();
        EXPECT_EQ(first.trace_hash(), second.trace_hash()) << "seed " << seed;
        EXPECT_EQ(first.trace_lines(), second.trace_lines()) << "seed " << seed;
        EXPECT_NE(first.trace_hash(), other);
        other = first.trace_hash();
    }
}

}  // namespace
}  // namespace foliot::sim
