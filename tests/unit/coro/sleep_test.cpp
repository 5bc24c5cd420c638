// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/coro/sleep.hpp>
#include <foliot/coro/spawn.hpp>
#include <foliot/coro/sync_wait.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "support/service/held_executor.hpp"
#include "unit/coro/simulated.hpp"

namespace foliot {
namespace {

using namespace std::chrono_literals;

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

TEST(sleep, goes_on_when_the_time_is_over_and_not_before) {
    simulated world;
    outcome to;
    sleep_once(world.timers, 5s, to);
    world.go(4999ms);
    EXPECT_EQ(to.all(), 0);
    world.go(1ms);
    EXPECT_EQ(to.elapsed, 1);
}

TEST(sleep, a_loop_sleeps_again_and_again) {
    simulated world;
    int rounds = 0;
    const auto loop = [&]() -> detached {
        for (; rounds < 10; ++rounds) co_await sleep(world.timers, 10ms);
    };
    loop();
    world.go(99ms);
    EXPECT_EQ(rounds, 9);
    world.go(1ms);
    EXPECT_EQ(rounds, 10);
    EXPECT_EQ(world.timers_left(), 0U);
}

TEST(sleep, is_a_member_of_the_service_too) {
    simulated world;
    int rounds = 0;
    const auto loop = [&]() -> detached {
        for (; rounds < 2; ++rounds) co_await world.timers.sleep(5s);
    };
    loop();
    world.go(4999ms);
    EXPECT_EQ(rounds, 0);
    world.go(1ms);
    EXPECT_EQ(rounds, 1);
    world.go(5s);
    EXPECT_EQ(rounds, 2);
}

TEST(sleep, a_stop_request_ends_it_early) {
    simulated world;
    outcome to;
    std::stop_source source;
    sleep_once(world.timers, 5s, to, source.get_token());
    source.request_stop();
    world.go_on();
    EXPECT_EQ(to.stopped, 1);
    sleep_once(world.timers, 5s, to, source.get_token());  // asked before it began
    world.go_on();
    EXPECT_EQ(to.stopped, 2);
}

TEST(sleep, ends_early_when_its_coroutine_is_asked_to_stop) {
    simulated world;
    std::stop_source source;
    std::optional<sleep_result> result;
    const auto inner = [&]() -> lazy<sleep_result> { co_return co_await sleep(world.timers, 5s); };
    const auto root = [&]() -> lazy<> { result = co_await inner(); };
    spawn(root, source.get_token());
    world.go(1s);
    source.request_stop();
    EXPECT_FALSE(result.has_value());  // never on the thread that asks
    world.go_on();
    EXPECT_EQ(result, sleep_result::stopped);
}

TEST(sleep, listens_to_a_token_of_its_own_and_to_that_of_its_coroutine) {
    for (const bool own : {true, false}) {
        simulated world;
        std::stop_source of_coroutine;
        std::stop_source of_sleep;
        std::optional<sleep_result> result;
        const auto root = [&]() -> lazy<> {
            result = co_await sleep(world.timers, 5s, of_sleep.get_token());
        };
        spawn(root, of_coroutine.get_token());
        (own ? of_sleep : of_coroutine).request_stop();
        world.go_on();
        EXPECT_EQ(result, sleep_result::stopped);
    }
}

TEST(sleep, one_that_does_not_look_takes_turns_and_ends_when_the_service_does) {
    simulated world;
    std::stop_source source;
    int naps = 0;
    const auto restless = [&]() -> lazy<> {
        for (;; ++naps) co_await sleep(world.timers, 1s);
    };
    spawn(restless, source.get_token());
    source.request_stop();
    for (int i = 0; i < 3; ++i) {
        const int before = naps;
        world.clock.advance(1ms);
        EXPECT_GT(world.timers.poll(), 0U);
        EXPECT_GT(naps, before);
    }
    world.timers.stop();
    const int so_far = naps;
    world.clock.advance(1s);
    EXPECT_EQ(world.timers.poll(), 0U);
    EXPECT_EQ(naps, so_far);
}

TEST(sleep, a_coroutine_that_is_destroyed_while_it_sleeps_leaves_no_timer) {
    simulated world;
    int naps = 0;
    const auto nap = [&]() -> held {
        co_await sleep(world.timers, 1s);
        ++naps;
        co_await sleep(world.timers, 1s);
        ++naps;
    };
    {
        const held h = nap();
        world.go(1s);
        EXPECT_EQ(naps, 1);
        EXPECT_EQ(world.timers_left(), 1U);
    }
    EXPECT_EQ(world.timers_left(), 0U);
    EXPECT_EQ(world.timers.metrics().cancelled, 1U);
    world.go(2s);
    EXPECT_EQ(naps, 1);
}

TEST(sleep, a_callback_may_destroy_a_coroutine_whose_sleep_is_due_too) {
    simulated world;
    int naps = 0;
    const auto nap = [&]() -> held {
        co_await sleep(world.timers, 1s);
        ++naps;
    };
    std::vector<held> one;
    world.timers.after(1s, [&] { one.clear(); });
    one.push_back(nap());
    world.timers.after(1s, [&] { one.clear(); });  // in whatever order they are handed over
    world.go(1s);
    EXPECT_EQ(naps, 0);
    EXPECT_EQ(world.timers_left(), 0U);
}

TEST(sleep, what_it_returns_may_be_kept_and_awaited_again) {
    simulated world;
    int naps = 0;
    const auto twice = [&]() -> detached {
        auto first = sleep(world.timers, 1s);
        const auto nap = std::move(first);
        for (; naps < 2; ++naps) co_await nap;
    };
    twice();
    world.go(2s);
    EXPECT_EQ(naps, 2);
}

TEST(sleep, one_that_is_rejected_for_want_of_room_sleeps_on_until_there_is_some) {
    crowded world;
    outcome to;
    sleep_once(world.timers, 1ms, to);
    for (int i = 0; i < 3; ++i) world.go();
    EXPECT_EQ(world.timers.metrics().rejected, 3U);
    EXPECT_EQ(to.all(), 0);

    world.held_up->run_one();
    world.go();
    EXPECT_EQ(to.all(), 0);  // not on the thread that hands over
    world.held_up->run_one();
    EXPECT_EQ(to.elapsed, 1);
}

TEST(sleep, one_that_is_rejected_and_finds_no_room_for_a_timer_either_is_over) {
    manual_service_clock clock;
    service_options options = simulated::options(clock);
    options.executor = std::make_shared<held_executor>(0);
    options.when_full = overload::reject;
    options.max_timers = 1;
    options.shards = 1;
    timer_service timers(options);
    outcome to;
    sleep_once(timers, 1ms, to);
    clock.advance(1ms);
    timers.poll();
    EXPECT_EQ(to.elapsed, 1);
}

TEST(sleep, what_the_service_throws_comes_out_of_it) {
    service_options options;
    options.max_timers = 1;
    timer_service timers(options);
    outcome to;
    sleep_once(timers, 1h, to);
    bool thrown = false;
    const auto one_too_many = [&]() -> detached {
        try {
            co_await sleep(timers, 1h);
        } catch (const too_many_timers&) {
            thrown = true;
        }
    };
    one_too_many();
    EXPECT_TRUE(thrown);
    timers.stop();
    EXPECT_EQ(to.stopped, 1);
}

TEST(sleep, goes_on_where_the_service_runs_callbacks) {
    timer_service timers;
    std::stop_source source;
    std::thread::id in_full;
    std::thread::id stopped;
    const auto naps = [&]() -> lazy<> {
        co_await sleep(timers, 1ms);
        in_full = std::this_thread::get_id();
    };
    const auto nap = [&]() -> lazy<> {
        co_await sleep(timers, 1h);
        stopped = std::this_thread::get_id();
    };
    sync_wait(naps());
    timers.after(1ms, [&] { source.request_stop(); });
    sync_wait(nap(), source.get_token());
    EXPECT_NE(in_full, std::this_thread::get_id());
    EXPECT_NE(stopped, std::this_thread::get_id());
    EXPECT_NE(stopped, std::thread::id());
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
