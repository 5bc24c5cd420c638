// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include "../limits.hpp"

#include <algorithm>
#include <cstdio>

namespace bench {

namespace {

double best_of_peers(const results& measured, quantity what) {
    double best = 0;
    for (const std::string& name : peers()) {
        what.model = name;
        best = std::max(best, measured.median(what).value_or(0));
    }
    return best;
}

double other(const results& measured, quantity what, const char* metric) {
    what.metric = metric;
    return measured.median(what).value_or(0);
}

void print_lateness(const results& measured) {
    for (const auto& [what, values] : measured.all()) {
        if (what.workload != "lateness") continue;
        if (what.metric == "early") {
            std::printf("\nlateness of %s, n=%llu\n", what.model.c_str(),
                        static_cast<unsigned long long>(what.n));
        }
        std::printf("  %-38s %12.3f\n", what.metric.c_str(), *measured.median(what));
    }
}

}  // namespace

void print_table(const results& measured) {
    std::string last;
    for (const auto& [what, values] : measured.all()) {
        if (what.metric != "ops_per_s") continue;
        const std::string group = what.workload + " threads=" + std::to_string(what.threads) +
                                  " n=" + std::to_string(what.n);
        if (group != last) {
            std::printf("\n%-40s %12s %7s %9s %9s %10s\n", group.c_str(), "ops_per_s", "spread",
                        "ns/op", "cpu ns/op", "/best peer");
            last = group;
        }
        const double value = *measured.median(what);
        const double best = best_of_peers(measured, what);
        std::printf("  %-38s %12.0f %6.0f%% %9.1f %9.1f", what.model.c_str(), value,
                    100 * measured.spread(what), other(measured, what, "ns_per_op"),
                    other(measured, what, "cpu_ns_per_op"));
        if (best > 0) std::printf(" %10.2f", value / best);
        std::printf("\n");
    }
    print_lateness(measured);
}

}  // namespace bench
