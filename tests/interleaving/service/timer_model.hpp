// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace foliot {

/// How many timers a scenario may have.
inline constexpr std::size_t max_timers = 3;

/// What happens to a timer. Of calls that touch several timers each timer has its own part.
enum class act : std::uint8_t {
    make,
    make_refused,  // the service had stopped
    cancel,
    await,  // cancel_and_wait has returned
    move,
    look,       // deadline()
    group,      // its part of a cancel_group
    group_sum,  // and what that said
    close,      // its part of a stop
    rest,       // and that stop has returned
    start,
    finish,
    give_up,  // rejected or shed
};

/// What a call, or a callback, came to.
enum class outcome : std::uint8_t { done, running, gone };

struct step {
    act what{};
    std::uint8_t timer = 0;
    outcome came_to = outcome::done;
    std::uint8_t call = 0;       // of a cancel_group: which
    std::uint8_t cancelled = 0;  // its sum
    std::uint8_t running = 0;
    std::chrono::nanoseconds time{};    // a deadline, or when it started
    std::chrono::nanoseconds set_at{};  // when a deadline was set
    std::chrono::nanoseconds period{};
};

/// One timer, as its documentation has it: the sequential model that histories are held against.
struct timer_model {
    enum class phase : std::uint8_t { none, pending, running, gone };

    phase now = phase::none;
    bool closed = false;
    bool ends = false;
    bool on_time = false;                 // it starts when it is due, and not later
    std::chrono::nanoseconds deadline{};  // at the earliest
    std::chrono::nanoseconds set_at{};
    std::chrono::nanoseconds period{};

    friend bool operator==(const timer_model&, const timer_model&) = default;

    [[nodiscard]] outcome status() const {
        switch (now) {
            case phase::pending: return outcome::done;  // of a cancel, a move
            case phase::running: return outcome::running;
            default: return outcome::gone;
        }
    }

    /// False: that cannot happen now.
    bool apply(const step& s) {
        switch (s.what) {
            case act::make:
                if (closed || now != phase::none) return false;
                now = phase::pending;
                deadline = s.time;
                set_at = s.set_at;
                period = s.period;
                return true;
            case act::make_refused: return closed;
            case act::cancel: return s.came_to == cancel();
            case act::await:
            case act::rest: return now == phase::gone || now == phase::none;
            case act::move:
                if (s.came_to != status()) return false;
                if (now == phase::pending) {
                    deadline = s.time;
                    set_at = s.set_at;
                }
                return true;
            case act::look: return looks_like(s);
            case act::close:
                closed = true;
                if (now == phase::pending) now = phase::gone;
                if (now == phase::running) ends = true;
                return true;
            case act::start:
                if (now != phase::pending || s.time < deadline) return false;
                if (on_time && s.time > std::max(deadline, set_at)) return false;
                now = phase::running;
                return true;
            case act::finish: return finish();
            case act::give_up:
                if (now != phase::pending || s.time < deadline) return false;
                now = phase::gone;
                return true;
            case act::group:
            case act::group_sum: return false;  // not of one timer
        }
        return false;
    }

    outcome cancel() {
        const outcome was = status();
        if (now == phase::running) ends = true;
        if (now == phase::pending) now = phase::gone;
        return was;
    }

private:
    bool looks_like(const step& s) const {
        if (status() == outcome::gone || s.came_to == outcome::gone) return status() == s.came_to;
        return period.count() == 0 ? s.time == deadline : s.time >= deadline;
    }
    bool finish() {
        if (now != phase::running) return false;
        if (period.count() > 0 && !ends && !closed) {
            now = phase::pending;
            deadline += period;
        } else {
            now = phase::gone;
        }
        return true;
    }
};

/// All timers of a scenario, and the sums of its group cancels.
struct timers_model {
    static constexpr std::size_t max_group_calls = 2;
    struct sum {
        std::uint8_t parts = 0;
        std::uint8_t cancelled = 0;
        std::uint8_t running = 0;
        friend bool operator==(const sum&, const sum&) = default;
    };

    std::array<timer_model, max_timers> timers{};
    std::array<sum, max_group_calls> groups{};
    std::uint8_t members = 0;  // of the group

    friend bool operator==(const timers_model&, const timers_model&) = default;

    bool apply(const step& s) {
        timer_model& t = timers[s.timer];
        if (s.what == act::group_sum) {
            return groups[s.call] == sum{members, s.cancelled, s.running};
        }
        if (s.what != act::group) return t.apply(s);
        sum& of = groups[s.call];
        ++of.parts;
        switch (t.cancel()) {
            case outcome::done: ++of.cancelled; break;
            case outcome::running: ++of.running; break;
            case outcome::gone: break;
        }
        return true;
    }
};

}  // namespace foliot
