// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/service/driven_service.hpp"

#include <foliot/service/timer_service.hpp>

#include <gtest/gtest.h>

#include <poll.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace foliot {
namespace {

using namespace std::chrono_literals;

TYPED_TEST_SUITE(driven_service, service_models);

TYPED_TEST(driven_service, fires_once_and_not_before_its_time) {
    int fired = 0;
    const timer t = this->timers.after(30ms, [&] { ++fired; });
    this->go(29ms);
    EXPECT_EQ(fired, 0);
    this->go(1ms);
    EXPECT_EQ(fired, 1);
    this->go(100ms);
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(t.cancel(), cancel_result::gone);
    EXPECT_EQ(t.deadline(), std::nullopt);
}

TYPED_TEST(driven_service, a_delay_is_never_cut_short_by_where_in_a_tick_it_began) {
    this->clock.advance(900us);
    int fired = 0;
    this->timers.after(1ms, [&] { ++fired; });
    this->clock.advance(999us);
    this->timers.poll();
    EXPECT_EQ(fired, 0);
    this->clock.advance(1ms);
    this->timers.poll();
    EXPECT_EQ(fired, 1);
}

TYPED_TEST(driven_service, no_delay_and_a_negative_one_mean_at_once) {
    int fired = 0;
    this->timers.after(0ms, [&] { ++fired; });
    this->timers.after(-5s, [&] { ++fired; });
    this->clock.advance(1ms);
    this->timers.poll();
    EXPECT_EQ(fired, 2);
}

TYPED_TEST(driven_service, the_longest_delays_wait) {
    int fired = 0;
    this->timers.after(std::chrono::nanoseconds::max(), [&] { ++fired; });
    this->timers.after(std::chrono::hours::max(), [&] { ++fired; });
    this->timers.after(std::chrono::duration<double>(1e300), [&] { ++fired; });
    this->go(1000ms);
    EXPECT_EQ(fired, 0);
    EXPECT_EQ(this->timers.metrics().pending, 3U);
}

TYPED_TEST(driven_service, a_cancelled_callback_is_destroyed_at_once_and_never_runs) {
    const auto captured = std::make_shared<int>();
    const timer t = this->timers.after(10ms, [captured] { FAIL(); });
    EXPECT_EQ(captured.use_count(), 2);
    EXPECT_EQ(t.cancel(), cancel_result::cancelled);
    EXPECT_EQ(captured.use_count(), 1);
    EXPECT_EQ(t.cancel(), cancel_result::gone);
    this->go(20ms);
    EXPECT_EQ(this->timers.metrics().cancelled, 1U);
}

TYPED_TEST(driven_service, an_old_token_does_not_touch_the_next_timer) {
    const timer first = this->timers.after(10ms, [] {});
    first.cancel();
    int fired = 0;
    const timer second = this->timers.after(10ms, [&] { ++fired; });
    EXPECT_NE(first, second);
    EXPECT_EQ(first.cancel(), cancel_result::gone);
    EXPECT_EQ(first.reschedule(1s), reschedule_result::gone);
    this->go(10ms);
    EXPECT_EQ(fired, 1);
}

TYPED_TEST(driven_service, moves_a_timer_earlier_and_later) {
    int fired = 0;
    const timer t = this->timers.after(50ms, [&] { ++fired; });
    EXPECT_EQ(t.reschedule(100ms), reschedule_result::moved);
    this->go(99ms);
    EXPECT_EQ(fired, 0);
    EXPECT_EQ(t.reschedule(2ms), reschedule_result::moved);
    this->go(2ms);
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(t.reschedule(2ms), reschedule_result::gone);
}

TYPED_TEST(driven_service, a_callback_that_cancels_its_siblings_of_the_same_tick_stops_them) {
    std::vector<timer> all;
    int fired = 0;
    for (int i = 0; i < 10; ++i) {
        all.push_back(this->timers.after(10ms, [&] {
            ++fired;
            for (const timer& t : all) t.cancel();
        }));
    }
    this->go(20ms);
    EXPECT_EQ(fired, 1);
    const service_metrics m = this->timers.metrics();
    EXPECT_EQ(m.cancelled, 9U);
    EXPECT_EQ(m.completed, 1U);
    EXPECT_EQ(m.pending + m.due + m.running, 0U);
}

TYPED_TEST(driven_service, a_callback_that_throws_harms_nobody_and_is_told) {
    int failures = 0;
    service_options o = this->options(this->clock);
    o.on_failure = [&](const std::exception_ptr& e) {
        EXPECT_THROW(std::rethrow_exception(e), std::runtime_error);
        ++failures;
    };
    TypeParam service(o);
    int fired = 0;
    service.after(5ms, [] { throw std::runtime_error("x"); });
    service.after(5ms, [&] { ++fired; });
    this->clock.advance(5ms);
    service.poll();
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(failures, 1);
    EXPECT_EQ(service.metrics().failures, 1U);
}

TYPED_TEST(driven_service, a_callback_may_make_cancel_and_poll) {
    int fired = 0;
    timer self = this->timers.after(5ms, [&] {
        EXPECT_EQ(self.cancel(), cancel_result::running);
        EXPECT_EQ(self.cancel_and_wait(), cancel_result::running) << "it must not wait for itself";
        EXPECT_EQ(self.reschedule(1ms), reschedule_result::running);
        EXPECT_EQ(this->timers.poll(), 0U);
        EXPECT_NE(this->timers.next_wakeup(), std::nullopt);
        this->timers.after(1ms, [&] { ++fired; });
    });
    this->timers.after(500ms, [] {});
    this->go(10ms);
    EXPECT_EQ(fired, 1);
}

TYPED_TEST(driven_service, a_timer_that_makes_itself_anew_with_no_delay_lets_poll_return) {
    int fired = 0;
    std::function<void()> again = [&] {
        ++fired;
        this->timers.after(0ms, [&] { again(); });
    };
    this->timers.after(0ms, [&] { again(); });
    this->go(5ms);
    EXPECT_GE(fired, 4);
    EXPECT_LE(fired, 6);
}

TYPED_TEST(driven_service, next_wakeup_says_when_to_poll_and_nothing_when_nothing_is_pending) {
    EXPECT_EQ(this->timers.next_wakeup(), std::nullopt);
    const timer t = this->timers.after(30ms, [] {});
    const auto at = this->timers.next_wakeup();
    ASSERT_TRUE(at.has_value());
    EXPECT_LE(*at, this->clock.steady() + 30ms);
    EXPECT_EQ(t.deadline(), this->clock.steady() + 30ms);
    t.cancel();
    EXPECT_EQ(this->timers.next_wakeup(), std::nullopt);
}

TYPED_TEST(driven_service, a_delay_does_not_follow_the_wall_clock_and_a_wall_time_does) {
    int delayed = 0;
    int walled = 0;
    this->timers.after(10s, [&] { ++delayed; });
    const auto wall = std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(this->clock.wall()));
    this->timers.at(wall + 10s, [&] { ++walled; });
    this->clock.step_wall(1h);
    this->timers.poll();
    EXPECT_EQ(delayed, 0);
    EXPECT_EQ(walled, 1);

    this->timers.at(wall + 1h + 10s, [&] { ++walled; });
    this->clock.step_wall(-1h);
    this->clock.advance(10s);
    this->timers.poll();
    EXPECT_EQ(delayed, 1);
    EXPECT_EQ(walled, 1);
    this->clock.step_wall(1h);
    this->timers.poll();
    EXPECT_EQ(walled, 2);
}

TYPED_TEST(driven_service, a_group_is_cancelled_in_one_call_and_nothing_else_is) {
    const auto captured = std::make_shared<int>();
    int fired = 0;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        timer_options of;
        of.group = i % 3;
        this->timers.after(
            std::chrono::milliseconds(i % 50), [captured, &fired] { ++fired; }, of);
    }
    std::thread([&] {  // on another shard
        timer_options of;
        of.group = 2;
        this->timers.after(
            5ms, [captured, &fired] { ++fired; }, of);
    })
        .join();
    const group_result r = this->timers.cancel_group(2);
    EXPECT_EQ(r.cancelled, 1001U);
    EXPECT_EQ(r.running, 0U);
    EXPECT_EQ(captured.use_count(), 2001);
    EXPECT_EQ(this->timers.cancel_group(2).cancelled, 0U);
    EXPECT_EQ(this->timers.cancel_group(0).cancelled, 0U);
    this->go(60ms);
    EXPECT_EQ(fired, 2000);
}

TYPED_TEST(driven_service, members_leave_their_group_when_they_end_and_one_that_runs_is_told) {
    timer_options of;
    of.group = 7;
    int fired = 0;
    timer periodic = this->timers.every(
        10ms,
        [&] {
            if (++fired < 2) return;
            const group_result r = this->timers.cancel_group(7);
            EXPECT_EQ(r.running, 1U);
            EXPECT_EQ(r.cancelled, 1U);
            this->timers.after(
                1ms, [&] { fired += 100; }, of);  // made after it: stays
        },
        missed::skip, of);
    this->timers.after(
        5ms, [] {}, of);
    const timer cancelled = this->timers.after(
        5ms, [] {}, of);
    cancelled.cancel();
    this->timers.after(
        1h, [] { FAIL(); }, of);
    this->go(100ms);
    EXPECT_EQ(fired, 102);
    EXPECT_EQ(periodic.cancel(), cancel_result::gone);
    EXPECT_EQ(this->timers.cancel_group(7).cancelled, 0U);
}

TYPED_TEST(driven_service, stop_says_what_was_left_and_destroys_it) {
    const auto captured = std::make_shared<int>();
    for (int i = 0; i < 7; ++i) this->timers.after(1s, [captured] {});
    EXPECT_EQ(this->timers.stop().pending, 7U);
    EXPECT_EQ(captured.use_count(), 1);
    EXPECT_THROW(this->timers.after(1s, [] {}), service_stopped);
    EXPECT_EQ(this->timers.stop().pending, 0U);
    const service_metrics m = this->timers.metrics();
    EXPECT_EQ(m.dropped, 7U);
    EXPECT_EQ(m.scheduled, 7U);
}

TYPED_TEST(driven_service, a_callback_may_destroy_the_service) {
    auto service = std::make_unique<TypeParam>(this->options(this->clock));
    int fired = 0;
    service->after(5ms, [&] {
        ++fired;
        service.reset();
    });
    service->after(5ms, [&] { ++fired; });
    this->clock.advance(5ms);
    service->poll();
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(service, nullptr);
}

TYPED_TEST(driven_service, a_long_pause_is_made_up_for_in_bounded_passes) {
    service_options o = this->options(this->clock);
    o.pass_limit = 100;
    TypeParam service(o);
    int fired = 0;
    for (int i = 0; i < 1000; ++i) service.after(std::chrono::milliseconds(i), [&] { ++fired; });
    this->clock.advance(10min);
    EXPECT_EQ(service.poll(), 100U);
    EXPECT_EQ(fired, 100);
    int fresh = 0;
    service.after(0ms, [&] { ++fresh; });
    for (int passes = 1; fired < 1000; ++passes) ASSERT_LE(service.poll(), 100U) << passes;
    this->clock.advance(1ms);
    service.poll();
    EXPECT_EQ(fresh, 1);
    EXPECT_GE(service.metrics().cut_passes, 9U);
}

TEST(timer_service, refuses_options_out_of_range_by_name) {
    const auto message = [](service_options o) -> std::string {
        try {
            timer_service service(std::move(o));
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "";
    };
    service_options o;
    o.tick = 0ms;
    EXPECT_EQ(message(o), "service_options.tick must be positive");
    o = {};
    o.shards = 0;
    EXPECT_EQ(message(o), "service_options.shards must be 1 to 256");
    o = {};
    o.queue_limit = 0;
    EXPECT_EQ(message(o), "service_options.queue_limit must be 1 to 2^24");
}

TEST(timer_service, a_scoped_timer_cancels_when_it_goes_away) {
    timer_service timers;
    const auto captured = std::make_shared<int>();
    {
        scoped_timer a = timers.after(1h, [captured] {});
        scoped_timer b = std::move(a);
        EXPECT_EQ(captured.use_count(), 2);
    }
    EXPECT_EQ(captured.use_count(), 1);
    EXPECT_EQ(timers.metrics().cancelled, 1U);
}

// ---- with its own threads -----------------------------------------------------------------------

TEST(timer_service, fires_by_itself_and_never_early) {
    timer_service timers;
    std::promise<std::chrono::steady_clock::time_point> promise;
    const auto begin = std::chrono::steady_clock::now();
    timers.after(20ms, [&] { promise.set_value(std::chrono::steady_clock::now()); });
    EXPECT_GE(promise.get_future().get() - begin, 20ms);
}

TEST(timer_service, an_earlier_timer_wakes_the_driver) {
    timer_service timers;
    timers.after(1h, [] {});
    std::this_thread::sleep_for(20ms);  // the driver sleeps by now, most likely
    std::promise<void> promise;
    timers.after(1ms, [&] { promise.set_value(); });
    EXPECT_EQ(promise.get_future().wait_for(30s), std::future_status::ready);
}

TEST(timer_service, the_driver_is_not_woken_while_nothing_is_pending_or_everything_is_far) {
    timer_service timers;
    std::promise<void> promise;
    timers.after(1ms, [&] { promise.set_value(); });
    promise.get_future().wait();
    timers.after(10h, [] {});
    std::this_thread::sleep_for(50ms);
    const std::uint64_t before = timers.metrics().wakeups;
    // Later ones do not wake it either.
    for (int i = 0; i < 1000; ++i) timers.after(11h, [] {});
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(timers.metrics().wakeups, before);
}

TEST(timer_service, cancel_and_wait_returns_when_the_callback_has) {
    timer_service timers;
    std::promise<void> begun;
    std::atomic<bool> returned = false;
    const timer t = timers.after(1ms, [&] {
        begun.set_value();
        std::this_thread::sleep_for(20ms);
        returned = true;
    });
    begun.get_future().wait();
    EXPECT_EQ(t.cancel_and_wait(), cancel_result::running);
    EXPECT_TRUE(returned);
}

TEST(timer_service, a_timer_that_waits_for_a_worker_can_be_cancelled_and_moved) {
    service_options o;
    o.workers = 1;
    timer_service timers(o);
    std::promise<void> begun;
    std::promise<void> go_on;
    timers.after(1ms, [&] {
        begun.set_value();
        go_on.get_future().wait();
    });
    begun.get_future().wait();
    std::vector<timer> waiting;
    std::atomic<int> fired = 0;
    for (int i = 0; i < 10; ++i) waiting.push_back(timers.after(1ms, [&] { ++fired; }));
    while (timers.metrics().due < 10) std::this_thread::yield();
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(waiting[i].cancel(), cancel_result::cancelled);
    EXPECT_EQ(waiting[9].reschedule(1h), reschedule_result::moved);
    EXPECT_EQ(timers.metrics().due, 0U);
    EXPECT_EQ(timers.metrics().pending, 1U);
    go_on.set_value();
    while (timers.metrics().running > 0) std::this_thread::yield();
    EXPECT_EQ(fired, 0);
    EXPECT_EQ(waiting[9].cancel(), cancel_result::cancelled);
}

TEST(timer_service, a_blocked_callback_delays_no_other_while_there_is_a_worker) {
    timer_service timers;
    std::promise<void> go_on;
    timers.after(1ms, [&] { go_on.get_future().wait(); });
    std::promise<void> other;
    timers.after(5ms, [&] { other.set_value(); });
    EXPECT_EQ(other.get_future().wait_for(30s), std::future_status::ready);
    go_on.set_value();
}

TEST(timer_service, a_callback_that_runs_for_too_long_is_told_of_while_it_runs_and_once) {
    std::atomic<int> told = 0;
    service_options o;
    o.watchdog = 5ms;
    o.on_slow = [&](std::chrono::nanoseconds took) {
        EXPECT_GE(took, 5ms);
        ++told;
    };
    timer_service timers(o);
    std::promise<void> go_on;
    timers.after(1ms, [&] { go_on.get_future().wait(); });
    while (told == 0) std::this_thread::yield();
    EXPECT_EQ(timers.metrics().running, 1U);
    std::this_thread::sleep_for(30ms);
    EXPECT_EQ(told, 1);
    EXPECT_EQ(timers.metrics().slow_callbacks, 1U);
    go_on.set_value();
}

TEST(timer_service, the_watchdog_does_not_wake_the_driver_when_nothing_is_due) {
    service_options o;
    o.watchdog = 1ms;
    timer_service timers(o);
    std::promise<void> promise;
    timers.after(1ms, [&] { promise.set_value(); });
    timers.after(1h, [] {});
    promise.get_future().wait();
    std::this_thread::sleep_for(50ms);
    const std::uint64_t before = timers.metrics().wakeups;
    std::this_thread::sleep_for(100ms);
    EXPECT_LE(timers.metrics().wakeups, before + 1);
}

// Whether the descriptor becomes readable within a time.
bool readable(int fd, std::chrono::milliseconds within) {
    pollfd p{fd, POLLIN, 0};
    return ::poll(&p, 1, static_cast<int>(within.count())) == 1;
}

TEST(timer_service, its_descriptor_wakes_a_loop_that_polls) {
    service_options o;
    o.driver = false;
    o.workers = 0;
    timer_service timers(o);
    const int fd = timers.wakeup_fd();
    EXPECT_FALSE(readable(fd, 10ms)) << "nothing is pending";
    int fired = 0;
    const auto count = [&] { ++fired; };
    timers.after(1h, count);
    EXPECT_FALSE(readable(fd, 10ms));
    timers.after(30ms, count);
    timers.after(5ms, count);  // an earlier one
    const auto begin = std::chrono::steady_clock::now();
    while (fired < 2) {
        ASSERT_TRUE(readable(fd, 30'000ms));
        timers.poll();
    }
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 29ms);
    EXPECT_FALSE(readable(fd, 10ms)) << "the rest is far";
    std::thread([&] { timers.after(1ms, count); }).join();
    EXPECT_TRUE(readable(fd, 30'000ms));
    EXPECT_TRUE(readable(fd, 0ms)) << "until poll is called";
    while (fired < 3) timers.poll();
    EXPECT_FALSE(readable(fd, 10ms));
}

TEST(timer_service, a_callback_on_a_worker_may_destroy_the_service) {
    std::promise<void> made;
    std::promise<void> done;
    auto service = std::make_unique<timer_service>();
    service->after(5ms, [&] {
        made.get_future().wait();
        service.reset();
        done.set_value();
    });
    made.set_value();
    done.get_future().wait();
    EXPECT_EQ(service, nullptr);
}

TEST(timer_service, a_callback_on_the_driver_may_destroy_the_service) {
    std::promise<void> made;
    std::promise<void> done;
    service_options o;
    o.workers = 0;
    auto service = std::make_unique<timer_service>(o);
    service->after(5ms, [&] {
        made.get_future().wait();
        service.reset();
        done.set_value();
    });
    made.set_value();
    done.get_future().wait();
    EXPECT_EQ(service, nullptr);
}

}  // namespace
}  // namespace foliot
