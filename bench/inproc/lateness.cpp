// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "lateness.hpp"

#include "../common/command_line.hpp"
#include "../common/progress.hpp"
#include "workloads/patience.hpp"

#include <foliot/service/timer_service.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

namespace bench {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

struct planned {
    nanoseconds made;  // since the begin
    nanoseconds delay;
};

std::vector<planned> draw(std::size_t n, nanoseconds length, nanoseconds longest,
                          std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<nanoseconds::rep> when(0, length.count());
    std::uniform_int_distribution<nanoseconds::rep> delay(0, longest.count());
    std::vector<planned> all(n);
    for (planned& p : all) p = {nanoseconds(when(random)), nanoseconds(delay(random))};
    std::sort(all.begin(), all.end(),
              [](const planned& a, const planned& b) { return a.made < b.made; });
    return all;
}

// How late each of them was.
std::vector<nanoseconds> lateness_of(const std::vector<planned>& all) {
    std::vector<nanoseconds> late(all.size());
    std::atomic<std::size_t> runs{0};
    foliot::timer_service timers;
    const auto begin = clock::now();
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::this_thread::sleep_until(begin + all[i].made);
        const auto deadline = clock::now() + all[i].delay;
        timers.at(deadline, [&late, &runs, deadline, i] {
            late[i] = clock::now() - deadline;
            runs.fetch_add(1, std::memory_order_release);
        });
    }
    patience waiting;
    while (runs.load(std::memory_order_acquire) < all.size()) {
        waiting.lose();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return late;
}

// Of how late the given part of them were at most.
double quantile(const std::vector<nanoseconds>& sorted, double part) {
    const auto rank = std::ceil(part * static_cast<double>(sorted.size()));
    const auto index = std::min(static_cast<std::size_t>(std::max(rank, 1.0)), sorted.size()) - 1;
    return std::chrono::duration<double, std::milli>(sorted[index]).count();
}

}  // namespace

bool measure_lateness(const options& o, results& into) {
    if (!allows(o.only, "lateness") || !allows(o.models, "timer_service")) return true;
    constexpr std::size_t per_second = 10'000;
    const std::chrono::milliseconds length(o.smoke ? 100 : 5'000);
    const std::chrono::milliseconds longest_delay(o.smoke ? 100 : 1'000);
    const std::size_t n = per_second * static_cast<std::size_t>(length.count()) / 1000;
    show_progress("lateness");
    std::vector<nanoseconds> late = lateness_of(draw(n, length, longest_delay, o.seed));
    clear_progress();
    std::sort(late.begin(), late.end());
    const auto early = std::lower_bound(late.begin(), late.end(), nanoseconds{0}) - late.begin();
    const auto tell = [&](const char* metric, double value) {
        into.add({"lateness", n, metric, "timer_service", 1}, value);
    };
    tell("p50_ms", quantile(late, 0.5));
    tell("p99_ms", quantile(late, 0.99));
    tell("p999_ms", quantile(late, 0.999));
    tell("max_ms", quantile(late, 1));
    tell("early", static_cast<double>(early));
    if (early > 0) std::fprintf(stderr, "\nlateness: %td timers were early\n", early);
    return early == 0;
}

}  // namespace bench
