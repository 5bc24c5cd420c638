// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../common/command_line.hpp"
#include "../common/program.hpp"
#include "../common/report/json.hpp"
#include "../common/report/limits_table.hpp"
#include "options.hpp"
#include "workloads.hpp"

#include <cstdio>
#include <vector>

namespace {

using bench::limit;

std::vector<limit> limits(const bench::options& o) {
    std::vector<limit> all;
    const auto at_most = [&](const std::string& workload, std::uint64_t n,
                             const std::string& metric, double bound) {
        all.push_back({workload + ", n=" + std::to_string(n) + ": " + metric,
                       {workload, n, metric, "foliotd"},
                       {},
                       true,
                       bound});
    };
    for (const auto& dues : o.dues) {
        const std::string workload = "pending_" + dues;
        at_most(workload, o.pending, "restart_to_ready_s", 5);
        at_most(workload, o.pending, "first_due_after_ready_s", 1);
        at_most(workload, o.pending, "resident_mb", 1500);
        at_most(workload, o.pending, "resident_after_restart_mb", 1500);
    }
    const std::uint64_t burst = o.pending / 10 < 100 ? 100 : o.pending / 10;
    at_most("burst", burst, "call_p99_ms", 50);
    at_most("burst", burst, "early", 0);
    at_most("lateness", o.rate * o.seconds, "p50_ms", 2);
    at_most("lateness", o.rate * o.seconds, "p99_ms", 10);
    at_most("lateness", o.rate * o.seconds, "early", 0);
    return all;
}

int measure(const bench::options& o) {
    bench::results measured;
    if (bench::allows(o.only, "lateness")) bench::measure_lateness(o, measured);
    if (bench::allows(o.only, "burst")) bench::measure_burst(o, measured);
    if (bench::allows(o.only, "pending")) {
        for (const auto& dues : o.dues) bench::measure_pending(o, dues, measured);
    }
    if (o.smoke) return 0;
    const bool all_hold = bench::print_limits(limits(o), measured);
    bench::write_json(measured, o.json);
    return all_hold || !o.strict ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const bench::options options = bench::parse_options(argc, argv);
    return bench::run_program("durable", [&] { return measure(options); });
}
