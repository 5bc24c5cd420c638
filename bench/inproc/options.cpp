// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <string>
#include <vector>

namespace bench {

namespace {

constexpr const char* usage =
    "usage: inproc [--quick | --smoke] [--only WORKLOAD,..] [--models M,..] [--n N,..]\n"
    "              [--threads T,..] [--repeats R] [--seed S] [--json FILE] [--strict]\n"
    "\n"
    "  --quick     fewer turns\n"
    "  --smoke     tiny, writes no file: do all models do the same work?\n"
    "  --only      these workloads: schedule_cancel refresh schedule_fire lateness\n"
    "  --models    these models and probes\n"
    "  --n         these numbers of timers, of all threads together (1e5,1e6)\n"
    "  --threads   these numbers of threads (1,2)\n"
    "  --repeats   turns of each model; the median counts (5; quick: 1)\n"
    "  --seed      of all that is random (1)\n"
    "  --json      where the results go (build/bench/inproc.json)\n"
    "  --strict    exit with 1 if a must-hold line is missed\n";

const command_line line("inproc", usage);

bool set(options& o, const std::string& flag, const std::string& value) {
    if (flag == "--models") {
        o.models = to_words(value);
    } else if (flag == "--n") {
        o.sizes = line.numbers(flag, value, 64, 10'000'000);
    } else if (flag == "--threads") {
        o.threads = line.numbers(flag, value, 1, 64);
    } else if (flag == "--repeats") {
        o.repeats = static_cast<int>(line.number(flag, value, 1, 1000));
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
    return o;
}

}  // namespace bench
