// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contender.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <vector>

namespace bench {

/// What the commits of a turn took. What happens between them, where the next
/// batch is made, does not count.
class commit_times {
public:
    template <class Commit>
    void take(Commit&& commit) {
        const double cpu = cpu_seconds();
        const auto begin = std::chrono::steady_clock::now();
        commit();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        cpu_seconds_ += cpu_seconds() - cpu;
        seconds_.push_back(took.count());
    }

    void tell(const plan& p, const std::filesystem::path& directory, outcome& into) const {
        double sum = 0;
        for (const double one : seconds_) sum += one;
        auto sorted = seconds_;
        std::sort(sorted.begin(), sorted.end());
        const auto operations = static_cast<double>(p.operations());
        into.metrics["ops_per_s"] = operations / sum;
        into.metrics["cpu_us_per_op"] = cpu_seconds_ * 1e6 / operations;
        into.metrics["p50_commit_ms"] = sorted[sorted.size() / 2] * 1e3;
        into.metrics["p99_commit_ms"] = sorted[sorted.size() * 99 / 100] * 1e3;
        const auto bytes = static_cast<double>(bytes_on_disk(directory));
        if (bytes > 0) into.metrics["bytes_per_timer"] = bytes / static_cast<double>(p.sets());
    }

private:
    /// Of all threads.
    static double cpu_seconds() {
        timespec t{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
    }

    static std::uintmax_t bytes_on_disk(const std::filesystem::path& directory) {
        std::uintmax_t bytes = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
            if (entry.is_regular_file()) bytes += entry.file_size();
        }
        return bytes;
    }

    std::vector<double> seconds_;
    double cpu_seconds_ = 0;
};

}  // namespace bench
