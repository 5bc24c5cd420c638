// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/clock.hpp>
#include <foliot/service/options.hpp>
#include <foliot/service/timer_service.hpp>
#include <foliot/wheel/bucket_queue_wheel.hpp>
#include <foliot/wheel/deadline_heap.hpp>
#include <foliot/wheel/hashed_wheel.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace foliot {

using namespace std::chrono_literals;

// A service on a clock that stands still; what is due runs in poll().
template <class Service>
class driven_service : public testing::Test {
protected:
    static service_options options(const service_clock& clock) {
        service_options o;
        o.clock = &clock;
        o.driver = false;
        o.workers = 0;
        return o;
    }
    // Goes on in steps of a tick, as a driver that is always on time.
    void go(std::chrono::milliseconds by) {
        for (auto t = 0ms; t < by; t += 1ms) {
            clock.advance(1ms);
            timers.poll();
        }
    }

    // Polls until nothing is due at this moment.
    void catch_up() {
        for (auto at = timers.next_wakeup(); at && *at <= clock.steady();
             at = timers.next_wakeup()) {
            timers.poll();
        }
    }

    manual_service_clock clock;
    Service timers{options(clock)};
};

using service_models =
    testing::Types<timer_service, basic_timer_service<hashed_wheel<>>,
                   basic_timer_service<bucket_queue_wheel>, basic_timer_service<deadline_heap>>;

}  // namespace foliot
