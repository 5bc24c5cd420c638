// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <string>
#include <vector>

namespace bench {

namespace {

constexpr const char* usage =
    "usage: wheels [--quick | --smoke] [--only WORKLOAD,..] [--models M,..] [--n N,..]\n"
    "              [--repeats R] [--seed S] [--json FILE] [--plots DIR] [--strict]\n"
    "\n"
    "  --quick     up to 10^6 pending, and only what the must-hold list needs\n"
    "  --smoke     tiny, writes no file: do all models do the same work?\n"
    "  --only      these workloads: W1u W1l W2 W3 W4 W4b W4b_level_2 W5 W5_churned\n"
    "              hashed_one_lap hashed_100_laps probe\n"
    "  --models    these models and probes\n"
    "  --n         these numbers of pending timers\n"
    "  --repeats   turns of each model; the median counts (5)\n"
    "  --seed      of all that is random (1)\n"
    "  --json      where the results go (build/bench/wheels.json)\n"
    "  --plots     where the plots go (build/bench)\n"
    "  --strict    exit with 1 if a must-hold line is missed\n";

const command_line line("wheels", usage);

bool set(options& o, const std::string& flag, const std::string& value) {
    if (flag == "--plots") {
        o.plots = value;
    } else if (flag == "--models") {
        o.models = to_words(value);
    } else if (flag == "--n") {
        for (const std::string& word : to_words(value)) o.sizes.push_back(line.number(flag, word));
    } else if (flag == "--repeats") {
        o.repeats = static_cast<int>(line.number(flag, value));
        if (o.repeats < 1) line.refuse("--repeats: at least 1");
    } else {
        return false;
    }
    return true;
}

}  // namespace

options parse_options(int argc, char** argv) {
    options o;
    line.parse(argc, argv, o, [&](const std::string& flag, const std::string& value) {
        return set(o, flag, value);
    });
    if (o.repeats == 0) o.repeats = o.smoke ? 1 : 5;
    return o;
}

}  // namespace bench
