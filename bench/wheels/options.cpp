// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "../common/command_line.hpp"

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

bool flip(options& o, const std::string& flag) {
    if (flag == "--quick") {
        o.quick = true;
    } else if (flag == "--smoke") {
        o.smoke = true;
        o.repeats = 1;
    } else if (flag == "--strict") {
        o.strict = true;
    } else {
        return false;
    }
    return true;
}

void set(options& o, const std::string& flag, const std::string& value) {
    if (flag == "--json") {
        o.json = value;
    } else if (flag == "--plots") {
        o.plots = value;
    } else if (flag == "--only") {
        o.only = to_words(value);
    } else if (flag == "--models") {
        o.models = to_words(value);
    } else if (flag == "--n") {
        for (const std::string& word : to_words(value)) o.sizes.push_back(line.number(flag, word));
    } else if (flag == "--repeats") {
        o.repeats = static_cast<int>(line.number(flag, value));
    } else if (flag == "--seed") {
        o.seed = line.number(flag, value);
    } else {
        line.refuse("no flag '" + flag + "'");
    }
}

}  // namespace

options parse_options(int argc, char** argv) {
    options o;
    line.parse(
        argc, argv, [&](const std::string& flag) { return flip(o, flag); },
        [&](const std::string& flag, const std::string& value) { set(o, flag, value); });
    if (o.repeats < 1) line.refuse("--repeats: at least 1");
    return o;
}

}  // namespace bench
