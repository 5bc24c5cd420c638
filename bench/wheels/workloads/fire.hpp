// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../batches.hpp"
#include "../contender.hpp"
#include "../stopwatch.hpp"
#include "../tick_log.hpp"

namespace bench {

/// Schedule n timers over a minute, then advance tick by tick until all have fired. The sink reads
/// the object: a caller that is told about its timer looks at it.
template <driven_model M>
outcome fire(const plan& p, arena& memory) {
    population<M> timers(memory, p.n);
    tick_log log(minute);
    const double begin = thread_ns();
    schedule_all(timers, p.first);
    const double inserted = thread_ns();

    std::uint64_t now = start_tick;
    std::uint64_t sum = 0;
    const auto sink = [&](typename M::object& object) { sum += mix(object.id, now); };
    lap_watch watch;
    watch.restart();
    while (now < start_tick + minute) {
        ++now;
        const work done = timers.queue.advance(now, sink);
        log.add(watch.lap(), done);
    }
    const double fired = thread_ns();

    const auto n = static_cast<double>(p.n);
    outcome result;
    result.metrics["ns_insert"] = (inserted - begin) / n;
    result.metrics["ns_fire"] = (fired - inserted) / n;
    log.report(result);
    result.checksum = sum + timers.checksum();
    return result;
}

}  // namespace bench
