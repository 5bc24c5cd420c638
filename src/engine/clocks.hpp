// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.hpp"

#include <foliot/time/tick.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace foliot::engine {

/// The two clocks of docs/guarantees.md, derived from an `instant`.
///
/// service = steady + base: it runs evenly, and equals wall time as long as nobody steps that.
/// offset = wall - service: what all steps so far add up to. Base and offset are kept in the store,
/// so that a restart moves no relative due.
class clocks {
public:
    using ns = std::chrono::nanoseconds;

    /// Smaller differences are reading noise, not steps.
    static constexpr ns smallest_step = std::chrono::milliseconds{20};

    /// Begin at `now`, with the offset that the store remembers: all there is to go by after a
    /// reboot (a step made while nobody looked moves the service clock too).
    void start_by_offset(instant now, ns offset) {
        offset_ = offset;
        base_ = now.wall - offset_ - now.steady;
        set(now);
    }

    /// Begin at `now` in the boot in which `base` was stored: exactly where the clock would be.
    void start_by_base(instant now, ns base) {
        base_ = base;
        offset_ = now.wall - now.steady - base;
        set(now);
    }

    /// Returns true if the wall clock was stepped since: `offset()` changed and must be stored.
    bool set(instant now) {
        now_ = now;
        const ns measured = now.wall - service();
        const ns step = measured - offset_;
        if (step < smallest_step && -step < smallest_step) return false;
        offset_ = measured;
        return true;
    }

    [[nodiscard]] ns service() const { return now_.steady + base_; }
    [[nodiscard]] ns wall() const { return now_.wall; }
    [[nodiscard]] ns offset() const { return offset_; }
    [[nodiscard]] ns base() const { return base_; }
    [[nodiscard]] ns now(store::clock_kind c) const {
        return c == store::clock_kind::service ? service() : wall();
    }

    /// Every timer due by this tick is due: rounds down.
    [[nodiscard]] tick now_tick(store::clock_kind c) const {
        const auto t = now(c);
        return t < ns::zero() ? tick{} : tick{static_cast<std::uint64_t>(t / tick_length)};
    }

    /// The first tick at which `delay` has passed in full: rounds up.
    [[nodiscard]] tick service_due(ns delay) const {
        const auto rounded_up = [](ns t) { return (t + tick_length - ns{1}) / tick_length; };
        const ns from = service();
        const auto due = delay > ns::max() - tick_length - from ? ns::max() / tick_length
                                                                : rounded_up(from + delay);
        return due < 0 ? tick{} : tick{static_cast<std::uint64_t>(due)};
    }

    /// The steady time at which tick `t` of clock `c` has come.
    [[nodiscard]] ns steady_at(store::clock_kind c, tick t) const {
        const auto furthest = static_cast<std::uint64_t>(ns::max() / tick_length) / 2;
        const ns on_clock = tick_length * static_cast<std::int64_t>(std::min(t.count, furthest));
        return on_clock - now(c) + now_.steady;
    }

    /// How long ago `t` came; never negative.
    [[nodiscard]] ns since(store::clock_kind c, tick t) const {
        const auto count = std::min(t.count, static_cast<std::uint64_t>(ns::max() / tick_length));
        return std::max(ns::zero(), now(c) - tick_length * static_cast<std::int64_t>(count));
    }

    /// A due as wall-clock time, as far as the steps seen so far tell. And back.
    [[nodiscard]] tick to_wall(store::due_point p) const {
        return p.clock == store::clock_kind::wall ? p.at : shift(p.at, offset_);
    }
    [[nodiscard]] tick from_wall(store::clock_kind c, tick wall) const {
        return c == store::clock_kind::wall ? wall : shift(wall, -offset_);
    }

private:
    static constexpr ns tick_length = std::chrono::milliseconds{1};

    static tick shift(tick t, ns by) {
        const std::int64_t ms = by / tick_length;
        if (ms >= 0) return saturating_add(t, static_cast<std::uint64_t>(ms));
        const auto back = static_cast<std::uint64_t>(-ms);
        return t == tick::max() ? t : tick{t.count > back ? t.count - back : 0};
    }

    instant now_{};
    ns base_{};
    ns offset_{};
};

}  // namespace foliot::engine
