// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Two timers: one is cancelled in time, the other fires. The service has its own threads, so
// main only waits.
#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <cstdio>
#include <future>

using namespace std::chrono_literals;

int main() {
    std::promise<void> fired;  // before the service: its callbacks may use it until it is gone
    foliot::timer_service timers;

    const foliot::timer answer = timers.after(30s, [] { std::puts("nobody answered"); });
    if (answer.cancel() == foliot::cancel_result::cancelled) {
        std::puts("somebody answered: the timeout is cancelled, it will never run");
    }

    const foliot::timer tea = timers.after(20ms, [&] {
        std::puts("the tea is ready");
        fired.set_value();
    });
    fired.get_future().wait();

    // It may still be on its last line. After cancel_and_wait it has returned for certain.
    tea.cancel_and_wait();
    if (tea.cancel() == foliot::cancel_result::gone) {
        std::puts("a timer that has run is gone: too late to cancel it");
    }
}
