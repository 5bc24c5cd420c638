// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "steady_machine.hpp"

#include "../common/heap.hpp"

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
    keep_heap();
}

}  // namespace bench
