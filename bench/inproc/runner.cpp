// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include "../common/command_line.hpp"
#include "../common/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace bench {

namespace {

std::vector<std::uint64_t> sizes(const options& o) {
    if (!o.sizes.empty()) return o.sizes;
    if (o.smoke) return {1'000};
    return {100'000, 1'000'000};
}

std::vector<std::uint64_t> threads(const options& o) {
    if (!o.threads.empty()) return o.threads;
    return {1, 2};
}

// Of all threads together.
std::uint64_t timed_ops(const options& o) { return o.smoke ? 20'000 : 1 << 20; }

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
            for (const std::uint64_t n : sizes(options_)) {
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

int runner::repeats(const contest&) const {
    if (options_.repeats > 0) return options_.repeats;
    return options_.smoke || options_.quick ? 1 : 5;
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
    bool same = true;
    for (const contest& c : all) same = hold(c, memory, into) && same;
    return same;
}

bool runner::hold(const contest& c, arena& memory, results& into) const {
    const plan p = make_plan(c.what, c.threads, c.n, timed_ops(options_), options_.seed);
    std::uint64_t expected = 0;
    bool same = true;
    for (int repeat = 0; repeat < repeats(c); ++repeat) {
        for (contender* const one : c.models) {
            const std::string name(one->name());
            show_progress(title(c.what, c.threads, c.n) + ", repeat " + std::to_string(repeat + 1) +
                          " of " + std::to_string(repeats(c)) + ": " + name);
            const outcome result = one->run(p, memory);
            for (const auto& [metric, value] : result.metrics) {
                into.add({std::string(name_of(c.what)), c.n, metric, name, c.threads}, value);
            }
            if (result.checksum == 0) continue;
            if (expected == 0) expected = result.checksum;
            if (result.checksum == expected) continue;
            same = false;
            std::fprintf(stderr, "\n%s: %s did other work than those before it\n",
                         title(c.what, c.threads, c.n).c_str(), name.c_str());
        }
    }
    clear_progress();
    return same;
}

}  // namespace bench
