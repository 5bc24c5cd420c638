// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/random.hpp"

#include <foliot/time/tick.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace foliot::sim {

/// The machine's clocks, moved by the simulation's time `t`: a boot clock, a wall clock that is
/// stepped and drifts, and beside them the service clock as docs/guarantees.md defines it, which
/// knows nothing of how the engine computes it.
class machine {
public:
    /// 2027-01-15T08:00:00Z, far from any boundary that matters.
    static constexpr ns start_of_time = std::chrono::seconds{1'800'000'000};

    [[nodiscard]] ns steady(ns t) const { return t + steady_offset_; }
    [[nodiscard]] ns wall(ns t) const {
        const ns passed = t - wall_since_;
        return wall_then_ + passed + passed / 1'000'000 * drift_ppm_;
    }
    [[nodiscard]] ns service(ns t) const { return t + service_offset_; }
    [[nodiscard]] std::uint64_t boot() const { return boot_; }

    void step_wall(ns t, ns by) { wall_is(t, wall(t) + by); }

    /// The wall clock runs this much too fast from here on, in millionths.
    void drift(ns t, std::int64_t ppm) {
        wall_is(t, wall(t));
        drift_ppm_ = ppm;
    }

    void suspend(ns t, ns length) {
        steady_offset_ += length;
        service_offset_ += length;
        wall_is(t, wall(t) + length);
    }

    /// Off for a while, and up again: the boot clock starts anew.
    void reboot(ns t, ns off) {
        wall_is(t, wall(t) + off);
        service_offset_ += off;
        steady_offset_ = std::chrono::seconds{7} - t;
        ++boot_;
    }

    /// After a reboot the service clock is what the wall clock and the stored steps make of it.
    void service_is(ns t, ns now) { service_offset_ = now - t; }

private:
    void wall_is(ns t, ns now) {
        wall_then_ = now;
        wall_since_ = t;
    }

    ns steady_offset_ = std::chrono::hours{1};
    ns wall_then_ = start_of_time;
    ns wall_since_{};
    ns service_offset_ = start_of_time;
    std::int64_t drift_ppm_ = 0;
    std::uint64_t boot_ = 1;
};

/// What the wall clock showed, each time that the engine looked. A timer that came due stays due
/// when the clock is stepped back afterwards, so what counts is the latest time shown since.
class wall_readings {
public:
    void note(ns wall) {
        ++count_;
        while (!latest_.empty() && latest_.back().second <= wall) latest_.pop_back();
        latest_.emplace_back(count_, wall);
    }
    [[nodiscard]] std::size_t count() const { return count_; }

    /// The latest time among the readings after the first `skip`.
    [[nodiscard]] ns latest_after(std::size_t skip) const {
        const auto at = std::upper_bound(latest_.begin(), latest_.end(), skip,
                                         [](std::size_t s, const auto& r) { return s < r.first; });
        return at == latest_.end() ? ns::min() : at->second;
    }

private:
    std::size_t count_ = 0;
    std::vector<std::pair<std::size_t, ns>> latest_;  ///< falling times
};

}  // namespace foliot::sim
