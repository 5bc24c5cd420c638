// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include "../common/command_line.hpp"
#include "../common/progress.hpp"
#include "limits.hpp"

#include <algorithm>
#include <cstdio>

namespace bench {

namespace {

// What a workload is measured with.
std::vector<std::uint64_t> sizes(workload what, const options& o) {
    switch (what) {
        case workload::sparse: return {10};
        case workload::crowded_level_1:
        case workload::crowded_level_2:
        case workload::hashed_one_lap:
        case workload::hashed_100_laps:
            if (o.smoke) break;
            return {1'000'000};
        default: break;
    }
    if (!o.sizes.empty()) return o.sizes;
    if (o.smoke) return {1'000};
    if (o.quick) return {1'000, 100'000, 1'000'000};
    return {1'000, 100'000, 1'000'000, 10'000'000};
}

std::size_t bytes_for(std::uint64_t n, const std::vector<contender*>& models) {
    std::size_t most = 0;
    for (const contender* one : models) {
        most = std::max(most, static_cast<std::size_t>(n) * one->object_bytes());
    }
    return most;
}

}  // namespace

std::vector<runner::contest> runner::contests() const {
    std::vector<contest> result;
    for (const workload what : all_workloads) {
        if (!allows(options_.only, name_of(what))) continue;
        for (const std::uint64_t n : sizes(what, options_)) {
            contest c{what, n, {}};
            for (const auto& one : all_) {
                if (wanted(what, n, *one)) c.models.push_back(one.get());
            }
            if (!c.models.empty()) result.push_back(std::move(c));
        }
    }
    return result;
}

bool runner::wanted(workload what, std::uint64_t n, const contender& one) const {
    if (!allows(options_.models, one.name()) || !one.takes(what, n)) return false;
    return !options_.quick || needed_by_limits(std::string(name_of(what)), n, one.name());
}

// Small contests are over soon, and are disturbed more by whatever else the machine does.
int runner::repeats(const contest& c) const {
    return c.n <= 100'000 && !options_.smoke ? 3 * options_.repeats : options_.repeats;
}

bool runner::run(results& into) {
    const std::vector<contest> all = contests();
    if (all.empty()) {
        throw std::runtime_error("nothing to measure: see --only, --models and --n");
    }
    std::size_t bytes = 4096;
    for (const contest& c : all) bytes = std::max(bytes, bytes_for(c.n, c.models));
    arena memory(bytes);
    bool same = true;
    for (const contest& c : all) same = hold(c, memory, into) && same;
    return same;
}

bool runner::hold(const contest& c, arena& memory, results& into) const {
    const plan p = make_plan(c.what, c.n, options_.seed);
    const std::string workload_name(name_of(c.what));
    std::uint64_t expected = 0;
    bool same = true;
    for (int repeat = 0; repeat < repeats(c); ++repeat) {
        for (contender* const one : c.models) {
            show_progress(progress(c, *one, repeat));
            const outcome result = one->run(p, memory);
            const std::string name(one->name());
            for (const auto& [metric, value] : result.metrics) {
                into.add({workload_name, c.n, metric, name}, value);
            }
            if (result.checksum == 0) continue;
            if (expected == 0) expected = result.checksum;
            if (result.checksum == expected) continue;
            same = false;
            std::fprintf(stderr, "\n%s n=%llu: %s did other work than those before it\n",
                         workload_name.c_str(), static_cast<unsigned long long>(c.n), name.c_str());
        }
    }
    clear_progress();
    return same;
}

std::string runner::progress(const contest& c, const contender& one, int repeat) const {
    return std::string(name_of(c.what)) + " n=" + std::to_string(c.n) + ", repeat " +
           std::to_string(repeat + 1) + " of " + std::to_string(repeats(c)) + ": " +
           std::string(one.name());
}

}  // namespace bench
