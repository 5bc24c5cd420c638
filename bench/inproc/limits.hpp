// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/limit.hpp"

#include <vector>

namespace bench {

/// The must-hold list.
const std::vector<limit>& limits();

/// The libraries that people take instead.
const std::vector<std::string>& peers();

}  // namespace bench
