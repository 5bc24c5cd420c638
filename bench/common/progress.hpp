// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bench {

/// Shows what is under way, in one line of the terminal; nowhere else.
void show_progress(const std::string& what);
void clear_progress();

}  // namespace bench
