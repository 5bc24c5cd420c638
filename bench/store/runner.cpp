// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include "../common/command_line.hpp"
#include "../common/machine_watch.hpp"
#include "../common/progress.hpp"

#include <cstdio>

namespace bench {

namespace {

std::vector<std::uint64_t> groups(const options& o) {
    if (!o.groups.empty()) return o.groups;
    if (o.smoke) return {16};
    return {256, 4096};
}

/// Enough for a dozen memtables at the larger group; a few seconds a turn at the smaller one.
std::size_t commits(const options& o, std::uint64_t group) {
    if (o.smoke) return 8;
    return group <= 1024 ? 1600 : 400;
}

}  // namespace

int runner::repeats() const {
    if (options_.repeats > 0) return options_.repeats;
    return options_.smoke || options_.quick ? 1 : 5;
}

bool runner::run(results& into) {
    bool right = true;
    for (const workload what : all_workloads) {
        if (!allows(options_.only, name_of(what))) continue;
        for (const std::uint64_t group : groups(options_)) {
            const plan p{what, group, commits(options_, group), options_.seed};
            right = hold(p, into) && right;
        }
    }
    return right;
}

bool runner::hold(const plan& p, results& into) {
    const std::uint64_t expected = p.checksum();
    bool right = true;
    for (int repeat = 0; repeat < repeats(); ++repeat) {
        for (const auto& one : all_) {
            if (!allows(options_.models, one->name())) continue;
            const std::string name(one->name());
            show_progress(std::string(name_of(p.what)) + " group=" + std::to_string(p.group) +
                          ", repeat " + std::to_string(repeat + 1) + " of " +
                          std::to_string(repeats()) + ": " + name);
            const outcome result = turn(*one, p);
            for (const auto& [metric, value] : result.metrics) {
                into.add({std::string(name_of(p.what)), p.group, metric, name, 0}, value);
            }
            if (result.checksum == expected) continue;
            right = false;
            std::fprintf(stderr, "\n%s group=%zu: %s did not do what was planned\n",
                         std::string(name_of(p.what)).c_str(), p.group, name.c_str());
        }
    }
    clear_progress();
    return right;
}

// One that other programs have spoiled is taken again, as long as there is time for that.
outcome runner::turn(contender& one, const plan& p) {
    while (true) {
        const std::filesystem::path directory = options_.directory;
        std::filesystem::remove_all(directory);
        std::filesystem::create_directories(directory);
        const machine_watch watch;
        outcome result = one.run(p, directory);
        const bool spoiled = !options_.smoke && watch.disturbed();
        std::filesystem::remove_all(directory);
        ++turns_;
        if (!spoiled) return result;
        if (retry_seconds_ < watch.seconds()) {
            ++disturbed_;
            return result;
        }
        retry_seconds_ -= watch.seconds();
    }
}

void runner::tell_disturbed() const {
    if (disturbed_ == 0) return;
    std::printf("other programs were busy in %d of %d turns\n", disturbed_, turns_);
}

}  // namespace bench
