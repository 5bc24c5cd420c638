// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/crash_point.hpp"
#include "store/due_store.hpp"

#include <algorithm>
#include <set>
#include <type_traits>
#include <variant>

// The crash points around a commit, by what it does. Many changes share a commit, so one may be at
// several of these points.

namespace foliot::server::commit_crash_points {

/// Calls `on_put(row, kind of put)` or `on_remove(sequence)` for each operation.
template <class Put, class Remove>
void for_each(const store::batch& b, Put on_put, Remove on_remove) {
    for (const auto& operation : b.operations) {
        std::visit(
            [&](const auto& op) {
                if constexpr (requires { op.row; }) {
                    on_put(op.row, std::is_same_v<std::decay_t<decltype(op)>, store::put_far>);
                } else {
                    on_remove(op.seq);
                }
            },
            operation);
    }
}

/// An ack or a cancel: a row goes, and none of the same generation takes its place.
inline bool ends_timers(const store::batch& b) {
    std::set<store::sequence> put;
    for_each(
        b, [&](const store::record& row, bool) { put.insert(row.seq); }, [](auto) {});
    bool ends = false;
    for_each(
        b, [](const store::record&, bool) {},
        [&](store::sequence seq) { ends = ends || !put.contains(seq); });
    return ends;
}

/// A nack, or a lease that ran out. (A timer that failed before and is only moved looks the same.)
inline bool counts_failures(const store::batch& b) {
    bool counts = false;
    for_each(
        b, [&](const store::record& row, bool) { counts = counts || row.failures > 0; },
        [](auto) {});
    return counts;
}

/// A graceful stop, which writes the leases that are out.
inline bool writes_leases(const store::batch& b) {
    bool writes = false;
    for_each(
        b, [&](const store::record& row, bool) { writes = writes || row.lease_until != tick{}; },
        [](auto) {});
    return writes;
}

/// Memory is full: timers move out of it.
inline bool evicts(const store::batch& b) {
    std::set<store::sequence> removed;
    for_each(
        b, [](const store::record&, bool) {}, [&](store::sequence seq) { removed.insert(seq); });
    bool moves = false;
    for_each(
        b,
        [&](const store::record& row, bool far) {
            moves = moves || (far && row.failures == 0 && removed.contains(row.seq));
        },
        [](auto) {});
    return moves;
}

/// The clocks' base after a step, or a low-water mark.
inline bool writes_facts_only(const store::batch& b) { return b.operations.empty(); }

inline void before([[maybe_unused]] const store::batch& b) {
    FOLIOT_CRASH_POINT("before_commit");
    FOLIOT_CRASH_POINT_IF("before_end", ends_timers(b));
    FOLIOT_CRASH_POINT_IF("before_failure", counts_failures(b));
    FOLIOT_CRASH_POINT_IF("before_leases", writes_leases(b));
    FOLIOT_CRASH_POINT_IF("before_eviction", evicts(b));
    FOLIOT_CRASH_POINT_IF("before_facts", writes_facts_only(b));
}

/// It is in the log, and nobody was told.
inline void after([[maybe_unused]] const store::batch& b) {
    FOLIOT_CRASH_POINT("after_commit");
    FOLIOT_CRASH_POINT_IF("after_end", ends_timers(b));
    FOLIOT_CRASH_POINT_IF("after_failure", counts_failures(b));
    FOLIOT_CRASH_POINT_IF("after_leases", writes_leases(b));
    FOLIOT_CRASH_POINT_IF("after_eviction", evicts(b));
    FOLIOT_CRASH_POINT_IF("after_facts", writes_facts_only(b));
}

}  // namespace foliot::server::commit_crash_points
