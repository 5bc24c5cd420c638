// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/service/driven_service.hpp"
#include "support/service/held_executor.hpp"

#include <foliot/service/timer_service.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

namespace foliot {
namespace {

using times = std::vector<std::chrono::nanoseconds>;

template <class Service>
class periodic_timer : public driven_service<Service> {};
TYPED_TEST_SUITE(periodic_timer, service_models);

TYPED_TEST(periodic_timer, periodic_timers_keep_their_grid) {
    std::vector<std::chrono::nanoseconds> at;
    const auto start = this->clock.steady();
    const timer t = this->timers.every(10ms, [&] { at.push_back(this->clock.steady() - start); });
    this->go(35ms);
    EXPECT_EQ(at, (std::vector<std::chrono::nanoseconds>{10ms, 20ms, 30ms}));
    EXPECT_EQ(t.cancel(), cancel_result::cancelled);
    this->go(35ms);
    EXPECT_EQ(at.size(), 3U);
    EXPECT_THROW(this->timers.every(0ms, [] {}), std::invalid_argument);
}

TYPED_TEST(periodic_timer,
           what_a_periodic_timer_missed_is_skipped_or_made_up_for_and_the_grid_stays) {
    const auto fired_with = [&](missed policy) {
        std::vector<std::chrono::nanoseconds> at;
        const auto start = this->clock.steady();
        const timer t = this->timers.every(
            10ms, [&] { at.push_back(this->clock.steady() - start); }, policy);
        this->go(10ms);
        this->clock.advance(25ms);  // 20 and 30 are missed
        this->catch_up();
        this->go(10ms);
        t.cancel();
        return at;
    };
    // At 35 the one for 20 is run, late; what follows it is up to the policy.
    EXPECT_EQ(fired_with(missed::skip), (times{10ms, 35ms, 40ms}));
    EXPECT_EQ(fired_with(missed::once), (times{10ms, 35ms, 35ms, 40ms}));
    EXPECT_EQ(fired_with(missed::all), (times{10ms, 35ms, 35ms, 40ms}));
}

TYPED_TEST(periodic_timer, once_makes_up_for_many_with_one_and_all_with_each) {
    const auto fired_with = [&](missed policy) {
        int fired = 0;
        const timer t = this->timers.every(
            10ms, [&] { ++fired; }, policy);
        this->go(10ms);
        this->clock.advance(1s);  // a hundred are missed
        this->catch_up();
        this->go(5ms);
        t.cancel();
        return fired;
    };
    EXPECT_EQ(fired_with(missed::skip), 2);
    EXPECT_EQ(fired_with(missed::once), 3);
    EXPECT_EQ(fired_with(missed::all), 101);
}

TYPED_TEST(periodic_timer, a_periodic_timer_cancelled_by_its_callback_ends) {
    int fired = 0;
    timer t = this->timers.every(10ms, [&] {
        if (++fired == 2) t.cancel();
    });
    this->go(100ms);
    EXPECT_EQ(fired, 2);
    const service_metrics m = this->timers.metrics();
    EXPECT_EQ(m.cancelled, 1U);
    EXPECT_EQ(m.pending, 0U);
}

TYPED_TEST(periodic_timer, begins_at_the_time_that_was_asked_for) {
    times at;
    const auto start = this->clock.steady();
    const std::chrono::steady_clock::time_point first(start + 25ms);
    const timer t =
        this->timers.every(first, 10ms, [&] { at.push_back(this->clock.steady() - start); });
    this->go(50ms);
    EXPECT_EQ(at, (times{25ms, 35ms, 45ms}));
    t.cancel();
    EXPECT_THROW(this->timers.every(first, -1ms, [] {}), std::invalid_argument);
}

TYPED_TEST(periodic_timer, on_the_wall_clock_follows_its_steps) {
    times at;
    const auto wall = std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(this->clock.wall()));
    const auto begin = this->clock.wall();
    const timer t =
        this->timers.every(wall + 1h, 1h, [&] { at.push_back(this->clock.wall() - begin); });
    this->clock.step_wall(3h + 10min);
    this->catch_up();
    this->clock.step_wall(50min);
    this->catch_up();
    EXPECT_EQ(at, (times{3h + 10min, 4h}));
    t.cancel();
}

// Of an executor that has no room for it at 10 ms.
struct refused {
    refused(overload policy, missed of_timer, bool discardable) {
        options.clock = &clock;
        options.driver = false;
        options.executor = held;
        options.when_full = policy;
        options.on_rejected = [this] { ++rejected; };
        timers = std::make_unique<timer_service>(options);
        timers->after(9ms, [] {});
        periodic = timers->every(10ms, [this] { at.push_back(clock.steady() - start); }, of_timer,
                                 {.discardable = discardable});
        for (const auto t : {9ms, 1ms}) {
            clock.advance(t);
            timers->poll();
        }
    }
    void go_on() {
        held->run_one();
        for (int i = 0; i < 15; ++i) {
            clock.advance(1ms);
            timers->poll();
            while (held->size() > 0) held->run_one();
        }
    }

    manual_service_clock clock;
    std::chrono::nanoseconds start = clock.steady();
    std::shared_ptr<held_executor> held = std::make_shared<held_executor>(1);
    service_options options;
    int rejected = 0;
    times at;
    timer periodic;
    std::unique_ptr<timer_service> timers;
};

TEST(refused_periodic_timer, goes_on_with_its_next_time_whatever_it_makes_up_for) {
    for (const missed policy : {missed::skip, missed::once, missed::all}) {
        refused r(overload::reject, policy, false);
        EXPECT_EQ(r.rejected, 1);
        const service_metrics m = r.timers->metrics();
        EXPECT_EQ(m.rejected, 0U) << "the timer has not ended";
        EXPECT_EQ(m.skipped, 1U);
        EXPECT_EQ(m.pending, 1U);
        r.go_on();
        EXPECT_EQ(r.at, (times{20ms}));
        EXPECT_EQ(r.periodic.cancel(), cancel_result::cancelled);
    }
}

TEST(refused_periodic_timer, goes_on_when_it_was_shed) {
    refused r(overload::shed, missed::skip, true);
    EXPECT_EQ(r.rejected, 0);
    EXPECT_EQ(r.timers->metrics().shed, 0U);
    EXPECT_EQ(r.timers->metrics().skipped, 1U);
    r.go_on();
    EXPECT_EQ(r.at, (times{20ms}));
}

}  // namespace
}  // namespace foliot
