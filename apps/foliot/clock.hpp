// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace foliot::cli {

/// The wall clock, in ms since 1970; the only clock of the program, for "in 1h 3m".
[[nodiscard]] std::int64_t wall_now_ms();

}  // namespace foliot::cli
