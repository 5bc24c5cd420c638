// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

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

bool set(options& o, const std::string& flag, const std::string& value) {
    if (flag == "--dir") {
        o.directory = value;
    } else if (flag == "--models") {
        o.models = to_words(value);
    } else if (flag == "--groups") {
        o.groups = line.numbers(flag, value, 2, 65'536);
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
