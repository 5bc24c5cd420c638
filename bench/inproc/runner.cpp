// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include "../common/command_line.hpp"
#include "../common/machine_watch.hpp"
#include "../common/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace bench {

namespace {

std::vector<std::uint64_t> sizes(workload what, const options& o) {
    if (!o.sizes.empty()) return o.sizes;
    if (o.smoke) return {1'000};
    if (o.quick && what == workload::schedule_fire) return {100'000};
    return {100'000, 1'000'000};
}

std::vector<std::uint64_t> threads(const options& o) {
    if (!o.threads.empty()) return o.threads;
    return {1, 2};
}

// Of all threads together.
std::uint64_t timed_ops(const options& o) { return o.smoke ? 4'000 : 1 << 20; }

std::string title(workload what, unsigned threads, std::uint64_t n) {
    return std::string(name_of(what)) + " threads=" + std::to_string(threads) +
           " n=" + std::to_string(n);
}

}  // namespace

std::vector<runner::contest> runner::contests() const {
    std::vector<contest> result;
    for (const workload what : all_workloads) {
        if (!allows(options_.only, name_of(what))) continue;
        for (const std::uint64_t t : threads(options_)) {
            for (const std::uint64_t n : sizes(what, options_)) {
                contest c{what, static_cast<unsigned>(t), n, {}};
                for (const auto& one : all_) {
                    const bool wanted = one->takes(what) && allows(options_.models, one->name());
                    if (wanted) c.models.push_back(one.get());
                }
                if (!c.models.empty()) result.push_back(std::move(c));
            }
        }
    }
    return result;
}

// Small contests are over soon, and are disturbed more by whatever else the machine does.
int runner::repeats(const contest& c) const {
    if (options_.repeats > 0) return options_.repeats;
    if (options_.smoke || options_.quick) return 1;
    return c.n <= 100'000 && c.what != workload::schedule_fire ? 5 : 3;
}

bool runner::run(results& into) {
    const std::vector<contest> all = contests();
    std::size_t bytes = 4096;
    for (const contest& c : all) {
        for (const contender* one : c.models) {
            bytes = std::max(bytes, static_cast<std::size_t>(c.n) * one->object_bytes());
        }
    }
    arena memory(bytes);
    bool right = true;
    for (const contest& c : all) right = hold(c, memory, into) && right;
    return right;
}

// One that other programs have spoiled is taken again, as long as there is time for that.
outcome runner::turn(contender& one, const plan& p, arena& memory) {
    while (true) {
        const machine_watch watch;
        outcome result = one.run(p, memory);
        ++turns_;
        if (options_.smoke || !watch.disturbed()) return result;
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

bool runner::hold(const contest& c, arena& memory, results& into) {
    const plan p = make_plan(c.what, c.threads, c.n, timed_ops(options_), options_.seed);
    const std::uint64_t expected = p.checksum();
    bool right = true;
    for (int repeat = 0; repeat < repeats(c); ++repeat) {
        for (contender* const one : c.models) {
            const std::string name(one->name());
            show_progress(title(c.what, c.threads, c.n) + ", repeat " + std::to_string(repeat + 1) +
                          " of " + std::to_string(repeats(c)) + ": " + name);
            const outcome result = turn(*one, p, memory);
            for (const auto& [metric, value] : result.metrics) {
                into.add({std::string(name_of(c.what)), c.n, metric, name, c.threads}, value);
            }
            if (result.checksum == expected) continue;
            right = false;
            std::fprintf(stderr, "\n%s: %s did not do what was planned\n",
                         title(c.what, c.threads, c.n).c_str(), name.c_str());
        }
    }
    clear_progress();
    return right;
}

}  // namespace bench
