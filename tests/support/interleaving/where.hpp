// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace foliot::interleaving {

/// The functions of Foliot that the caller is in, the innermost first, as " in a < b": for traces.
/// Only of programs that export their symbols, and of functions that were not inlined.
[[nodiscard]] std::string where();

}  // namespace foliot::interleaving
