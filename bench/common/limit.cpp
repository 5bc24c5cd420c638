// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "limit.hpp"

#include <algorithm>

namespace bench {

std::optional<double> limit::measured(const results& from) const {
    const auto value = from.median(what);
    if (!value || than.empty()) return value;
    double largest = 0;
    for (const quantity& one : than) {
        const auto base = from.median(one);
        if (!base) return std::nullopt;
        largest = std::max(largest, *base);
    }
    if (largest == 0) return std::nullopt;
    return *value / largest;
}

std::string size_name(std::uint64_t n) {
    int zeros = 0;
    for (; n >= 10; n /= 10) ++zeros;
    return "10^" + std::to_string(zeros);
}

}  // namespace bench
