// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../common/results.hpp"

namespace bench {

/// Prints every workload: operations a second and their spread, times, and how many times the best
/// of the libraries that people take instead each model does.
void print_table(const results& measured);

}  // namespace bench
