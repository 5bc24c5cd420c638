// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/stats.hpp"
#include "server/histogram.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace foliot::server {

/// Counts of the HTTP side, written by the net threads.
struct http_counters {
    std::array<std::atomic<std::uint64_t>, 5> responses{};  ///< by class: 1xx .. 5xx
    std::atomic<std::uint64_t> connections{0};              ///< open now
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<std::uint64_t> refused{0};  ///< over limits.connections
    std::atomic<std::uint64_t> unauthorized{0};
    std::atomic<std::uint64_t> timeouts{0};    ///< closed: head, body or write too slow
    std::atomic<std::uint64_t> body_bytes{0};  ///< of bodies held now
};

/// Everything one scrape tells.
struct metrics_input {
    const engine::stats& engine;
    const http_counters& http;
    const duration_histogram& commit_latency;
    bool ready = false;
    bool store_failing = false;
    std::chrono::nanoseconds since_step{};
    std::chrono::nanoseconds process_start{};  ///< since 1970
    std::size_t max_queues = 100;              ///< queues with samples of their own
};

/// The Prometheus text format. O(number of queues).
[[nodiscard]] std::string render_metrics(const metrics_input& in);

}  // namespace foliot::server
