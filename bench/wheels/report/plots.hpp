// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../common/results.hpp"

#include <string>

namespace bench {

/// Has gnuplot draw each metric in nanoseconds or bytes against the number of pending timers, one
/// SVG for each workload: <folder>/<workload>_<metric>.svg. Without gnuplot it says so.
void draw_plots(const results& measured, const std::string& folder);

}  // namespace bench
