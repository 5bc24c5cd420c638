// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../results.hpp"

#include <string>

namespace bench {

/// Writes the medians as a flat array of {"workload","model","threads","n","metric","value"},
/// without "threads" where there are none to tell; makes the folder.
void write_json(const results& measured, const std::string& file);

}  // namespace bench
