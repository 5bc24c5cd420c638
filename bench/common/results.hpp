// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace bench {

/// One measured thing.
struct quantity {
    std::string workload;
    std::uint64_t n = 0;
    std::string metric;
    std::string model;
    unsigned threads = 0;  // 0: the program has one only, and does not say so

    friend bool operator==(const quantity&, const quantity&) = default;
    /// As tables show them.
    friend auto operator<=>(const quantity& a, const quantity& b) {
        return std::tie(a.workload, a.threads, a.n, a.metric, a.model) <=>
               std::tie(b.workload, b.threads, b.n, b.metric, b.model);
    }
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
