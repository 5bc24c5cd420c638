// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/clock.hpp>
#include <foliot/time/detail/contract.hpp>

#include <chrono>

namespace foliot {

/// A monotonic_clock that stands still until it is told otherwise. For tests and simulations.
///
/// Time:    O(1).
/// Threads: none; one caller at a time.
/// Memory:  8 bytes.
/// Errors:  going back ends the process: a monotonic clock does not.
/// Order:   readings never decrease.
class manual_clock {
public:
    explicit constexpr manual_clock(std::chrono::nanoseconds start = {}) noexcept : now_(start) {}

    [[nodiscard]] constexpr std::chrono::nanoseconds now() const noexcept { return now_; }

    /// Goes to `now`, which must not be earlier than the last reading (checked).
    constexpr void set(std::chrono::nanoseconds now) noexcept {
        detail::require(now >= now_, "manual_clock: set to an earlier time");
        now_ = now;
    }

    /// Goes on by `step`, which must not be negative (checked).
    constexpr void advance(std::chrono::nanoseconds step) noexcept {
        detail::require(step.count() >= 0, "manual_clock: advanced by a negative step");
        now_ += step;
    }

private:
    std::chrono::nanoseconds now_;
};

static_assert(monotonic_clock<manual_clock>);

}  // namespace foliot
