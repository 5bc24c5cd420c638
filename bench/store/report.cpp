// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>

namespace bench {

namespace {

const std::string ours = "rocksdb_store";
const std::string probe = "probe_append";
const std::string rate = "ops_per_s";

double other(const results& measured, quantity what, const char* metric) {
    what.metric = metric;
    return measured.median(what).value_or(0);
}

limit of_probe(double bound, const std::string& workload) {
    constexpr std::uint64_t group = 256;
    return {workload + ", groups of 256: " + ours + " / " + probe,
            {workload, group, rate, ours},
            {{workload, group, rate, probe}},
            false,
            bound};
}

}  // namespace

void print_table(const results& measured) {
    std::string last;
    for (const auto& [what, values] : measured.all()) {
        if (what.metric != rate) continue;
        const std::string group = what.workload + " group=" + std::to_string(what.n);
        if (group != last) {
            std::printf("\n%-28s %12s %7s %10s %10s %10s %12s %8s\n", group.c_str(), "ops_per_s",
                        "spread", "cpu us/op", "p50 ms", "p99 ms", "bytes/timer", "/probe");
            last = group;
        }
        const double value = *measured.median(what);
        const double base = measured.median({what.workload, what.n, rate, probe}).value_or(0);
        std::printf("  %-26s %12.0f %6.0f%% %10.2f %10.2f %10.2f %12.0f", what.model.c_str(), value,
                    100 * measured.spread(what), other(measured, what, "cpu_us_per_op"),
                    other(measured, what, "p50_commit_ms"), other(measured, what, "p99_commit_ms"),
                    other(measured, what, "bytes_per_timer"));
        if (base > 0) std::printf(" %8.2f", value / base);
        std::printf("\n");
    }
}

std::vector<limit> limits() {
    return {of_probe(0.6, "near_set"),
            of_probe(0.2, "far_set"),
            {"near_set_cancel, groups of 4096: operations a second",
             {"near_set_cancel", 4096, rate, ours},
             {},
             false,
             200'000}};
}

}  // namespace bench
