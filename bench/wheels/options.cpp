// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "../common/command_line.hpp"

#include <cstdio>
#include <cstdlib>

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

[[noreturn]] void refuse(const std::string& why) {
    std::fprintf(stderr, "wheels: %s\n%s", why.c_str(), usage);
    std::exit(2);
}

std::uint64_t number(const std::string& flag, const std::string& text) {
    const auto value = to_number(text);
    if (!value) refuse(flag + ": '" + text + "' is no number from 0 to 4e9");
    return *value;
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
        for (const std::string& word : to_words(value)) o.sizes.push_back(number(flag, word));
    } else if (flag == "--repeats") {
        o.repeats = static_cast<int>(number(flag, value));
    } else if (flag == "--seed") {
        o.seed = number(flag, value);
    } else {
        refuse("no flag '" + flag + "'");
    }
}

}  // namespace

options parse_options(int argc, char** argv) {
    options o;
    for (int i = 1; i < argc; ++i) {
        const std::string flag = argv[i];
        if (flag == "--help" || flag == "-h") {
            std::fputs(usage, stdout);
            std::exit(0);
        } else if (flag == "--quick") {
            o.quick = true;
        } else if (flag == "--smoke") {
            o.smoke = true;
            o.repeats = 1;
        } else if (flag == "--strict") {
            o.strict = true;
        } else if (i + 1 < argc) {
            set(o, flag, argv[++i]);
        } else {
            refuse("no flag '" + flag + "', or its value is missing");
        }
    }
    if (o.repeats < 1) refuse("--repeats: at least 1");
    return o;
}

}  // namespace bench
