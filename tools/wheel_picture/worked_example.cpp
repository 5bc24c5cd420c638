// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "worked_example.hpp"

#include "observed_wheel.hpp"

#include <cstdint>
#include <cstdio>
#include <utility>

namespace wheel_picture {

namespace {

using foliot::tick;
using foliot::timer_hook;
using wheel_of_seconds = observed_wheel<60, 4>;

constexpr std::uint64_t due = 2 * 3600 + 5 * 60;

class log {
public:
    void title(const char* text) { (text_ += text) += '\n'; }

    void line(const wheel_of_seconds& wheel, timer_hook& hook, const char* what) {
        char line[160];
        const auto next = wheel.next_wakeup();
        std::snprintf(line, sizeof line, "  %5llu  %-22s %-19s levels 0..3: %zu %zu %zu %zu  %s\n",
                      static_cast<unsigned long long>(wheel.cursor().count), what,
                      place(hook).c_str(), wheel.occupancy(0), wheel.occupancy(1),
                      wheel.occupancy(2), wheel.occupancy(3),
                      next ? ("next_wakeup " + std::to_string(next->count)).c_str() : "empty");
        text_ += line;
    }

    std::string take() { return std::move(text_); }

private:
    static std::string place(timer_hook& hook) {
        if (!hook.armed()) return "not armed";
        const where at = wheel_of_seconds::place_of(hook);
        return "level " + std::to_string(at.level) + ", slot " + std::to_string(at.slot);
    }

    std::string text_;
};

std::string outcome(const foliot::advance_result& r) {
    return "moved " + std::to_string(r.moved) + ", fired " + std::to_string(r.fired) +
           (r.drained ? "" : "; more");
}

void sleeping_driver(log& out) {
    timer_hook hook;
    wheel_of_seconds wheel;
    out.title("a driver that sleeps until next_wakeup (budget 1)");
    wheel.schedule(hook, tick{due});
    out.line(wheel, hook, "scheduled");
    while (const auto next = wheel.next_wakeup()) {
        const auto r = wheel.advance(*next, 1, [](timer_hook&) {});
        out.line(wheel, hook, outcome(r).c_str());
    }
}

void ticking_driver(log& out) {
    timer_hook hook;
    wheel_of_seconds wheel;
    out.title("a driver that calls every second");
    wheel.schedule(hook, tick{due});
    out.line(wheel, hook, "scheduled");
    for (std::uint64_t now = 1; hook.armed(); ++now) {
        const auto r = wheel.advance(tick{now}, 1000, [](timer_hook&) {});
        if (r.moved + r.fired > 0) out.line(wheel, hook, outcome(r).c_str());
    }
}

}  // namespace

std::string worked_example() {
    log out;
    out.title("   tick  what happened          where it is         what the wheel holds");
    sleeping_driver(out);
    ticking_driver(out);
    return out.take();
}

}  // namespace wheel_picture
