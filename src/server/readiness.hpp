// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/stats.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace foliot::server {

/// When GET /readyz turns red.
struct ready_options {
    /// ready.max_stall: the firing loop made no step, or a store call runs, for longer.
    std::chrono::milliseconds max_stall{2000};

    /// ready.max_overdue: firing is behind by more, and the timers that are due and not offered
    /// do not become fewer, for longer.
    std::chrono::milliseconds max_overdue{5000};
};

/// Watches whether the backlog of due, unfired timers shrinks.
class backlog_watch {
public:
    void observe(std::chrono::nanoseconds now, std::uint64_t overdue);

    /// How long the backlog has not reached a new low; zero without a backlog.
    [[nodiscard]] std::chrono::nanoseconds stuck_for(std::chrono::nanoseconds now) const;

private:
    std::uint64_t low_ = 0;  // smallest since the backlog began; 0: there is none
    std::chrono::nanoseconds since_{};
};

/// What readiness is judged by, gathered at one moment.
struct vital_signs {
    std::chrono::nanoseconds since_step{};
    std::chrono::nanoseconds backlog_stuck{};
    std::uint64_t overdue = 0;
    std::chrono::nanoseconds behind{};
    bool loaded = false;
    bool stopping = false;
    bool store_failing = false;
    std::chrono::nanoseconds store_call{};
    std::string store_error;
    std::string read_error;  ///< why timers may be missing: the store could not be read just now
    std::uint64_t disagreements = 0;  ///< that the last self-check found
    std::string first_disagreement;
};

struct verdict {
    bool ready = false;
    std::string reason;  ///< a short code: stopping, stalled, store_failing, ...
    std::string message;
};

[[nodiscard]] verdict judge(const vital_signs& signs, const ready_options& options);

}  // namespace foliot::server
