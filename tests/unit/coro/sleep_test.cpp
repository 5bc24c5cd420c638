// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/coro/sleep.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <exception>
#include <stop_token>
#include <thread>
#include <vector>

namespace foliot {
namespace {

using namespace std::chrono_literals;

// The least that a coroutine can be: it begins at once, and is gone when it ends.
struct detached {
    struct promise_type {
        detached get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

struct outcome {
    std::atomic<int> elapsed = 0;
    std::atomic<int> stopped = 0;
    std::atomic<int> refused = 0;
    void add(sleep_result r) { ++(r == sleep_result::elapsed ? elapsed : stopped); }
    [[nodiscard]] int all() const { return elapsed + stopped + refused; }
};

template <class Delay>
detached sleep_once(timer_service& timers, Delay delay, outcome& to, std::stop_token token = {}) {
    try {
        to.add(co_await sleep(timers, delay, token));
    } catch (const service_stopped&) {
        ++to.refused;
    }
}

service_options manual(const service_clock& clock) {
    service_options o;
    o.clock = &clock;
    o.driver = false;
    o.workers = 0;
    return o;
}

TEST(sleep, goes_on_when_the_time_is_over_and_not_before) {
    manual_service_clock clock;
    timer_service timers(manual(clock));
    outcome to;
    sleep_once(timers, 5s, to);
    clock.advance(4999ms);
    timers.poll();
    EXPECT_EQ(to.all(), 0);
    clock.advance(1ms);
    timers.poll();
    EXPECT_EQ(to.elapsed, 1);
}

TEST(sleep, a_loop_sleeps_again_and_again) {
    manual_service_clock clock;
    timer_service timers(manual(clock));
    int rounds = 0;
    const auto loop = [](timer_service& t, int& n) -> detached {
        for (; n < 10; ++n) static_cast<void>(co_await sleep(t, 10ms));
    };
    loop(timers, rounds);
    for (int i = 0; i < 200; ++i) {
        clock.advance(1ms);
        timers.poll();
    }
    EXPECT_EQ(rounds, 10);
    EXPECT_EQ(timers.metrics().pending, 0U);
}

TEST(sleep, a_stop_request_ends_it_early) {
    manual_service_clock clock;
    timer_service timers(manual(clock));
    outcome to;
    std::stop_source source;
    sleep_once(timers, 5s, to, source.get_token());
    source.request_stop();
    clock.advance(1ms);
    timers.poll();
    EXPECT_EQ(to.stopped, 1);
    sleep_once(timers, 5s, to, source.get_token());  // asked before it began
    clock.advance(1ms);
    timers.poll();
    EXPECT_EQ(to.stopped, 2);
}

TEST(sleep, a_service_that_stops_lets_nobody_sleep_for_ever) {
    outcome to;
    timer_service timers;
    for (int i = 0; i < 100; ++i) sleep_once(timers, 1h, to);
    timers.stop();
    EXPECT_EQ(to.stopped, 100);
    sleep_once(timers, 1h, to);
    EXPECT_EQ(to.refused, 1);
}

TEST(sleep, stops_and_the_end_of_the_time_race_and_each_goes_on_once) {
    timer_service timers;
    outcome to;
    constexpr int count = 2000;
    std::vector<std::stop_source> sources(count);
    std::jthread stopper([&] {
        for (int i = 0; i < count; ++i) {
            if (i % 100 == 0) std::this_thread::sleep_for(200us);
            sources[static_cast<std::size_t>(i)].request_stop();
        }
    });
    for (int i = 0; i < count; ++i) {
        sleep_once(timers, std::chrono::microseconds(i % 3000), to,
                   sources[static_cast<std::size_t>(i)].get_token());
    }
    while (to.all() < count) std::this_thread::yield();
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(to.all(), count);
}

TEST(sleep, a_service_that_stops_while_coroutines_come_and_go_loses_none) {
    for (int round = 0; round < 20; ++round) {
        outcome to;
        int begun = 0;
        timer_service timers;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(2ms);
            timers.stop();
        });
        while (to.refused == 0) {
            sleep_once(timers, std::chrono::microseconds(begun % 2000), to);
            ++begun;
        }
        stopper.join();
        while (to.all() < begun) std::this_thread::yield();
        EXPECT_EQ(to.all(), begun);
    }
}

}  // namespace
}  // namespace foliot
