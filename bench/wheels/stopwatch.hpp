// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace bench {

/// Nanoseconds that this thread has been on a core: what others do to the machine meanwhile shows in
/// caches and memory only.
inline double thread_ns() {
    timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) * 1e9 + static_cast<double>(spent.tv_nsec);
}

/// Cheap stamps for the time of one tick.
inline std::uint64_t stamp() {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// How long a stamp is, found once by looking at both clocks for 20 ms.
inline double ns_per_stamp() {
    static const double length = [] {
        using clock = std::chrono::steady_clock;
        const auto begin = clock::now();
        const std::uint64_t first = stamp();
        while (clock::now() - begin < std::chrono::milliseconds(20)) {}
        const std::uint64_t last = stamp();
        const std::chrono::duration<double, std::nano> took = clock::now() - begin;
        return took.count() / static_cast<double>(last - first);
    }();
    return length;
}

}  // namespace bench
