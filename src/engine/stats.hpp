// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foliot::engine {

/// Counts of durations by upper bound (seconds): 0.5 ms .. 60 s, and above.
struct lateness_histogram {
    static constexpr std::array<double, 14> bounds{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
                                                   0.1,    0.5,   1,     5,     10,   30,   60};
    std::array<std::uint64_t, bounds.size() + 1> counts{};
    double sum_seconds = 0;

    void record(std::chrono::nanoseconds lateness) {
        const double seconds = std::chrono::duration<double>(lateness).count();
        std::size_t bucket = 0;
        while (bucket < bounds.size() && seconds > bounds[bucket]) ++bucket;
        ++counts[bucket];
        sum_seconds += seconds;
    }
};

/// Timers by how long ago they became due: up to 1 s .. 1 day, and longer.
struct overdue_ages {
    static constexpr std::array<std::int64_t, 7> bounds_s{1, 10, 60, 600, 3600, 21'600, 86'400};
    std::array<std::uint64_t, bounds_s.size() + 1> counts{};

    static std::size_t bucket_of(std::chrono::nanoseconds age) {
        std::size_t bucket = 0;
        while (bucket < bounds_s.size() && age > std::chrono::seconds{bounds_s[bucket]}) ++bucket;
        return bucket;
    }
};

struct queue_stats {
    std::string ns;
    std::string queue;
    std::uint64_t ready = 0;      ///< due, in memory, waiting for a consumer
    std::uint64_t in_flight = 0;  ///< leased
    std::uint64_t waiting_consumers = 0;
};

struct stats {
    bool ready = false;          ///< the shard is loaded and commands are taken
    std::uint64_t pending = 0;   ///< durable timers that are neither dead nor ended (near + far)
    std::uint64_t retained = 0;  ///< ended ones whose end is kept (near + far)
    std::uint64_t in_memory = 0;
    std::uint64_t memory_bytes = 0;  ///< ids + payloads in memory
    std::uint64_t in_flight = 0;
    std::uint64_t dead = 0;
    std::uint64_t overdue = 0;  ///< known to be due, not offered yet: the engine's own backlog
    std::chrono::nanoseconds behind{};  ///< how old the oldest instant is up to which everything
                                        ///< due was offered; ~0 when all is well
    std::uint64_t backlog = 0;          ///< due, without a consumer, put back on disk for room
    std::uint64_t uncommitted = 0;      ///< commands waiting for a commit or a look-up

    std::uint64_t set_total = 0;
    std::uint64_t replaced_total = 0;
    std::uint64_t cancelled_total = 0;
    std::uint64_t fired_total = 0;      ///< offered to a queue for the first time since loaded
    std::uint64_t delivered_total = 0;  ///< leases given
    std::uint64_t acked_total = 0;
    std::uint64_t nacked_total = 0;
    std::uint64_t expired_leases_total = 0;
    std::uint64_t dead_lettered_total = 0;
    std::uint64_t commits_total = 0;
    std::uint64_t store_errors_total = 0;
    std::uint64_t evicted_total = 0;
    std::uint64_t loaded_total = 0;

    lateness_histogram firing_lateness;
    overdue_ages overdue_by_age;  ///< offered, and taken by no consumer; as of some seconds ago

    std::uint64_t checks_total = 0;  ///< rounds of the self-check
    std::uint64_t checked_rows_total = 0;
    std::uint64_t disagreements =
        0;  ///< found in the last round: the store, the memory, the gauges
    std::string first_disagreement;
    std::vector<queue_stats> queues;
};

}  // namespace foliot::engine
