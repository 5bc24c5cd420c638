// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

/// What is measured; README.md says what each is, and how it is named in the results.
enum class workload {
    churn_uniform,
    churn_log,
    push_later,
    fire,
    sparse,
    crowded_level_1,
    crowded_level_2,
    memory_inserted,
    memory_churned,
    hashed_one_lap,
    hashed_100_laps,
    probe,
};

constexpr workload all_workloads[] = {
    workload::churn_uniform,   workload::churn_log,
    workload::push_later,      workload::fire,
    workload::sparse,          workload::crowded_level_1,
    workload::crowded_level_2, workload::memory_inserted,
    workload::memory_churned,  workload::hashed_one_lap,
    workload::hashed_100_laps, workload::probe,
};

std::string_view name_of(workload what);

/// One operation: on which object, and how many ticks from now.
struct op {
    std::uint32_t pick;
    std::uint32_t delay;
};

/// The virtual clock stands here when a turn begins: a tick that is no round number in any wheel.
constexpr std::uint64_t start_tick = 1'000'000'007;

constexpr std::uint64_t minute = 60'000;
constexpr std::uint64_t idle_timeout = 30'000;
constexpr std::uint64_t thirty_days = 30ULL * 24 * 60 * minute;

/// How many slots the hashed wheel has here (its default), and so how many ticks its lap is.
constexpr std::uint32_t hashed_lap = 512;

/// All that a model is asked to do in one turn, drawn beforehand: every model gets the same plan,
/// so the same picks, dues and order, and no random number is drawn while time is taken.
struct plan {
    workload what{};
    std::uint64_t n = 0;
    std::vector<op> first;           // every object once, in random order: schedule
    std::vector<op> warm;            // until what is pending is well mixed; not measured
    std::vector<op> timed;           // what is measured
    std::uint64_t ops_per_tick = 0;  // push_later only: then the clock moves on
};

plan make_plan(workload what, std::uint64_t n, std::uint64_t seed);

}  // namespace bench
