// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "population.hpp"

#include <algorithm>
#include <span>

namespace bench {

// Some models do part of a cancel later, in their loop: they get to it every so many operations.
constexpr std::size_t ops_per_settling = 64;

/// Calls f(queue, object, op) for each of the operations.
template <model M, class F>
void each_op(population<M>& timers, std::span<const op> ops, F f) {
    while (!ops.empty()) {
        const auto some = ops.first(std::min(ops.size(), ops_per_settling));
        for (const op o : some) f(timers.queue, timers[o.pick], o);
        if constexpr (requires { timers.queue.settle(); }) timers.queue.settle();
        ops = ops.subspan(some.size());
    }
}

template <model M>
void schedule_all(population<M>& timers, std::span<const op> ops) {
    each_op(timers, ops,
            [](auto& q, auto& object, op o) { q.schedule(object, start_tick + o.delay); });
}

template <model M>
void replace_all(population<M>& timers, std::span<const op> ops) {
    each_op(timers, ops,
            [](auto& q, auto& object, op o) { q.replace(object, start_tick + o.delay); });
}

}  // namespace bench
