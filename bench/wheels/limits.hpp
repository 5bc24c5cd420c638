// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/limit.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The must-hold list.
const std::vector<limit>& limits();

/// Whether a line of the must-hold list needs this measurement.
bool needed_by_limits(const std::string& workload, std::uint64_t n, std::string_view model);

}  // namespace bench
