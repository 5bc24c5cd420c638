// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <algorithm>

namespace bench {

std::optional<double> results::median(const quantity& what) const {
    const auto found = values_.find(what);
    if (found == values_.end()) return std::nullopt;
    std::vector<double> sorted = found->second;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double results::spread(const quantity& what) const {
    const auto found = values_.find(what);
    if (found == values_.end()) return 0;
    const auto [least, most] = std::minmax_element(found->second.begin(), found->second.end());
    const double middle = *median(what);
    return middle > 0 ? (*most - *least) / middle : 0;
}

}  // namespace bench
