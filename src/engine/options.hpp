// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace foliot::engine {

/// Every limit of the engine. The name behind each is the setting's name in foliotd.
struct options {
    /// window.max_timers: timers held in memory. More: fewer loads; costs ~250 bytes + payload each.
    /// Above it timers are moved to disk; at 5/4 of it sets are refused until that has caught up.
    std::size_t window_max_timers = 1'000'000;

    /// window.max_bytes: ids + payloads held in memory, the other bound on the near window.
    std::size_t window_max_bytes = std::size_t{512} << 20;

    /// window.horizon: timers due later than this from now stay on disk.
    std::chrono::milliseconds window_horizon{std::chrono::minutes{15}};

    /// retry.min_backoff, retry.max_backoff: wait before a redelivery; doubles with each failure,
    /// with a jitter of up to a half taken from the sequence (so that the same run repeats).
    std::chrono::milliseconds retry_min_backoff{1000};
    std::chrono::milliseconds retry_max_backoff{std::chrono::minutes{10}};

    /// retry.max_attempts: deliveries before a timer is dead-lettered.
    std::uint32_t retry_max_attempts = 16;

    /// retain.idempotent: how long the end of a timer that was set with an idempotency key is kept,
    /// if the set does not say (`retain`). Costs its place in memory and on disk for so long.
    std::chrono::milliseconds retain_idempotent{std::chrono::minutes{10}};

    /// limits.waiting_commands: changes accepted but not yet durable; above it: `overloaded`.
    std::size_t max_waiting_commands = 100'000;

    /// limits.waiting_leases: long polls open at a time; above it: `overloaded`.
    std::size_t max_waiting_leases = 10'000;

    /// limits.in_flight: live leases; at it, consumers wait as if nothing were due.
    std::size_t max_in_flight = 500'000;

    /// limits.reply_bytes: ids + payloads in one page or one set of deliveries; at least one item
    /// is always given.
    std::size_t reply_bytes = std::size_t{4} << 20;

    /// limits.commit_operations: changes gathered into one commit at most.
    std::size_t commit_operations = 8'192;

    /// limits.store_timeout: a command whose commit or look-up takes longer is answered
    /// `store_unavailable`.
    std::chrono::milliseconds store_timeout{5000};

    /// store.retry_interval: pause before a failed acquire is tried again.
    std::chrono::milliseconds store_retry_interval{500};

    /// check.interval: pause between two rounds of the self-check, which reads all rows and compares
    /// them with memory; 0: there is none. check.rows_per_second: how fast it reads.
    std::chrono::milliseconds check_interval{std::chrono::minutes{5}};
    std::size_t check_rows_per_second = 20'000;

    /// Names the machine's boot, so that steady time of one process is comparable with that of the
    /// next. Equal at a restart: the service clock goes on to the nanosecond, whatever the wall
    /// clock did. 0 = unknown: it goes on by the wall clock and the steps that were seen.
    std::uint64_t boot = 0;

    /// engine.step_firings, engine.load_rows: firings in one step, rows in one load; they bound the
    /// time that one step takes.
    std::size_t step_firings = 4'096;
    std::size_t load_rows = 4'096;
};

}  // namespace foliot::engine
