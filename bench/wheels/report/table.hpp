// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../common/results.hpp"

namespace bench {

/// Prints every median, with its spread and its ratio to the textbook wheel and to the line probe.
void print_table(const results& measured);

}  // namespace bench
