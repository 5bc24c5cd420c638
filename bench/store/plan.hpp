// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bench {

enum class workload : std::uint8_t { near_set, far_set, near_set_cancel };
inline constexpr std::array all_workloads = {workload::near_set, workload::far_set,
                                             workload::near_set_cancel};
std::string_view name_of(workload what);

/// What every model of a turn does: `commits` commits of `group` operations.
struct plan {
    workload what = workload::near_set;
    std::size_t group = 0;
    std::size_t commits = 0;
    std::uint64_t seed = 1;

    [[nodiscard]] std::size_t sets_per_commit() const {
        return what == workload::near_set_cancel ? group / 2 : group;
    }
    [[nodiscard]] std::uint64_t sets() const { return sets_per_commit() * commits; }

    /// Cancels included.
    [[nodiscard]] std::uint64_t operations() const {
        return what == workload::near_set_cancel ? 2 * sets() - sets_per_commit() : sets();
    }

    /// Of the rows that are left at the end.
    [[nodiscard]] std::uint64_t checksum() const;
};

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    return x ^ (x >> 27);
}

/// What one row adds to a checksum.
std::uint64_t sum_of(const foliot::store::record& row);

/// The batches of a plan, one after the other, in the same memory. Ids (20 bytes) and dues of the
/// n-th timer follow from the seed and n.
class batches {
public:
    batches(const plan& p, foliot::store::epoch e);

    /// The next one. near_set_cancel: sets, and cancels of all that the one before has set.
    const foliot::store::batch& next();

private:
    const plan plan_;
    const std::uint64_t first_sequence_;
    std::uint64_t set_ = 0;
    foliot::store::batch batch_;
};

}  // namespace bench
