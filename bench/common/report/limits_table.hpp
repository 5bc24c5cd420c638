// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../limit.hpp"

#include <vector>

namespace bench {

/// Prints the must-hold list with what was measured. True: no line is missed; one that was not
/// measured is none.
bool print_limits(const std::vector<limit>& limits, const results& measured);

}  // namespace bench
