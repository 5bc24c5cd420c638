// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/timer_model.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace foliot {

/// A reusable_timer, as its documentation has it. Steps are those of timer_model: `make` arms it.
struct reusable_model {
    enum class phase : std::uint8_t { idle, pending, running };

    phase now = phase::idle;
    bool closed = false;
    std::chrono::nanoseconds deadline{};
    std::optional<std::chrono::nanoseconds> again;  // armed while it runs

    friend bool operator==(const reusable_model&, const reusable_model&) = default;

    bool apply(const step& s) {
        switch (s.what) {
            case act::make:
                if (closed) return false;
                if (now == phase::running) {
                    again = s.time;
                } else {
                    now = phase::pending;
                    deadline = s.time;
                }
                return true;
            case act::make_refused: return closed;
            case act::cancel: return s.came_to == cancel();
            case act::await:
            case act::rest: return now != phase::running;
            case act::look: return looks_like(s);
            case act::close:
                closed = true;
                if (now == phase::pending) now = phase::idle;
                again.reset();
                return true;
            case act::start:
                if (now != phase::pending || s.time < deadline) return false;
                now = phase::running;
                return true;
            case act::finish:
                if (now != phase::running) return false;
                now = again ? phase::pending : phase::idle;
                if (again) deadline = *again;
                again.reset();
                return true;
            case act::give_up:
                if (now != phase::pending || s.time < deadline) return false;
                now = phase::idle;
                return true;
            default: return false;
        }
    }

private:
    outcome cancel() {
        switch (now) {
            case phase::pending: now = phase::idle; return outcome::done;
            case phase::running: again.reset(); return outcome::running;
            case phase::idle: break;
        }
        return outcome::gone;
    }
    [[nodiscard]] bool looks_like(const step& s) const {
        if (now == phase::idle) return s.came_to == outcome::gone;
        if (s.came_to == outcome::gone) return false;
        return s.time == (again ? *again : deadline);
    }
};

}  // namespace foliot
