// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crash/foliotd/crash_ledger.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace foliot::crash_test {

/// What the clients of one crash test share.
struct arena {
    arena(std::string at, std::uint64_t s) : url(std::move(at)), seed(s) {}

    const std::string url;
    const std::uint64_t seed;
    crash_ledger ledger;
    std::atomic<unsigned> life{1};  ///< of foliotd; raised just before a kill
    std::atomic<bool> stop_writing{false};
    std::atomic<bool> draining{false};  ///< consumers ack whatever they get
    std::atomic<bool> stop_consuming{false};

    void fail(const std::string& why);
    [[nodiscard]] std::vector<std::string> failures() const;

private:
    mutable std::mutex mutex_;
    std::vector<std::string> failures_;
};

constexpr const char* queue_name = "crash";

/// Sets, replaces and cancels timers of its own ids, singly and in batches, until stop_writing; then
/// finishes what is not answered yet.
void write_timers(arena& a, unsigned number);

/// Leases, acks, nacks, extends and forgets until stop_consuming.
void consume_timers(arena& a, unsigned number);

}  // namespace foliot::crash_test
