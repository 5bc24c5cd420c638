// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/reusable_timer.hpp>

#include "support/service/driven_service.hpp"
#include "support/service/held_executor.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

namespace foliot {
namespace {

void expect_all_accounted_for(const service_metrics& m) {
    EXPECT_EQ(m.scheduled, m.pending + m.due + m.running + m.cancelled + m.completed + m.rejected +
                               m.shed + m.dropped);
}

template <class Service>
class reusable : public driven_service<Service> {
protected:
    ~reusable() override { expect_all_accounted_for(this->timers.metrics()); }
};
TYPED_TEST_SUITE(reusable, service_models);

TYPED_TEST(reusable, fires_as_often_as_it_is_armed_and_never_early) {
    int fired = 0;
    reusable_timer t(this->timers, [&] { ++fired; });
    this->go(100ms);
    EXPECT_EQ(fired, 0);
    EXPECT_EQ(t.deadline(), std::nullopt);
    for (int i = 1; i <= 3; ++i) {
        t.after(10ms);
        this->go(9ms);
        EXPECT_EQ(fired, i - 1);
        this->go(1ms);
        EXPECT_EQ(fired, i);
        EXPECT_EQ(t.deadline(), std::nullopt);
    }
    t.at(std::chrono::steady_clock::time_point(this->clock.steady() + 5ms));
    EXPECT_EQ(t.deadline(), this->clock.steady() + 5ms);
    this->go(5ms);
    EXPECT_EQ(fired, 4);
    const service_metrics m = this->timers.metrics();
    EXPECT_EQ(m.scheduled, 4U);
    EXPECT_EQ(m.completed, 4U);
}

TYPED_TEST(reusable, armed_again_it_is_one_timer_that_moved) {
    int fired = 0;
    reusable_timer t(this->timers, [&] { ++fired; });
    t.after(10ms);
    t.after(30ms);
    EXPECT_EQ(this->timers.metrics().pending, 1U);
    this->go(29ms);
    EXPECT_EQ(fired, 0);
    t.after(5ms);
    t.after(2ms);
    this->go(2ms);
    EXPECT_EQ(fired, 1);
    this->go(100ms);
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(this->timers.metrics().rescheduled, 3U);
}

TYPED_TEST(reusable, cancelled_it_does_not_fire_and_can_be_armed_anew) {
    int fired = 0;
    reusable_timer t(this->timers, [&] { ++fired; });
    EXPECT_EQ(t.cancel(), cancel_result::gone);
    t.after(10ms);
    EXPECT_EQ(t.cancel(), cancel_result::cancelled);
    EXPECT_EQ(t.cancel(), cancel_result::gone);
    this->go(20ms);
    EXPECT_EQ(fired, 0);
    t.after(10ms);
    this->go(10ms);
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(t.cancel(), cancel_result::gone);
}

TYPED_TEST(reusable, its_callback_may_arm_and_cancel_it) {
    int fired = 0;
    std::optional<reusable_timer> t;
    t.emplace(this->timers, [&] {
        ++fired;
        t->after(10ms);
        EXPECT_EQ(t->deadline(), this->clock.steady() + 10ms);
        if (fired == 3) {
            EXPECT_EQ(t->cancel_and_wait(), cancel_result::running);
        }
        EXPECT_FALSE(timer::current()) << "no token names it";
    });
    t->after(10ms);
    this->go(100ms);
    EXPECT_EQ(fired, 3);
    EXPECT_EQ(this->timers.metrics().pending, 0U);
}

TYPED_TEST(reusable, its_callback_may_destroy_it) {
    int fired = 0;
    bool named = false;
    auto t = std::make_unique<std::optional<reusable_timer>>();
    t->emplace(this->timers, [&t, &fired, &named] {
        int& count = fired;  // what was captured is gone after these lines
        bool& by_token = named;
        t.reset();
        ++count;
        by_token = static_cast<bool>(timer::current());
    });
    (*t)->after(10ms);
    this->go(20ms);
    EXPECT_EQ(fired, 1);
    EXPECT_FALSE(named) << "not by one that names its stand-in";
    EXPECT_EQ(this->timers.metrics().completed, 1U);
    EXPECT_EQ(this->timers.metrics().running, 0U);
}

TYPED_TEST(reusable, one_that_throws_can_be_armed_anew) {
    int fired = 0;
    reusable_timer t(this->timers, [&] {
        ++fired;
        throw std::runtime_error("x");
    });
    for (int i = 0; i < 2; ++i) {
        t.after(1ms);
        this->go(1ms);
    }
    EXPECT_EQ(fired, 2);
    EXPECT_EQ(this->timers.metrics().failures, 2U);
}

TYPED_TEST(reusable, goes_away_armed_without_a_trace) {
    const auto captured = std::make_shared<int>();
    {
        reusable_timer t(this->timers, [captured] { FAIL(); });
        reusable_timer other(this->timers, [captured] { FAIL(); });
        reusable_timer third(this->timers, [captured] { FAIL(); });
        t.after(10ms);
        third.after(10ms);
    }
    EXPECT_EQ(captured.use_count(), 1);
    this->go(20ms);
    EXPECT_EQ(this->timers.metrics().cancelled, 2U);
}

TYPED_TEST(reusable, belongs_to_its_group_while_it_is_armed) {
    int fired = 0;
    reusable_timer t(this->timers, [&] { ++fired; }, {.group = 7});
    EXPECT_EQ(this->timers.cancel_group(7).cancelled, 0U);
    t.after(10ms);
    EXPECT_EQ(this->timers.cancel_group(7).cancelled, 1U);
    this->go(20ms);
    EXPECT_EQ(fired, 0);
    t.after(10ms);
    t.after(20ms);
    this->go(20ms);
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(this->timers.cancel_group(7).cancelled, 0U);
}

TYPED_TEST(reusable, may_outlive_its_service) {
    auto service = std::make_unique<TypeParam>(this->options(this->clock));
    int fired = 0;
    reusable_timer t(*service, [&] { ++fired; });
    t.after(10ms);
    EXPECT_EQ(service->stop().pending, 1U);
    EXPECT_EQ(service->metrics().dropped, 1U);
    EXPECT_THROW(t.after(10ms), service_stopped);
    service.reset();
    EXPECT_EQ(t.cancel(), cancel_result::gone);
    EXPECT_EQ(t.deadline(), std::nullopt);
    EXPECT_EQ(fired, 0);
}

// One that is due at an executor which has not run it yet.
struct due_one {
    explicit due_one(overload policy = overload::block, std::size_t room = 1,
                     priority urgent = {}) {
        held = std::make_shared<held_executor>(room);
        timers.emplace(service_options{
            .clock = &clock, .driver = false, .executor = held, .when_full = policy});
        t.emplace(
            *timers, [this] { ++fired; }, timer_options{.urgency = urgent, .group = 3});
        t->after(1ms);
        clock.advance(1ms);
        timers->poll();
    }
    ~due_one() { expect_all_accounted_for(timers->metrics()); }

    manual_service_clock clock;
    std::shared_ptr<held_executor> held;
    std::optional<timer_service> timers;
    std::optional<reusable_timer> t;
    int fired = 0;
};

TEST(due_reusable, can_be_cancelled_and_its_job_is_void) {
    due_one d;
    EXPECT_EQ(d.timers->metrics().due, 1U);
    EXPECT_EQ(d.t->deadline(), d.clock.steady());
    EXPECT_EQ(d.t->cancel(), cancel_result::cancelled);
    d.held->run_one();
    EXPECT_EQ(d.fired, 0);
}

TEST(due_reusable, can_be_destroyed_before_its_job_is_run) {
    due_one d;
    d.t.reset();
    d.held->run_one();
    EXPECT_EQ(d.fired, 0);
    EXPECT_EQ(d.timers->metrics().cancelled, 1U);
}

TEST(due_reusable, can_be_moved_and_comes_once) {
    due_one d;
    d.t->after(10ms);
    EXPECT_EQ(d.timers->metrics().rescheduled, 1U);
    d.held->run_one();
    EXPECT_EQ(d.fired, 0);
    d.clock.advance(10ms);
    d.timers->poll();
    d.held->run_one();
    EXPECT_EQ(d.fired, 1);
    EXPECT_EQ(d.held->size(), 0U);
}

TEST(due_reusable, is_cancelled_with_its_group) {
    due_one d;
    EXPECT_EQ(d.timers->cancel_group(3).cancelled, 1U);
    d.held->run_one();
    EXPECT_EQ(d.fired, 0);
    d.t->after(1ms);
    d.clock.advance(1ms);
    d.timers->poll();
    d.held->run_one();
    EXPECT_EQ(d.fired, 1);
}

TEST(due_reusable, rejected_it_is_idle_again) {
    due_one d(overload::reject, 0);
    EXPECT_EQ(d.timers->metrics().rejected, 1U);
    EXPECT_EQ(d.t->deadline(), std::nullopt);
    EXPECT_EQ(d.t->cancel(), cancel_result::gone);
    d.t->after(1ms);
    EXPECT_EQ(d.timers->metrics().pending, 1U);
}

TEST(due_reusable, put_off_it_can_be_cancelled_moved_and_destroyed) {
    for (int what = 0; what < 4; ++what) {
        due_one d(overload::defer, 0);
        ASSERT_EQ(d.timers->metrics().deferred, 1U);
        ASSERT_EQ(d.timers->metrics().pending, 1U);
        if (what == 0) {
            EXPECT_EQ(d.t->cancel(), cancel_result::cancelled);
        }
        if (what == 1) d.t->after(1h);
        if (what == 2) d.t.reset();
        if (what == 3) d.timers->stop();
        EXPECT_EQ(d.timers->metrics().pending, what == 1 ? 1U : 0U);
        EXPECT_EQ(d.fired, 0);
    }
}

TEST(due_reusable, dropped_by_a_stop_it_is_idle) {
    due_one d;
    EXPECT_EQ(d.timers->stop().due, 1U);
    EXPECT_EQ(d.t->cancel(), cancel_result::gone);
    EXPECT_EQ(d.fired, 0);
}

// One whose callback runs until the test lets it return.
struct running_one {
    running_one() {
        t.emplace(timers, [this] {
            if (fired++ > 0) return;
            begun.set_value();
            may_return.get_future().wait();
        });
        t->after(0ms);
        begun.get_future().wait();
    }
    timer_service timers;
    std::atomic<int> fired = 0;
    std::promise<void> begun;
    std::promise<void> may_return;
    std::optional<reusable_timer> t;
};

TEST(running_reusable, armed_meanwhile_it_fires_when_it_has_returned) {
    running_one r;
    r.t->after(0ms);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(r.fired, 1) << "its callback runs once at a time";
    r.may_return.set_value();
    while (r.fired < 2) std::this_thread::yield();
    while (r.timers.metrics().completed < 2) std::this_thread::yield();
    expect_all_accounted_for(r.timers.metrics());
}

TEST(running_reusable, cancelled_meanwhile_it_is_not_armed_any_more) {
    running_one r;
    r.t->after(0ms);
    EXPECT_EQ(r.t->cancel(), cancel_result::running);
    r.may_return.set_value();
    EXPECT_NE(r.t->cancel_and_wait(), cancel_result::cancelled);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(r.fired, 1);
}

TEST(running_reusable, is_waited_for_by_whoever_destroys_it) {
    running_one r;
    auto destroyed = std::async(std::launch::async, [&] { r.t.reset(); });
    EXPECT_EQ(destroyed.wait_for(20ms), std::future_status::timeout);
    r.may_return.set_value();
    destroyed.get();
    EXPECT_EQ(r.timers.metrics().running, 0U);
}

}  // namespace
}  // namespace foliot
