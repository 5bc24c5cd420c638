// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "machine_watch.hpp"

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string>

namespace bench {

namespace {

// The first line of /proc/stat, in seconds: user, nice, system, idle, iowait, irq, softirq, steal.
double busy_seconds() {
    static const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
    std::ifstream stat("/proc/stat");
    std::string name;
    double ticks[8] = {};
    stat >> name;
    for (double& t : ticks) stat >> t;
    if (!stat) return 0;
    return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) / ticks_per_second;
}

}  // namespace

machine_watch::reading machine_watch::look() {
    timespec ours{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ours);
    const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
    return {now.count(), busy_seconds(),
            static_cast<double>(ours.tv_sec) + static_cast<double>(ours.tv_nsec) / 1e9};
}

double machine_watch::others() const {
    const reading now = look();
    const double others = now.busy - begin_.busy - (now.ours - begin_.ours);
    return std::max(others, 0.0) / std::max(now.time - begin_.time, 1e-9);
}

bool machine_watch::disturbed() const {
    constexpr double tenth_of_a_core = 0.1;
    constexpr double unsure_seconds = 0.03;  // the kernel counts in ticks, for each core
    return others() > tenth_of_a_core + unsure_seconds / std::max(seconds(), 1e-9);
}

}  // namespace bench
