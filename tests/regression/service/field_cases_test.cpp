// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Faults that users of other timer services met, each cut down to its smallest form. Every one stands
// for a kind; the unit and stress tests cover the kinds more widely.
#include "support/memory.hpp"
#include "support/service/driven_service.hpp"

#include <foliot/service/timer_service.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace foliot {
namespace {

template <class Service>
class driven_cases : public driven_service<Service> {};
TYPED_TEST_SUITE(driven_cases, service_models);

// A service with its own driver and workers, on the machine's clock.
template <class Service>
class running_cases : public testing::Test {
protected:
    static service_options options() {
        service_options o;
        o.workers = 2;
        return o;
    }
    // Until it holds, or half a minute is over.
    template <class F>
    static bool eventually(F&& holds) {
        const auto end = std::chrono::steady_clock::now() + 30s;
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(1ms);
        }
        return true;
    }
};
TYPED_TEST_SUITE(running_cases, service_models);

TYPED_TEST(driven_cases, a_pause_of_ten_minutes_with_a_million_overdue_is_made_up_for_in_passes) {
    // A hashed wheel looks at each timer once a lap: a thousand times in those minutes.
    constexpr bool hashed = std::same_as<TypeParam, basic_timer_service<hashed_wheel<>>>;
    constexpr std::size_t overdue = hashed ? 100'000 : 1'000'000;
    service_options o = this->options(this->clock);
    o.pass_time = 1h;  // the clock stands still: the count ends a pass
    TypeParam service(o);
    std::size_t fired = 0;
    for (std::size_t i = 0; i < overdue; ++i) {
        service.after(std::chrono::milliseconds(i % 600'000), [&] { ++fired; });
    }
    this->clock.advance(10min);
    EXPECT_GE(service.metrics().oldest_overdue, 9min);
    bool fresh = false;
    std::size_t passes = 0;
    while (fired < overdue) {
        const std::size_t before = fired;
        ASSERT_LE(service.poll(), o.pass_limit);
        ASSERT_GT(fired, before) << "a pass makes progress";
        // Between two passes new timers are taken, and are not behind all that is overdue for ever.
        if (++passes == 1) service.after(0ms, [&] { fresh = true; });
        this->clock.advance(1ms);
    }
    EXPECT_GE(passes, overdue / o.pass_limit);
    EXPECT_TRUE(fresh);
    EXPECT_EQ(service.metrics().oldest_overdue, 0ms);
}

TYPED_TEST(driven_cases, a_clock_set_by_an_hour_moves_no_delay_and_every_wall_time) {
    for (const auto step : {std::chrono::nanoseconds(1h), std::chrono::nanoseconds(-1h)}) {
        TypeParam service(this->options(this->clock));
        const auto begin = this->clock.steady();
        std::chrono::nanoseconds delayed{0};
        std::chrono::nanoseconds walled{0};
        service.after(10s, [&] { delayed = this->clock.steady() - begin; });
        const auto wall = std::chrono::system_clock::time_point(
            std::chrono::duration_cast<std::chrono::system_clock::duration>(this->clock.wall()));
        service.at(wall + 10s, [&] { walled = this->clock.steady() - begin; });
        this->clock.advance(2s);
        service.poll();
        this->clock.step_wall(step);
        while (delayed == 0s || walled == 0s) {
            this->clock.advance(1s);
            service.poll();
            ASSERT_LT(this->clock.steady() - begin, 2h);
        }
        EXPECT_EQ(delayed, 10s);
        EXPECT_EQ(walled, step > 0s ? 3s : 10s + 1h);
    }
}

TYPED_TEST(driven_cases,
           a_callback_that_makes_itself_anew_with_no_delay_does_not_hold_up_the_rest) {
    int rounds = 0;
    struct again {
        TypeParam* service;
        int* rounds;
        void operator()() const {
            if (++*rounds < 1000) service->after(0ms, *this);
        }
    };
    this->timers.after(0ms, again{&this->timers, &rounds});
    int other = 0;
    this->timers.after(5ms, [&] { ++other; });
    for (int i = 0; i < 10; ++i) {
        this->timers.poll();  // returns
        this->clock.advance(1ms);
    }
    EXPECT_EQ(other, 1);
    EXPECT_GT(rounds, 0);
}

TYPED_TEST(running_cases, cancelling_ten_that_are_due_while_the_first_blocks_counts_each_once) {
    auto o = this->options();
    o.workers = 1;
    TypeParam service(o);
    std::promise<void> begun;
    std::promise<void> may_end;
    std::atomic<int> others = 0;
    std::vector<timer> timers;
    const auto when = std::chrono::steady_clock::now() + 50ms;
    timers.push_back(service.at(when,
                                [&] {
                                    begun.set_value();
                                    may_end.get_future().wait();
                                },
                                {.urgency = priority::high}));
    for (int i = 0; i < 10; ++i) timers.push_back(service.at(when, [&] { ++others; }));
    begun.get_future().wait();
    int cancelled = 0;
    for (std::size_t i = 1; i < timers.size(); ++i) {
        cancelled += timers[i].cancel() == cancel_result::cancelled ? 1 : 0;
    }
    EXPECT_EQ(timers[0].cancel(), cancel_result::running);
    EXPECT_EQ(service.metrics().pending + service.metrics().due, 0U);
    may_end.set_value();
    EXPECT_TRUE(this->eventually([&] { return service.metrics().running == 0; }));
    EXPECT_EQ(cancelled, 10);
    EXPECT_EQ(others, 0);
    const service_metrics m = service.metrics();
    EXPECT_EQ(m.cancelled, 10U);
    EXPECT_EQ(m.completed, 1U);
    EXPECT_EQ(m.pending, 0U);
    EXPECT_EQ(m.due, 0U);
}

TYPED_TEST(running_cases, callbacks_that_throw_and_block_harm_no_other) {
    TypeParam service(this->options());
    std::promise<void> may_end;
    const auto blocked = may_end.get_future().share();
    service.after(10ms, [blocked] { blocked.wait(); });
    for (int i = 0; i < 100; ++i) {
        service.after(10ms, [] { throw std::runtime_error("a callback that throws"); });
    }
    std::atomic<int> ran = 0;
    std::atomic<bool> early = false;
    for (int i = 0; i < 100; ++i) {
        const auto due = std::chrono::steady_clock::now() + std::chrono::milliseconds(20 + i);
        service.at(due, [&, due] {
            if (std::chrono::steady_clock::now() < due) early = true;
            ++ran;
        });
    }
    EXPECT_TRUE(this->eventually([&] { return ran == 100; }))
        << "one worker is blocked all the time";
    EXPECT_FALSE(early);
    EXPECT_TRUE(this->eventually([&] { return service.metrics().failures == 100; }));
    EXPECT_EQ(service.metrics().running, 1U);
    may_end.set_value();
}

TYPED_TEST(running_cases, a_callback_may_cancel_its_siblings_and_destroy_the_service) {
    auto service = std::make_unique<TypeParam>(this->options());
    std::promise<int> answer;
    std::atomic<int> siblings = 0;
    std::vector<timer> others;
    const auto when = std::chrono::steady_clock::now() + 50ms;
    for (int i = 0; i < 8; ++i) others.push_back(service->at(when, [&] { ++siblings; }));
    service->at(when,
                [&] {
                    int cancelled = 0;
                    for (const timer& t : others) {
                        cancelled += t.cancel_and_wait() == cancel_result::cancelled ? 1 : 0;
                    }
                    service.reset();
                    answer.set_value(cancelled);
                },
                {.urgency = priority::high});
    const int cancelled = answer.get_future().get();
    EXPECT_EQ(cancelled + siblings, 8);
}

TYPED_TEST(running_cases,
           stop_while_callbacks_run_and_others_schedule_returns_and_says_what_was_left) {
    TypeParam service(this->options());
    std::atomic<bool> running = false;
    std::atomic<std::uint64_t> made = 0;
    for (int i = 0; i < 100; ++i) service.after(1h, [] {});
    service.after(0ms, [&] {
        running = true;
        std::this_thread::sleep_for(20ms);
        running = false;
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            try {
                for (;; ++made) service.after(1h, [] {});
            } catch (const service_stopped&) {}
        });
    }
    EXPECT_TRUE(this->eventually([&] { return running.load(); }));
    const stop_report report = service.stop();
    EXPECT_FALSE(running) << "it was waited for";
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(report.pending, 100 + made);
    EXPECT_EQ(report.due, 0U);
    EXPECT_EQ(service.metrics().completed, 1U);
}

// FOLIOT_CANCELLED_TIMERS=100000000 runs it long.
TYPED_TEST(running_cases, far_timers_that_are_cancelled_at_once_leave_nothing_behind) {
    const char* const asked = std::getenv("FOLIOT_CANCELLED_TIMERS");
    const auto rounds = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1'000'000ULL;
    TypeParam service(this->options());
    const auto captured = std::make_shared<std::array<char, 4096>>();
    std::size_t before = 0;
    for (unsigned long long i = 0; i < rounds; ++i) {
        const timer t = service.after(
            24h, [captured, more = std::array<char, 100>()] { static_cast<void>(more); });
        ASSERT_EQ(t.cancel(), cancel_result::cancelled);
        ASSERT_EQ(captured.use_count(), 1) << "what was captured is freed by the cancel";
        if (i == rounds / 10) before = test::resident_bytes();
    }
    const std::size_t after = test::resident_bytes();
    std::printf("resident: %zu KB, %zu KB\n", before / 1024, after / 1024);
    // A node of each would be 190 MB.
    EXPECT_LE(after, before + (std::size_t{test::sanitized ? 64 : 4} << 20));
    EXPECT_EQ(service.metrics().pending, 0U);
}

}  // namespace
}  // namespace foliot
