// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/executor.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace foliot {

/// How long something took, by powers of two: bucket 0 counts what is below 1 µs, bucket n what is
/// below 2^n µs, the last one everything above (more than 9 hours).
struct duration_histogram {
    static constexpr std::size_t buckets = 36;
    std::array<std::uint64_t, buckets> counts{};
    std::chrono::nanoseconds sum{};
    std::chrono::nanoseconds longest{};

    /// Negative counts as 0.
    void add(std::chrono::nanoseconds took) noexcept {
        took = std::max(took, std::chrono::nanoseconds{0});
        const auto us = static_cast<std::uint64_t>(took.count()) / 1000;
        ++counts[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(us)), buckets - 1)];
        sum = sum > std::chrono::nanoseconds::max() - took ? std::chrono::nanoseconds::max()
                                                           : sum + took;
        longest = std::max(longest, took);
    }
    void add(const duration_histogram& other) noexcept {
        for (std::size_t i = 0; i < buckets; ++i) counts[i] += other.counts[i];
        sum = sum > std::chrono::nanoseconds::max() - other.sum ? std::chrono::nanoseconds::max()
                                                                : sum + other.sum;
        longest = std::max(longest, other.longest);
    }
    [[nodiscard]] std::uint64_t count() const noexcept {
        std::uint64_t all = 0;
        for (const std::uint64_t c : counts) all += c;
        return all;
    }
};

/// What a service has done, and holds now. Each shard's part is consistent in itself.
///
/// Every timer ends once: scheduled = pending + due + running + cancelled + completed + rejected +
/// shed + dropped.
struct service_metrics {
    // Timers.
    std::uint64_t scheduled = 0;  ///< made
    std::uint64_t pending = 0;    ///< now: wait for their deadline
    std::uint64_t due = 0;        ///< now: wait for a worker
    std::uint64_t running = 0;    ///< now: their callbacks run
    std::uint64_t cancelled = 0;  ///< before they ran (a periodic one: after its last run)
    std::uint64_t completed = 0;  ///< ran for the last time
    std::uint64_t rejected = 0;   ///< were due when there was no room
    std::uint64_t shed = 0;       ///< were dropped for others
    std::uint64_t dropped = 0;    ///< were pending or due when the service stopped

    // Events.
    std::uint64_t runs = 0;      ///< callbacks begun; periodic timers count each time
    std::uint64_t failures = 0;  ///< of these, that threw
    std::uint64_t deferred = 0;  ///< went back into the wheel for want of room
    std::uint64_t rescheduled = 0;
    std::uint64_t skipped = 0;         ///< times of periodic timers that were rejected or shed
    std::uint64_t moves = 0;           ///< timers moved within the wheels
    std::uint64_t passes = 0;          ///< of the driver
    std::uint64_t cut_passes = 0;      ///< that ended at their limit, with more to do
    std::uint64_t failed_passes = 0;   ///< of the driver, that something thrown ended: no memory
    std::uint64_t wakeups = 0;         ///< of the driver's thread
    std::uint64_t slow_callbacks = 0;  ///< that ran for longer than the watchdog's limit
    std::uint64_t late_wakeups = 0;    ///< of the driver, by more than that

    std::array<std::size_t, priorities> queued{};   ///< jobs in the executor, by class
    std::array<std::size_t, priorities> backlog{};  ///< jobs that wait for room in it

    /// How late what has waited longest is now, for a worker or in a queue; 0 if nothing is overdue.
    std::chrono::nanoseconds oldest_overdue{};

    duration_histogram lateness;  ///< from the deadline to the start of the callback
    duration_histogram duration;  ///< of callbacks
    duration_histogram
        scan;  ///< of taking due timers out: each time that a shard was locked for it
};

/// As Prometheus text (exposition format 0.0.4), each name beginning with `prefix`.
[[nodiscard]] std::string to_prometheus(const service_metrics& metrics,
                                        const std::string& prefix = "foliot_timer_");

}  // namespace foliot
