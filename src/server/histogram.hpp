// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace foliot::server {

/// Counts of durations by upper bound (seconds), written by one thread and read by any.
class duration_histogram {
public:
    static constexpr std::array<double, 12> bounds{0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                   0.025,   0.05,   0.1,   0.5,    1,     5};
    void record(std::chrono::nanoseconds duration) {
        const double seconds = std::chrono::duration<double>(duration).count();
        std::size_t bucket = 0;
        while (bucket < bounds.size() && seconds > bounds[bucket]) ++bucket;
        counts_[bucket].fetch_add(1, std::memory_order_relaxed);
        sum_ns_.fetch_add(static_cast<std::uint64_t>(duration.count()), std::memory_order_relaxed);
    }

    [[nodiscard]] std::uint64_t count(std::size_t bucket) const {
        return counts_[bucket].load(std::memory_order_relaxed);
    }
    [[nodiscard]] double sum_seconds() const {
        return static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) / 1e9;
    }

private:
    std::array<std::atomic<std::uint64_t>, bounds.size() + 1> counts_{};
    std::atomic<std::uint64_t> sum_ns_{0};
};

}  // namespace foliot::server
