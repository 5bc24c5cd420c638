// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "steady_machine.hpp"

#include <malloc.h>
#include <sched.h>
#include <cstdio>

namespace bench {

void steady_machine() {
    const int core = sched_getcpu();
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    if (core < 0 || sched_setaffinity(0, sizeof cores, &cores) != 0) {
        std::fprintf(stderr, "wheels: cannot stay on one core; times will vary more\n");
    }
    // glibc raises the first of these by itself, up to this, as a program frees large blocks.
    constexpr int largest_from_heap = 32 << 20;
    constexpr int never = 0x7fffffff;
    mallopt(M_MMAP_THRESHOLD, largest_from_heap);
    mallopt(M_TRIM_THRESHOLD, never);
}

}  // namespace bench
