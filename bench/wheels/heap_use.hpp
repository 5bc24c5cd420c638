// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <malloc.h>
#include <cstddef>

namespace bench {

/// Bytes that malloc has given out and not got back, its headers and rounding included: the main
/// arena's, which is all that a program of one thread has. Nothing is counted in malloc itself, so
/// that the models that allocate much are not slowed down by it.
inline std::size_t heap_use() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

}  // namespace bench
