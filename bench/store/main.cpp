// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../common/heap.hpp"
#include "../common/program.hpp"
#include "../common/report/json.hpp"
#include "../common/report/limits_table.hpp"
#include "options.hpp"
#include "report.hpp"
#include "runner.hpp"

#include <cstdio>
#include <stdexcept>

namespace {

bench::contenders make_all() {
    bench::contenders all;
    all.push_back(bench::make_probe_append());
    all.push_back(bench::make_rocksdb());
    all.push_back(bench::make_memory());
    return all;
}

int measure(const bench::options& options) {
    bench::keep_heap();
    bench::results measured;
    bench::runner contests(options, make_all());
    const bool right = contests.run(measured);
    if (measured.all().empty()) throw std::runtime_error("nothing to measure: see --only");
    bool all_hold = true;
    if (!options.smoke) {
        bench::print_table(measured);
        all_hold = bench::print_limits(bench::limits(), measured);
        bench::write_json(measured, options.json);
        contests.tell_disturbed();
    }
    std::printf("checksums: %s\n", right ? "equal" : "DIFFER");
    return right && (all_hold || !options.strict) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const bench::options options = bench::parse_options(argc, argv);
    return bench::run_program("store", [&] { return measure(options); });
}
