// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdio>

namespace bench {

namespace {

constexpr workload workloads[] = {workload::churn_uniform, workload::churn_log,
                                  workload::push_later, workload::fire};

std::vector<std::uint64_t> sizes(const options& o) {
    if (!o.sizes.empty()) return o.sizes;
    if (o.smoke) return {1'000};
    if (o.quick) return {1'000, 100'000, 1'000'000};
    return {1'000, 100'000, 1'000'000, 10'000'000};
}

bool on_terminal() { return isatty(STDERR_FILENO) != 0; }

}  // namespace

void runner::show_progress(const cell& c, const contender& one, int repeat) const {
    if (!on_terminal()) return;
    std::fprintf(stderr, "\r\x1b[K%s n=%llu, repeat %d of %d: %s ",
                 std::string(name_of(c.what)).c_str(), static_cast<unsigned long long>(c.n),
                 repeat + 1, options_.repeats, std::string(one.name()).c_str());
}

std::vector<runner::cell> runner::cells() const {
    std::vector<cell> result;
    for (const workload what : workloads) {
        if (!allows(options_.only, name_of(what))) continue;
        for (const std::uint64_t n : sizes(options_)) result.push_back({what, n});
    }
    return result;
}

std::vector<contender*> runner::entrants(const cell& c) const {
    std::vector<contender*> result;
    for (const auto& one : all_) {
        if (allows(options_.models, one->name()) && one->takes(c.what, c.n)) {
            result.push_back(one.get());
        }
    }
    return result;
}

std::size_t runner::arena_bytes() const {
    std::size_t bytes = 0;
    for (const cell& c : cells()) {
        for (const contender* one : entrants(c)) {
            bytes = std::max(bytes, static_cast<std::size_t>(c.n) * one->object_bytes());
        }
    }
    return bytes;
}

bool runner::run(results& into) {
    arena memory(std::max<std::size_t>(arena_bytes(), 4096));
    bool same = true;
    for (const cell& c : cells()) same = run_cell(c, memory, into) && same;
    return same;
}

bool runner::run_cell(const cell& c, arena& memory, results& into) {
    const plan p = make_plan(c.what, c.n, options_.seed);
    const std::vector<contender*> models = entrants(c);
    const std::string workload_name(name_of(c.what));
    std::uint64_t expected = 0;
    bool same = true;
    for (int repeat = 0; repeat < options_.repeats; ++repeat) {
        for (contender* const one : models) {
            show_progress(c, *one, repeat);
            const outcome result = one->run(p, memory);
            for (const auto& [metric, value] : result.metrics) {
                into.add({workload_name, c.n, metric, std::string(one->name())}, value);
            }
            if (result.checksum == 0) continue;
            if (expected == 0) expected = result.checksum;
            if (result.checksum != expected) {
                std::fprintf(stderr, "\n%s n=%llu: %s did other work than the models before it\n",
                             workload_name.c_str(), static_cast<unsigned long long>(c.n),
                             std::string(one->name()).c_str());
                same = false;
            }
        }
    }
    if (on_terminal()) std::fputs("\r\x1b[K", stderr);
    return same;
}

}  // namespace bench
