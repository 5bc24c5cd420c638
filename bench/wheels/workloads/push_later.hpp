// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../batches.hpp"
#include "../contender.hpp"
#include "../stopwatch.hpp"

namespace bench {

/// Push a random timer's due to 30 s from now. The clock moves on by a tick every ops_per_tick
/// operations, and then the queue is advanced, as a server's loop would. Nothing fires.
template <model M>
outcome push_later(const plan& p, arena& memory) {
    population<M> timers(memory, p.n);
    schedule_all(timers, p.first);
    each_op<M>(timers, p.warm,
               [](M& q, auto& object, op o) { q.push_later(object, start_tick + o.delay); });
    std::uint64_t now = start_tick;
    std::uint64_t fired = 0;
    const auto count = [&](typename M::object& object) { fired += mix(object.id, now); };
    const double begin = thread_ns();
    for (std::span<const op> ops(p.timed); !ops.empty(); ops = ops.subspan(p.ops_per_tick)) {
        const std::uint64_t due = now + idle_timeout;
        each_op(timers, ops.first(p.ops_per_tick),
                [due](M& q, auto& object, op) { q.push_later(object, due); });
        ++now;
        if constexpr (driven_model<M>) timers.queue.advance(now, count);
    }
    const double took = thread_ns() - begin;
    outcome result;
    result.metrics["ns_per_op"] = took / static_cast<double>(p.timed.size());
    result.checksum = timers.checksum() + fired;
    return result;
}

}  // namespace bench
