// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <cstdio>

namespace bench {

namespace {

void print_ratio(const results& measured, quantity to, double value) {
    const auto base = measured.median(to);
    if (base && *base > 0) {
        std::printf(" %9.2f", value / *base);
    } else {
        std::printf(" %9s", "");
    }
}

}  // namespace

void print_table(const results& measured) {
    std::string last;
    for (const auto& [what, values] : measured.all()) {
        const std::string group =
            what.workload + " n=" + std::to_string(what.n) + " " + what.metric;
        if (group != last) {
            std::printf("\n%-44s %12s %8s %9s %9s\n", group.c_str(), "median", "spread",
                        "/textbook", "/line");
            last = group;
        }
        const double value = *measured.median(what);
        std::printf("  %-42s %12.2f %7.0f%%", what.model.c_str(), value,
                    100 * measured.spread(what));
        print_ratio(measured, {what.workload, what.n, what.metric, "textbook_list_wheel"}, value);
        const bool time = what.metric.starts_with("ns_");
        print_ratio(measured, {what.workload, what.n, time ? "ns_per_op" : "", "probe_line"},
                    value);
        std::printf("\n");
    }
}

}  // namespace bench
