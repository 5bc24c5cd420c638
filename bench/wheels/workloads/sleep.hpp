// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../batches.hpp"
#include "../contender.hpp"
#include "../stopwatch.hpp"
#include "../tick_log.hpp"

#include <algorithm>
#include <span>

namespace bench {

/// What a driver does that sleeps until the next wake-up, advances to it, and sleeps again, until
/// nothing is pending.
struct slept {
    std::uint64_t wakeups = 0;
    std::uint64_t checksum = 0;
};

template <sleeping_model M, class OnWakeup>
slept sleep_until_empty(M& queue, OnWakeup on_wakeup) {
    slept result;
    std::uint64_t now = start_tick;
    const auto sink = [&](typename M::object& object) { result.checksum += mix(object.id, now); };
    while (const auto wakeup = queue.next_wakeup()) {
        now = *wakeup;
        ++result.wakeups;
        on_wakeup(queue.advance(now, sink));
    }
    return result;
}

/// A few timers over a month, one month after the other, each with a fresh queue: the mean time of
/// a month, from the first schedule to the last firing, and the wake-ups of the worst month.
template <sleeping_model M>
outcome sparse(const plan& p, arena& memory) {
    outcome result;
    double took = 0;
    std::uint64_t most = 0;
    lap_watch watch;
    for (std::span<const op> month(p.first); !month.empty(); month = month.subspan(p.n)) {
        population<M> timers(memory, p.n);
        watch.restart();
        for (const op o : month.first(p.n)) {
            timers.queue.schedule(timers[o.pick], start_tick + o.delay);
        }
        const slept run = sleep_until_empty(timers.queue, [](const work&) {});
        took += watch.lap();
        most = std::max(most, run.wakeups);
        result.checksum += run.checksum;
    }
    const auto months = static_cast<double>(p.first.size() / p.n);
    result.metrics["total_us"] = took / 1000 / months;
    result.metrics["wakeups"] = static_cast<double>(most);
    return result;
}

/// Many timers that all wait in one upper slot. A tick is a wake-up here.
template <sleeping_model M>
outcome crowded(const plan& p, arena& memory) {
    population<M> timers(memory, p.n);
    schedule_all(timers, p.first);
    tick_log log(minute);
    lap_watch watch;
    const double begin = thread_ns();
    watch.restart();
    const slept run =
        sleep_until_empty(timers.queue, [&](const work& done) { log.add(watch.lap(), done); });
    outcome result;
    result.metrics["total_us"] = (thread_ns() - begin) / 1000;
    result.metrics["wakeups"] = static_cast<double>(run.wakeups);
    log.report(result);
    result.checksum = run.checksum;
    return result;
}

}  // namespace bench
