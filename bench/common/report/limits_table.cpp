// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "limits_table.hpp"

#include <cstdio>

namespace bench {

bool print_limits(const std::vector<limit>& limits, const results& measured) {
    bool all_hold = true;
    std::printf("\nmust hold%74s %12s\n", "measured", "limit");
    for (const limit& one : limits) {
        std::printf("%-72s ", one.text.c_str());
        const auto value = one.measured(measured);
        if (!value) {
            std::printf("%10s %s %9.2f  not measured\n", "-", one.at_most ? "<=" : ">=", one.bound);
            continue;
        }
        const bool holds = one.holds(*value);
        std::printf("%10.2f %s %9.2f  %s\n", *value, one.at_most ? "<=" : ">=", one.bound,
                    holds ? "ok" : "MISS");
        all_hold = all_hold && holds;
    }
    return all_hold;
}

}  // namespace bench
