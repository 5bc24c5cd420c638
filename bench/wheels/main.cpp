// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../common/program.hpp"
#include "../common/report/json.hpp"
#include "../common/report/limits_table.hpp"
#include "limits.hpp"
#include "models/all.hpp"
#include "options.hpp"
#include "report/plots.hpp"
#include "report/table.hpp"
#include "runner.hpp"
#include "steady_machine.hpp"

#include <cstdio>

namespace {

int measure(const bench::options& options) {
    bench::steady_machine();
    bench::results measured;
    const bool same_work = bench::runner(options, bench::make_all()).run(measured);
    bool all_hold = true;
    if (!options.smoke) {
        bench::print_table(measured);
        all_hold = bench::print_limits(bench::limits(), measured);
        bench::write_json(measured, options.json);
        bench::draw_plots(measured, options.plots);
    }
    std::printf("checksums: %s\n", same_work ? "equal" : "DIFFER");
    return same_work && (all_hold || !options.strict) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const bench::options options = bench::parse_options(argc, argv);
    return bench::run_program("wheels", [&] { return measure(options); });
}
