// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// What a user of the library writes: a thing that waits, a wheel, and a loop that advances it; or a
// service, and a callback.
#include <foliot/service/timer_service.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/hierarchical_wheel.hpp>

#include <chrono>
#include <cstdio>
#include <future>

struct session : foliot::timer_hook {
    explicit session(int number_) : number(number_) {}
    int number;
};

int main() {
    foliot::hierarchical_wheel<> wheel;
    session soon(7), never(8), late(9);
    wheel.schedule(soon, foliot::tick{30});
    wheel.schedule(never, foliot::tick{40});
    wheel.schedule(late, foliot::tick{5'000'000});
    wheel.cancel(never);

    for (const auto now : {foliot::tick{29}, foliot::tick{30}, foliot::tick{5'000'000}}) {
        bool drained = false;
        while (!drained) {
            const auto pass = wheel.advance(now, 100, [now](foliot::timer_hook& hook) {
                std::printf("fired %d at tick %llu\n", static_cast<session&>(hook).number,
                            static_cast<unsigned long long>(now.count));
            });
            drained = pass.drained;
        }
    }
    std::printf("pending %zu\n", wheel.size());

    foliot::timer_service timers;
    std::promise<const char*> promise;
    timers.after(std::chrono::milliseconds(5), [&] { promise.set_value("fired"); });
    std::printf("the service %s\n", promise.get_future().get());
}
