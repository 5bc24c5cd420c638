// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace foliot::sim {

struct found_seed {
    std::uint64_t seed;
    const char* what;
};

/// Seeds that found a fault in the engine. A change of how plans are drawn makes others of them:
/// each fault has a test of its own beside.
inline constexpr found_seed found_seeds[]{
    {19, "a live lease of a far row was said to be stale by extend after a store failure"},
};

}  // namespace foliot::sim
