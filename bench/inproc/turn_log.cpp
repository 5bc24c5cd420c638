// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "turn_log.hpp"

#include <thread>

namespace bench {

void turn_log::rest(std::chrono::milliseconds length) {
    add({});
    std::this_thread::sleep_for(length);
    add({});
}

std::vector<turn_log::wanted> turn_log::latest_of_each(std::uint64_t n) const {
    // The time that a loop has at hand is that of the turn before, and a coarse clock's may be.
    constexpr std::chrono::milliseconds coarse{12};
    std::vector<wanted> all(n);
    const auto end = std::chrono::steady_clock::now();
    for (std::size_t t = 0; t < turns_.size(); ++t) {
        const auto earliest = turns_[t == 0 ? t : t - 1].begin - coarse;
        const auto latest = (t + 1 == turns_.size() ? end : turns_[t + 1].begin) + coarse;
        for (const op o : turns_[t].ops) {
            all[o.pick] = {o.delay(), earliest + o.delay(), latest + o.delay()};
        }
    }
    return all;
}

}  // namespace bench
