// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "tick_log.hpp"

#include <algorithm>

namespace bench {

void tick_log::report(outcome& result) {
    if (times_.empty()) return;
    std::sort(times_.begin(), times_.end());
    const auto at = [&](double share) {
        const auto last = static_cast<double>(times_.size() - 1);
        return times_[static_cast<std::size_t>(share * last)] / 1000;
    };
    result.metrics["median_tick_us"] = at(0.5);
    result.metrics["p999_tick_us"] = at(0.999);
    result.metrics["worst_tick_us"] = at(1);
    result.metrics["busiest_tick_entries"] = static_cast<double>(busiest_);
    result.metrics["mean_tick_entries"] =
        static_cast<double>(entries_) / static_cast<double>(times_.size());
}

}  // namespace bench
