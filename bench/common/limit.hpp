// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// A line of a must-hold list: one median, or its ratio to another, and what it must not pass.
struct limit {
    std::string text;
    quantity what;
    std::vector<quantity> than;  // the largest of these; none: no ratio
    bool at_most = true;         // else at least
    double bound = 0;

    [[nodiscard]] std::optional<double> measured(const results& from) const;
    [[nodiscard]] bool holds(double value) const {
        return at_most ? value <= bound : value >= bound;
    }
};

/// The name of a power of ten.
std::string size_name(std::uint64_t n);

}  // namespace bench
