// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Coroutines that sleep, time out, are asked to stop and lose their service, all at about the same
// time. Each is counted once at its end, and what each holds is counted, so that it adds up.
#include <foliot/coro/sleep.hpp>
#include <foliot/coro/spawn.hpp>
#include <foliot/coro/with_timeout.hpp>

#include "support/environment.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace foliot {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

struct counts {
    std::atomic<int> begun = 0;
    std::atomic<int> in_time = 0;  // and slept in full
    std::atomic<int> stopped = 0;  // in time, but was asked to stop, or the service stopped
    std::atomic<int> late = 0;
    std::atomic<int> refused = 0;  // the service had stopped
    std::atomic<int> living = 0;   // frames

    [[nodiscard]] int ended() const { return in_time + stopped + late + refused; }
    void add(sleep_result r) { ++(r == sleep_result::elapsed ? in_time : stopped); }
    void wait_for_all() const {
        while (ended() < begun || living > 0) std::this_thread::yield();
    }
};

class frame {
public:
    explicit frame(counts& c) : living_(c.living) { ++living_; }
    frame(const frame&) = delete;
    frame& operator=(const frame&) = delete;
    ~frame() { --living_; }

private:
    std::atomic<int>& living_;
};

lazy<sleep_result> nap(timer_service& timers, counts& c, microseconds delay) {
    const frame f(c);
    co_return co_await sleep(timers, delay);
}

lazy<sleep_result> nap_of_two_parts(timer_service& timers, counts& c, microseconds delay) {
    const frame f(c);
    const sleep_result first = co_await sleep(timers, delay / 2);
    if (first == sleep_result::stopped) co_return first;
    co_return co_await nap(timers, c, delay - delay / 2);
}

struct plan {
    microseconds delay;
    microseconds limit;
    unsigned kind;
};

lazy<std::optional<sleep_result>> limited_nap(timer_service& timers, counts& c, plan p) {
    switch (p.kind % 4) {
        case 0: return with_timeout(timers, nap(timers, c, p.delay), p.limit);
        case 1: return with_timeout(timers, nap_of_two_parts(timers, c, p.delay), p.limit);
        case 2: return with_timeout(timers, sleep(timers, p.delay), p.limit);
        default:
            return with_timeout(
                timers,
                [&timers, p](std::stop_token asked) {
                    return sleep(timers, p.delay, std::move(asked));
                },
                p.limit);
    }
}

lazy<> life(timer_service& timers, counts& c, plan p) {
    const frame f(c);
    try {
        if (p.kind >= 8) {
            c.add(co_await nap(timers, c, p.delay));
        } else if (p.kind >= 4) {
            const auto outer = co_await with_timeout(timers, limited_nap(timers, c, p), p.delay);
            outer&&* outer ? c.add(**outer) : static_cast<void>(++c.late);
        } else {
            const auto r = co_await limited_nap(timers, c, p);
            r ? c.add(*r) : static_cast<void>(++c.late);
        }
    } catch (const service_stopped&) {
        ++c.refused;
    }
}

class spawner {
public:
    spawner(timer_service& timers, counts& c, std::uint64_t seed)
        : timers_(timers), counts_(c), random_(seed) {}

    // About the same times, so that they meet.
    void spawn_one(std::stop_token token = {}) {
        const microseconds delay(random_() % 4000);
        const microseconds limit = delay + microseconds(static_cast<int>(random_() % 5) - 2) * 500;
        ++counts_.begun;
        spawn(life(timers_, counts_, {delay, limit, static_cast<unsigned>(random_() % 9)}),
              std::move(token));
    }
    // And asks some that it has begun to stop, early, late or at the very moment.
    void spawn_and_stop() {
        std::stop_source source;
        spawn_one(source.get_token());
        sources_.push_back(std::move(source));
        if (sources_.size() < 200) return;
        if (random_() % 2 == 0) sources_.front().request_stop();
        sources_.pop_front();
    }
    // Not more than the machine can bear.
    void keep_pace() const {
        while (counts_.begun - counts_.ended() > 5000) std::this_thread::yield();
    }

private:
    timer_service& timers_;
    counts& counts_;
    std::mt19937_64 random_;
    std::deque<std::stop_source> sources_;
};

TEST(coro_stress, each_coroutine_ends_once_and_nothing_is_left) {
    const std::uint64_t seed = seed_or(20260101);
    counts c;
    timer_service timers;
    const auto end = machine_clock().steady() + stress_time_or(1500ms);
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t t = 0; t < 3; ++t) {
            threads.emplace_back([&, t] {
                spawner s(timers, c, seed + t);
                while (machine_clock().steady() < end) {
                    s.spawn_and_stop();
                    s.keep_pace();
                }
            });
        }
    }
    c.wait_for_all();
    EXPECT_EQ(c.ended(), c.begun);
    EXPECT_GT(c.in_time, 0);
    EXPECT_GT(c.stopped, 0);
    EXPECT_GT(c.late, 0);
    EXPECT_EQ(c.refused, 0);
    const service_metrics m = timers.metrics();
    EXPECT_EQ(m.pending + m.due, 0U);
    EXPECT_EQ(m.failures, 0U);
    timers.stop();
    EXPECT_EQ(c.ended(), c.begun);
    std::printf("%d: %d in time, %d stopped, %d late\n", c.begun.load(), c.in_time.load(),
                c.stopped.load(), c.late.load());
}

TEST(coro_stress, a_service_that_stops_meanwhile_loses_none) {
    const std::uint64_t seed = seed_or(20260101);
    const auto end = machine_clock().steady() + stress_time_or(1500ms);
    std::uint64_t round = 0;
    int begun = 0;
    for (; machine_clock().steady() < end; ++round) {
        counts c;
        {
            timer_service timers;
            std::vector<std::jthread> threads;
            for (std::uint64_t t = 0; t < 2; ++t) {
                threads.emplace_back([&, t] {
                    spawner s(timers, c, seed + 2 * round + t);
                    while (c.refused == 0) {
                        s.spawn_and_stop();
                        s.keep_pace();
                    }
                });
            }
            std::this_thread::sleep_for(microseconds(2000 + 100 * (round % 37)));
            timers.stop();
            threads.clear();
            EXPECT_EQ(timers.metrics().pending + timers.metrics().due, 0U);
        }
        // What was begun has ended by then: it waits for nothing but the service.
        EXPECT_EQ(c.ended(), c.begun);
        EXPECT_EQ(c.living, 0);
        begun += c.begun;
    }
    std::printf("%llu services, %d coroutines\n", static_cast<unsigned long long>(round), begun);
}

TEST(coro_stress, a_service_that_rejects_what_it_has_no_room_for_makes_them_late_and_loses_none) {
    const std::uint64_t seed = seed_or(20260101);
    counts c;
    service_options options;
    options.queue_limit = 1;
    options.when_full = overload::reject;
    timer_service timers(options);
    {
        spawner s(timers, c, seed);
        for (int i = 0; i < 3000; ++i) s.spawn_and_stop();
    }
    c.wait_for_all();
    EXPECT_EQ(c.ended(), c.begun);
    EXPECT_EQ(c.refused, 0);
    const service_metrics m = timers.metrics();
    EXPECT_GT(m.rejected, 0U);
    EXPECT_EQ(m.pending + m.due, 0U);
}

// With a tick of a nanosecond a sleep of none is over while it is being begun.
TEST(coro_stress,
     a_sleep_that_is_over_while_it_begins_goes_on_once_and_not_in_the_thread_that_began) {
    seed_or(20260101);
    service_options options;
    options.tick = 1ns;
    timer_service timers(options);
    std::atomic<int> over = 0;
    std::atomic<int> here = 0;
    constexpr int count = 20'000;
    const std::thread::id beginner = std::this_thread::get_id();
    const auto twice = [&]() -> lazy<> {
        for (int i = 0; i < 2; ++i) {
            co_await sleep(timers, 0s);
            ++over;
            if (std::this_thread::get_id() == beginner) ++here;
        }
    };
    for (int i = 0; i < count; ++i) spawn(twice);
    while (over < 2 * count) std::this_thread::yield();
    timers.stop();
    EXPECT_EQ(over, 2 * count);
    EXPECT_EQ(here, 0);
}

}  // namespace
}  // namespace foliot
