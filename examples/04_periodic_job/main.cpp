// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// A job every 10 s, and what becomes of it when the program stands still from 22 s to 57 s (stopped
// by a debugger or SIGSTOP, or without a CPU): the times 30, 40 and 50 are missed. The three policies
// differ in what they make up for. The grid stays: all go on at 60.
//
// Time is a manual clock, so each run prints the same.
#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <cstdio>

using namespace std::chrono_literals;

namespace {

class machine {
public:
    machine() : begin_(clock_.steady()), timers_(options(clock_)) {}

    foliot::timer_service& timers() { return timers_; }

    [[nodiscard]] long long seconds(std::chrono::nanoseconds since_epoch) const {
        return (since_epoch - begin_) / 1s;
    }
    [[nodiscard]] long long now() const { return seconds(clock_.steady()); }

    // From timer to timer, as a thread would that sleeps until the next one.
    void run_until(std::chrono::seconds end) {
        for (auto at = timers_.next_wakeup(); at && *at <= begin_ + end;
             at = timers_.next_wakeup()) {
            if (*at > clock_.steady()) clock_.advance(*at - clock_.steady());
            timers_.poll();
        }
        clock_.advance(begin_ + end - clock_.steady());
    }
    void stand_still_until(std::chrono::seconds end) {
        clock_.advance(begin_ + end - clock_.steady());
    }

private:
    static foliot::service_options options(const foliot::service_clock& clock) {
        foliot::service_options o;
        o.clock = &clock;
        o.driver = false;
        o.workers = 0;
        return o;
    }

    foliot::manual_service_clock clock_;
    std::chrono::nanoseconds begin_;
    foliot::timer_service timers_;
};

void show(const char* name, foliot::missed policy) {
    machine m;
    foliot::timer job;
    std::printf("%-5s", name);
    job = m.timers().every(
        10s,
        [&] {
            // While it runs, its deadline is the time on the grid that it runs for. `once` makes up
            // for all that were missed with the latest of them.
            const long long for_when = m.seconds(job.deadline().value());
            std::printf("  %lld", m.now());
            if (for_when != m.now()) std::printf(" (for %lld)", for_when);
        },
        policy);
    m.run_until(22s);
    m.stand_still_until(57s);
    m.run_until(75s);
    job.cancel();
    std::puts("");
}

}  // namespace

int main() {
    std::puts("every 10 s; nothing runs from 22 to 57");
    show("skip", foliot::missed::skip);
    show("once", foliot::missed::once);
    show("all", foliot::missed::all);
}
