// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace foliot::interleaving {

/// The fault that is to show now, of those planted into copies of sources (explored.cmake). Empty:
/// none.
inline std::string_view planted_now;

[[nodiscard]] inline bool planted(std::string_view fault) noexcept { return fault == planted_now; }

}  // namespace foliot::interleaving
