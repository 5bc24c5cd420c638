// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../batches.hpp"
#include "../contender.hpp"
#include "../heap_use.hpp"

namespace bench {

/// What one pending timer takes: its hook, and its share of how much the heap has grown since
/// before the queue was made, malloc's own overhead included. After n inserts, or n cancel +
/// schedule more.
template <model M>
outcome memory_use(const plan& p, arena& memory) {
    const std::size_t before = heap_use();
    population<M> timers(memory, p.n);
    schedule_all(timers, p.first);
    if (p.what == workload::memory_churned) replace_all(timers, p.timed);
    const auto grown = static_cast<double>(heap_use() - before);
    outcome result;
    result.metrics["bytes_per_timer"] =
        static_cast<double>(M::hook_bytes) + grown / static_cast<double>(p.n);
    result.checksum = timers.checksum();
    return result;
}

}  // namespace bench
