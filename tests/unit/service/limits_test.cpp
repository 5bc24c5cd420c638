// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/service/driven_service.hpp"
#include "support/service/held_executor.hpp"

#include <foliot/service/timer_service.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace foliot {
namespace {

template <class Service>
class limited_service : public driven_service<Service> {};
TYPED_TEST_SUITE(limited_service, service_models);

TYPED_TEST(limited_service, makes_no_more_timers_than_its_limit_and_goes_on_when_some_have_ended) {
    service_options options = this->options(this->clock);
    options.max_timers = 1000;
    TypeParam limited(options);
    std::vector<timer> made;
    for (int i = 0; i < 1000; ++i) made.push_back(limited.after(1h, [] {}));
    EXPECT_THROW(limited.after(1h, [] {}), too_many_timers);
    const auto captured = std::make_shared<int>();
    EXPECT_THROW(limited.after(1h, [captured] {}), too_many_timers);
    EXPECT_EQ(captured.use_count(), 1);
    EXPECT_EQ(limited.metrics().scheduled, 1000U);
    made[7].cancel();
    EXPECT_NO_THROW(limited.after(1h, [] {}));
    EXPECT_THROW(limited.after(1h, [] {}), too_many_timers);
}

TEST(service_limits, leaves_room_for_each_shard) {
    manual_service_clock clock;
    timer_service timers({.clock = &clock, .driver = false, .workers = 0, .max_timers = 100});
    for (int i = 0; i < 50; ++i) timers.after(1h, [] {});
    std::thread([&] { EXPECT_NO_THROW(timers.after(1h, [] {})); }).join();
    EXPECT_NO_THROW(timers.at(std::chrono::system_clock::time_point(24h), [] {}));
}

TEST(service_limits, refuses_a_limit_of_nothing) {
    EXPECT_THROW(timer_service({.max_timers = 0}), std::invalid_argument);
}

TEST(basic_timer_service, gives_its_queues_their_options) {
    manual_service_clock clock;
    const service_options options{.clock = &clock, .driver = false, .workers = 0};
    using kafka = basic_timer_service<bucket_queue_wheel>;
    EXPECT_THROW(kafka(options, bucket_queue_options{.ticks_per_bucket = 0}),
                 std::invalid_argument);
    kafka timers(options, bucket_queue_options{.ticks_per_bucket = 10});
    int fired = 0;
    timers.after(1ms, [&] { ++fired; });
    const auto at = timers.next_wakeup();
    ASSERT_TRUE(at);
    EXPECT_GT(*at, clock.steady() + 1ms) << "a bucket of ten ticks is due when it is over";
    clock.advance(*at - clock.steady());
    timers.poll();
    EXPECT_EQ(fired, 1);
}

TEST(service_metrics, say_how_late_what_has_waited_longest_is) {
    manual_service_clock clock;
    const auto held = std::make_shared<held_executor>(3);
    timer_service timers({.clock = &clock, .driver = false, .executor = held});
    EXPECT_EQ(timers.metrics().oldest_overdue, 0ms);
    const timer first = timers.after(10ms, [] {});
    const timer second = timers.after(20ms, [] {});
    timers.after(30ms, [] {});
    clock.advance(15ms);
    EXPECT_GE(timers.metrics().oldest_overdue, 5ms) << "in the queue";
    for (int i = 0; i < 2; ++i) {
        timers.poll();
        clock.advance(10ms);
    }
    timers.poll();
    EXPECT_EQ(timers.metrics().oldest_overdue, 25ms) << "for a worker";
    first.cancel();
    EXPECT_EQ(timers.metrics().oldest_overdue, 15ms);
    second.reschedule(1h);
    EXPECT_EQ(timers.metrics().oldest_overdue, 5ms);
    while (held->size() > 0) held->run_one();
    EXPECT_EQ(timers.metrics().oldest_overdue, 0ms);
    EXPECT_GT(timers.metrics().scan.count(), 0U);
}

TEST(timer_service, says_whether_a_stop_has_begun) {
    timer_service timers;
    EXPECT_FALSE(timers.stopping());
    timers.stop();
    EXPECT_TRUE(timers.stopping());
}

}  // namespace
}  // namespace foliot
