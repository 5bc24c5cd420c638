// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>

#include <atomic>
#include <chrono>

namespace foliot {

/// Where a timer service reads the time. Both are durations since the clock's epoch, not negative.
///
/// Threads: every thread reads it.
class service_clock {
public:
    service_clock() = default;
    service_clock(const service_clock&) = delete;
    service_clock& operator=(const service_clock&) = delete;
    virtual ~service_clock() = default;

    /// std::chrono::steady_clock's: never runs backwards.
    [[nodiscard]] virtual std::chrono::nanoseconds steady() const noexcept = 0;
    /// std::chrono::system_clock's: may be set.
    [[nodiscard]] virtual std::chrono::nanoseconds wall() const noexcept = 0;
};

/// The machine's clocks.
[[nodiscard]] const service_clock& machine_clock() noexcept;

namespace detail {

/// machine_clock().steady(), for who does not know yet which clock he goes by.
[[nodiscard]] std::chrono::nanoseconds machine_steady() noexcept;

}  // namespace detail

/// A clock that stands still until it is told otherwise, for tests: give it to a service without a
/// driver, advance it, and call the service's poll().
///
///     foliot::manual_service_clock clock;
///     foliot::timer_service timers({.clock = &clock, .driver = false, .workers = 0});
///     timers.after(30s, [&] { expired = true; });
///     clock.advance(30s);
///     timers.poll();
class manual_service_clock final : public service_clock {
public:
    [[nodiscard]] std::chrono::nanoseconds steady() const noexcept override {
        return std::chrono::nanoseconds{steady_.load(std::memory_order_acquire)};
    }
    [[nodiscard]] std::chrono::nanoseconds wall() const noexcept override {
        return std::chrono::nanoseconds{wall_.load(std::memory_order_acquire)};
    }

    /// Both go on by `step`, which must not be negative (checked).
    void advance(std::chrono::nanoseconds step) noexcept {
        detail::require(step.count() >= 0, "manual_service_clock: advanced by a negative step");
        steady_.fetch_add(step.count(), std::memory_order_acq_rel);
        wall_.fetch_add(step.count(), std::memory_order_acq_rel);
    }
    /// Somebody sets the wall clock: forwards or back.
    void step_wall(std::chrono::nanoseconds step) noexcept {
        wall_.fetch_add(step.count(), std::memory_order_acq_rel);
    }

private:
    std::atomic<std::chrono::nanoseconds::rep> steady_{1'000'000'000};
    std::atomic<std::chrono::nanoseconds::rep> wall_{1'700'000'000'000'000'000};
};

}  // namespace foliot
