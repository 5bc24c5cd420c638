// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../batches.hpp"
#include "../contender.hpp"
#include "../stopwatch.hpp"

namespace bench {

/// Cancel a random pending timer and schedule a new one into the object just cancelled. The clock
/// stands still: it need not move, n stay pending, and dues keep their distribution.
template <model M>
outcome churn(const plan& p, arena& memory) {
    population<M> timers(memory, p.n);
    schedule_all(timers, p.first);
    replace_all(timers, p.warm);
    const double begin = thread_ns();
    replace_all(timers, p.timed);
    const double took = thread_ns() - begin;
    outcome result;
    result.metrics["ns_per_op"] = took / static_cast<double>(p.timed.size());
    result.checksum = timers.checksum();
    return result;
}

}  // namespace bench
