// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../contender.hpp"
#include "../population.hpp"
#include "../stopwatch.hpp"

#include <span>

namespace bench {

// Some models do part of a cancel later, in their loop: they get to it every so many operations.
constexpr std::size_t ops_per_settling = 64;

template <model M>
void replace_all(population<M>& timers, std::span<const op> ops) {
    while (!ops.empty()) {
        const auto some = ops.first(std::min(ops.size(), ops_per_settling));
        for (const op o : some) timers.queue.replace(timers[o.pick], start_tick + o.delay);
        if constexpr (requires { timers.queue.settle(); }) timers.queue.settle();
        ops = ops.subspan(some.size());
    }
}

/// Cancel a random pending timer and schedule a new one into the object just cancelled. The clock
/// stands still: it need not move, n stay pending, and dues keep their distribution.
template <model M>
outcome churn(const plan& p, arena& memory) {
    population<M> timers(memory, p.n);
    for (const op o : p.first) timers.queue.schedule(timers[o.pick], start_tick + o.delay);
    replace_all(timers, std::span(p.warm));
    const double begin = thread_ns();
    replace_all(timers, std::span(p.timed));
    const double took = thread_ns() - begin;
    outcome result;
    result.metrics["ns_per_op"] = took / static_cast<double>(p.timed.size());
    result.checksum = timers.checksum();
    return result;
}

}  // namespace bench
