// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../batches.hpp"
#include "../contender.hpp"
#include "../stopwatch.hpp"

namespace bench {

/// A hashed wheel whose timers are spread over a hundred laps goes round once, tick by tick: it
/// looks at every timer, and fires the hundredth part. Time for each timer in the slots.
template <driven_model M>
outcome one_lap_of_many(const plan& p, arena& memory) {
    population<M> timers(memory, p.n);
    schedule_all(timers, p.first);
    std::uint64_t now = start_tick;
    outcome result;
    const auto sink = [&](typename M::object& object) { result.checksum += mix(object.id, now); };
    const double begin = thread_ns();
    while (now < start_tick + hashed_lap) timers.queue.advance(++now, sink);
    result.metrics["ns_per_op"] = (thread_ns() - begin) / static_cast<double>(p.n);
    result.checksum += timers.checksum();
    return result;
}

}  // namespace bench
