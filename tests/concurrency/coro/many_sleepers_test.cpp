// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/memory.hpp"

#include <foliot/coro/sleep.hpp>
#include <foliot/coro/spawn.hpp>
#include <foliot/coro/with_timeout.hpp>

#include <gtest/gtest.h>

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>

namespace foliot {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t many = 100'000;

service_options on(const service_clock& clock) {
    service_options o;
    o.clock = &clock;
    o.driver = false;
    o.workers = 0;
    return o;
}

// Makes many at a time, and lets all of them come to their end.
template <class Make>
void measure(const char* what, Make make) {
    manual_service_clock clock;
    std::size_t ended = 0;
    timer_service timers(on(clock));
    ::malloc_trim(0);
    const std::size_t before = test::resident_bytes();
    for (std::size_t i = 0; i < many; ++i) make(timers, ended);
    const std::size_t used = test::resident_bytes() - before;
    EXPECT_EQ(ended, 0U);
    clock.advance(1h);
    while (timers.poll() > 0) {}
    clock.advance(1s);
    while (timers.poll() > 0) {}
    EXPECT_EQ(ended, many);
    EXPECT_EQ(timers.metrics().pending, 0U);
    std::printf("%-28s %4zu bytes each\n", what, used / many);
}

lazy<> asleep(timer_service& timers, std::size_t& ended) {
    co_await sleep(timers, 1h);
    ++ended;
}

lazy<> asleep_with_a_timeout(timer_service& timers, std::size_t& ended) {
    const auto slept = co_await with_timeout(timers, sleep(timers, 10h), 1h);
    if (!slept) ++ended;
}

TEST(many_sleepers, a_hundred_thousand_at_a_time_all_go_on) {
    measure("timers", [](timer_service& timers, std::size_t& ended) {
        timers.after(1h, [&ended] { ++ended; });
    });
    measure("coroutines that sleep",
            [](timer_service& timers, std::size_t& ended) { spawn(asleep(timers, ended)); });
    measure("coroutines with a timeout", [](timer_service& timers, std::size_t& ended) {
        spawn(asleep_with_a_timeout(timers, ended));
    });
}

}  // namespace
}  // namespace foliot
