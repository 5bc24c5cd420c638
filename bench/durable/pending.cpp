// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "house.hpp"
#include "workloads.hpp"

#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>

namespace bench {

namespace {

using std::chrono::milliseconds;

constexpr double minute = 60e3;
constexpr double day = 86'400e3;

/// The same delay for the same timer, whichever thread sets it.
milliseconds delay_of(const std::string& dues, std::uint64_t seed, std::uint64_t i) {
    std::mt19937_64 random(seed * 0x9e3779b97f4a7c15 + i);
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    double ms = 0;
    if (dues == "ten_minutes") {
        ms = 2 * minute + u * 10 * minute;  // none is due while they are set
    } else if (dues == "months") {
        ms = (30 + 60 * u) * day;
    } else if (dues == "log_uniform") {
        ms = std::exp(std::log(1e3) + u * (std::log(90 * day) - std::log(1e3)));
    } else {
        throw std::runtime_error("no distribution '" + dues + "'");
    }
    return milliseconds{static_cast<std::int64_t>(ms)};
}

}  // namespace

void measure_pending(const options& o, const std::string& dues, results& into) {
    house h(o);
    h.start();
    const std::uint64_t n = o.pending;
    const seconds setting = set_many(h, 0, n, "others", [&](std::uint64_t i) {
        return foliot::client::when::in(delay_of(dues, o.seed, i));
    });
    const auto tell = [&](const char* metric, double value) {
        into.add({"pending_" + dues, n, metric, "foliotd"}, value);
        std::printf("  pending, %s, n=%llu: %s %.3f\n", dues.c_str(),
                    static_cast<unsigned long long>(n), metric, value);
        std::fflush(stdout);
    };
    tell("sets_per_s", static_cast<double>(n) / setting.count());
    tell("resident_mb", static_cast<double>(h.resident_bytes()) / 1e6);

    // One that becomes due while foliotd is down.
    set_many(h, n, n + 1, "due_while_down",
             [](std::uint64_t) { return foliot::client::when::in(1ms); });
    h.stop();
    tell("disk_bytes_per_timer", static_cast<double>(h.disk_bytes()) / static_cast<double>(n));
    const auto begin = std::chrono::steady_clock::now();
    h.start();
    const auto ready = std::chrono::steady_clock::now();
    auto consumer = h.new_client();
    const auto first = must(consumer.lease({.queue = "due_while_down", .wait = 30s}));
    if (first.size() != 1) throw std::runtime_error("what was due while down did not come");
    tell("restart_to_ready_s", seconds(ready - begin).count());
    tell("first_due_after_ready_s", seconds(std::chrono::steady_clock::now() - ready).count());
    tell("resident_after_restart_mb", static_cast<double>(h.resident_bytes()) / 1e6);
}

}  // namespace bench
