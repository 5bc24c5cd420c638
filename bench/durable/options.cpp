// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

namespace bench {

namespace {

constexpr const char* usage =
    "usage: durable [--quick | --smoke] [--only WORKLOAD,..] [--pending N] [--dues D,..]\n"
    "               [--rate R] [--seconds S] [--seed S] [--foliotd FILE] [--dir DIRECTORY]\n"
    "               [--json FILE] [--strict]\n"
    "\n"
    "  --quick     a tenth of all numbers\n"
    "  --smoke     tiny, writes no file of results\n"
    "  --only      these workloads: pending burst lateness\n"
    "  --pending   timers that are pending at a time (1e7)\n"
    "  --dues      when they are due: ten_minutes months log_uniform (all three, one by one)\n"
    "  --rate      firings a second of lateness (5000)\n"
    "  --seconds   how long (20)\n"
    "  --seed      of all that is random (1)\n"
    "  --foliotd   the server to measure (beside this program)\n"
    "  --dir       the data: the disk that is measured (build/bench/durable.data). It is deleted\n"
    "              before and after each workload\n"
    "  --json      where the results go (build/bench/durable.json)\n"
    "  --strict    exit with 1 if a must-hold line is missed\n";

const command_line line("durable", usage);

bool set(options& o, const std::string& flag, const std::string& value) {
    if (flag == "--pending") {
        o.pending = line.number(flag, value);
    } else if (flag == "--dues") {
        o.dues = to_words(value);
    } else if (flag == "--rate") {
        o.rate = line.number(flag, value);
    } else if (flag == "--seconds") {
        o.seconds = line.number(flag, value);
    } else if (flag == "--foliotd") {
        o.foliotd = value;
    } else if (flag == "--dir") {
        o.directory = value;
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
    const std::uint64_t part = o.smoke ? 1000 : o.quick ? 10 : 1;
    if (o.pending == 0) o.pending = 10'000'000 / part;
    if (o.rate == 0) o.rate = o.smoke ? 500 : 5000;
    if (o.seconds == 0) o.seconds = o.smoke ? 1 : o.quick ? 5 : 20;
    if (o.dues.empty()) o.dues = {"ten_minutes", "months", "log_uniform"};
    if (o.foliotd.empty()) {
        const std::string self = argv[0];
        const auto folder = self.substr(0, self.find_last_of('/') + 1);
        o.foliotd = folder + "../../apps/foliotd/foliotd";
    }
    return o;
}

}  // namespace bench
