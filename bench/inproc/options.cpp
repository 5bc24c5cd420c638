// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "../common/command_line.hpp"

#include <cstdio>
#include <cstdlib>

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

[[noreturn]] void refuse(const std::string& why) {
    std::fprintf(stderr, "inproc: %s\n%s", why.c_str(), usage);
    std::exit(2);
}

std::uint64_t number(const std::string& flag, const std::string& text) {
    const auto value = to_number(text);
    if (!value) refuse(flag + ": '" + text + "' is no number from 0 to 4e9");
    return *value;
}

std::vector<std::uint64_t> numbers(const std::string& flag, const std::string& text,
                                   std::uint64_t least, std::uint64_t most) {
    std::vector<std::uint64_t> result;
    for (const std::string& word : to_words(text)) {
        result.push_back(number(flag, word));
        if (result.back() >= least && result.back() <= most) continue;
        refuse(flag + ": from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return result;
}

void set(options& o, const std::string& flag, const std::string& value) {
    if (flag == "--json") {
        o.json = value;
    } else if (flag == "--only") {
        o.only = to_words(value);
    } else if (flag == "--models") {
        o.models = to_words(value);
    } else if (flag == "--n") {
        o.sizes = numbers(flag, value, 64, 10'000'000);
    } else if (flag == "--threads") {
        o.threads = numbers(flag, value, 1, 64);
    } else if (flag == "--repeats") {
        o.repeats = static_cast<int>(numbers(flag, value, 1, 1000).at(0));
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
        } else if (flag == "--strict") {
            o.strict = true;
        } else if (i + 1 < argc) {
            set(o, flag, argv[++i]);
        } else {
            refuse("no flag '" + flag + "', or its value is missing");
        }
    }
    return o;
}

}  // namespace bench
