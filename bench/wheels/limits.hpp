// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// A line of the must-hold list: one median, or the ratio of two, and what it must not pass.
struct limit {
    std::string text;
    quantity what;
    std::optional<quantity> than;
    bool at_most = true;  // else at least
    double bound = 0;

    [[nodiscard]] std::optional<double> measured(const results& from) const;
    [[nodiscard]] bool holds(double value) const {
        return at_most ? value <= bound : value >= bound;
    }
};

/// The must-hold list.
const std::vector<limit>& limits();

/// Whether a line of the must-hold list needs this measurement.
bool needed_by_limits(const std::string& workload, std::uint64_t n, std::string_view model);

}  // namespace bench
