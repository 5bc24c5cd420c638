// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace bench {

/// Nanoseconds that this thread has been on a core: what others do to the machine meanwhile shows
/// in caches and memory only.
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

/// Takes the time of short things that follow each other, without the time in which another program
/// had the core: nobody takes a core for less than it takes to tell, so only what was long is
/// looked at with the thread's own clock.
class lap_watch {
public:
    /// A lap begins here.
    void restart() {
        thread_ = thread_ns();
        last_ = synchronized_ = stamp();
    }

    /// Nanoseconds since the lap began; the next begins.
    double lap() {
        const std::uint64_t now = stamp();
        double took = in_ns(now - last_);
        last_ = now;
        if (took < long_lap && ++laps_ % laps_per_synchronization != 0) return took;
        const double away = in_ns(now - synchronized_) - (thread_ns() - thread_);
        if (took >= long_lap) took -= std::clamp(away, 0.0, took);
        restart();
        return took;
    }

private:
    static constexpr double long_lap = 20'000;
    static constexpr unsigned laps_per_synchronization = 256;  // so that the clocks do not drift

    double in_ns(std::uint64_t stamps) const { return static_cast<double>(stamps) * ns_per_stamp_; }

    double ns_per_stamp_ = ns_per_stamp();
    std::uint64_t last_ = 0;
    std::uint64_t synchronized_ = 0;
    double thread_ = 0;  // the thread's clock then
    unsigned laps_ = 0;
};

}  // namespace bench
