// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/command.hpp"

#include <cstdint>

namespace foliot::engine {

/// Of all that a set asks for, but its name and key: a retry with the same key has the same one.
/// It is stored, so it never changes: FNV-1a, 64 bits.
[[nodiscard]] std::uint64_t fingerprint(const set_timer& c);

}  // namespace foliot::engine
