// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "heap.hpp"

#include <malloc.h>

namespace bench {

void keep_heap() {
    // glibc raises the first of these by itself, up to this, as a program frees large blocks.
    constexpr int largest_from_heap = 32 << 20;
    constexpr int never = 0x7fffffff;
    mallopt(M_MMAP_THRESHOLD, largest_from_heap);
    mallopt(M_TRIM_THRESHOLD, never);
}

}  // namespace bench
