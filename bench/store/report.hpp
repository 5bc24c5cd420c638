// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/limit.hpp"

#include <vector>

namespace bench {

/// Rates, their ratios to the probe, and bytes on disk.
void print_table(const results& measured);

/// The must-hold list.
std::vector<limit> limits();

}  // namespace bench
