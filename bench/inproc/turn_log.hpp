// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace bench {

/// What was done when, turn by turn of a loop: so that it can be told afterwards whether the dues
/// which a model holds are right.
class turn_log {
public:
    using time_point = std::chrono::steady_clock::time_point;

    explicit turn_log(std::size_t turns) { turns_.reserve(turns); }

    /// These operations are done now.
    void add(std::span<const op> ops) { turns_.push_back({std::chrono::steady_clock::now(), ops}); }

    /// Nothing is done until then.
    void rest(std::chrono::milliseconds length);

    /// What the latest operation on each of n objects asked for.
    struct wanted {
        std::chrono::milliseconds delay;
        time_point earliest;  // due
        time_point latest;
    };
    [[nodiscard]] std::vector<wanted> latest_of_each(std::uint64_t n) const;

private:
    struct turn {
        time_point begin;
        std::span<const op> ops;
    };
    std::vector<turn> turns_;
};

}  // namespace bench
