// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "../common/command_line.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: store [--quick | --smoke] [--only WORKLOAD,..] [--models M,..] [--groups G,..]\n"
    "             [--repeats R] [--seed S] [--dir DIRECTORY] [--json FILE] [--strict]\n"
    "\n"
    "  --quick     one turn of each\n"
    "  --smoke     tiny, writes no file of results: do all models do the same work?\n"
    "  --only      these workloads: near_set far_set near_set_cancel\n"
    "  --models    these models and probes\n"
    "  --groups    operations in a commit (256,4096)\n"
    "  --repeats   turns of each model; the median counts (5; quick: 1)\n"
    "  --seed      of all that is random (1)\n"
    "  --dir       where to write: the disk that is measured (build/bench/store.data). What a\n"
    "              turn writes is deleted after it\n"
    "  --json      where the results go (build/bench/store.json)\n"
    "  --strict    exit with 1 if a must-hold line is missed\n";

const command_line line("store", usage);

std::uint64_t number(const std::string& flag, const std::string& text, std::uint64_t least,
                     std::uint64_t most) {
    const std::uint64_t value = line.number(flag, text);
    if (value >= least && value <= most) return value;
    line.refuse(flag + ": from " + std::to_string(least) + " to " + std::to_string(most));
}

bool flip(options& o, const std::string& flag) {
    if (flag == "--quick") {
        o.quick = true;
    } else if (flag == "--smoke") {
        o.smoke = true;
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
    } else if (flag == "--dir") {
        o.directory = value;
    } else if (flag == "--only") {
        o.only = to_words(value);
    } else if (flag == "--models") {
        o.models = to_words(value);
    } else if (flag == "--groups") {
        for (const auto& word : to_words(value)) {
            o.groups.push_back(number(flag, word, 2, 65'536));
        }
    } else if (flag == "--repeats") {
        o.repeats = static_cast<int>(number(flag, value, 1, 1000));
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
    return o;
}

}  // namespace bench
