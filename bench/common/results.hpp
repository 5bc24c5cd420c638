// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace bench {

/// One measured thing; sorted as the table shows it.
struct quantity {
    std::string workload;
    std::uint64_t n = 0;
    std::string metric;
    std::string model;

    friend auto operator<=>(const quantity&, const quantity&) = default;
};

/// Every value that was measured, turn by turn. What is told is the median.
class results {
public:
    void add(const quantity& what, double value) { values_[what].push_back(value); }

    [[nodiscard]] std::optional<double> median(const quantity& what) const;

    /// Largest less smallest, as a part of the median.
    [[nodiscard]] double spread(const quantity& what) const;

    [[nodiscard]] const std::map<quantity, std::vector<double>>& all() const { return values_; }

private:
    std::map<quantity, std::vector<double>> values_;
};

}  // namespace bench
