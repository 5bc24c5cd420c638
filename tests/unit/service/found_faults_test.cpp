// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Faults that were found in the service by trying to break it; each test failed once.
#include <foliot/service/timer_service.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>

namespace foliot {
namespace {

using namespace std::chrono_literals;

service_options by_hand(const service_clock& clock) {
    service_options o;
    o.clock = &clock;
    o.driver = false;
    o.workers = 0;
    return o;
}

auto wall_time(const service_clock& clock) {
    return std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(clock.wall()));
}

TEST(found_faults, a_wall_timer_made_after_the_clock_was_set_back_fires_at_its_time) {
    manual_service_clock clock;
    timer_service timers(by_hand(clock));
    int old = 0;
    int fresh = 0;
    timers.at(wall_time(clock) + 30min, [&] { ++old; });
    clock.advance(10min);
    timers.poll();
    clock.step_wall(-1h);
    timers.at(wall_time(clock) + 1min, [&] { ++fresh; });
    timers.poll();
    clock.advance(59s);
    timers.poll();
    EXPECT_EQ(fresh, 0);
    clock.advance(1s);
    timers.poll();
    EXPECT_EQ(fresh, 1);
    clock.advance(78min);
    timers.poll();
    EXPECT_EQ(old, 0) << "it was set back by an hour";
    clock.advance(1min);
    timers.poll();
    EXPECT_EQ(old, 1);
}

TEST(found_faults, a_clock_set_back_in_the_middle_of_a_pass_does_not_keep_poll_busy) {
    manual_service_clock clock;
    service_options o = by_hand(clock);
    o.pass_limit = 1;
    o.lock_limit = 1;
    timer_service timers(o);
    int fired = 0;
    for (int i = 0; i < 50; ++i) timers.at(wall_time(clock) + 1s, [&] { ++fired; });
    clock.advance(2s);
    timers.poll();
    EXPECT_EQ(fired, 1);
    clock.step_wall(-1h);
    for (int i = 0; i < 100; ++i) timers.poll();
    EXPECT_EQ(fired, 1) << "the others have an hour to go";
    clock.step_wall(1h);
    for (int i = 0; i < 100; ++i) timers.poll();
    EXPECT_EQ(fired, 50);
}

TEST(found_faults, a_callback_that_poll_runs_beside_a_driver_may_stop_and_destroy) {
    for (int round = 0; round < 50; ++round) {
        service_options o;
        o.workers = 0;
        auto timers =
            std::make_shared<std::unique_ptr<timer_service>>(std::make_unique<timer_service>(o));
        std::atomic<bool> stopped = false;
        (*timers)->after(1ms, [&] {
            (*timers)->stop();
            stopped = true;
        });
        while (!stopped) (*timers)->poll();
        timers->reset();
    }
}

// Calls the service when it is destroyed.
struct calls_when_destroyed {
    timer_service* timers;
    std::atomic<int>* destroyed;
    calls_when_destroyed(timer_service* t, std::atomic<int>* d) : timers(t), destroyed(d) {}
    calls_when_destroyed(calls_when_destroyed&& other) noexcept
        : timers(other.timers), destroyed(std::exchange(other.destroyed, nullptr)) {}
    calls_when_destroyed& operator=(calls_when_destroyed&&) = delete;
    ~calls_when_destroyed() {
        static_cast<void>(timers->metrics());
        static_cast<void>(timers->next_wakeup());
        static_cast<void>(timers->poll());
        if (destroyed != nullptr) ++*destroyed;
    }
    void operator()() const {}
};

TEST(found_faults, a_callback_may_call_the_service_while_it_is_moved_and_destroyed) {
    std::atomic<int> destroyed = 0;
    service_options o;
    o.workers = 1;
    o.queue_limit = 1;
    timer_service timers(o);
    std::promise<void> begun;
    std::promise<void> go_on;
    timers.after(1ms, [&] {
        begun.set_value();
        go_on.get_future().wait();
    });
    begun.get_future().wait();
    const timer t = timers.after(1h, calls_when_destroyed(&timers, &destroyed));
    EXPECT_EQ(t.cancel(), cancel_result::cancelled);
    EXPECT_EQ(destroyed, 1);
    timer_options grouped;
    grouped.group = 5;
    timers.after(1h, calls_when_destroyed(&timers, &destroyed), grouped);
    EXPECT_EQ(timers.cancel_group(5).cancelled, 1U);
    timers.after(1h, calls_when_destroyed(&timers, &destroyed));  // pending
    for (int i = 0; i < 3; ++i) timers.after(0ms, calls_when_destroyed(&timers, &destroyed));
    while (timers.metrics().due < 3) std::this_thread::yield();  // and in the backlog
    std::jthread opener([&] {
        std::this_thread::sleep_for(5ms);
        go_on.set_value();
    });
    timers.stop();
    EXPECT_EQ(destroyed, 6);
}

// Refuses by throwing, once.
class throwing_executor final : public executor {
public:
    [[nodiscard]] bool try_submit(const job& j) override {
        if (!std::exchange(thrown_, true)) throw std::runtime_error("no");
        j();
        return true;
    }

private:
    bool thrown_ = false;
};

TEST(found_faults, an_exception_in_a_pass_loses_no_job_and_the_next_pass_goes_on) {
    manual_service_clock clock;
    service_options o = by_hand(clock);
    o.executor = std::make_shared<throwing_executor>();
    timer_service timers(o);
    int fired = 0;
    for (int i = 0; i < 5; ++i) timers.after(1ms, [&] { ++fired; });
    clock.advance(1ms);
    EXPECT_THROW(timers.poll(), std::runtime_error);
    EXPECT_EQ(timers.poll(), 5U);
    EXPECT_EQ(fired, 5);
    EXPECT_EQ(timers.metrics().due, 0U);

    service_options driven;
    driven.executor = std::make_shared<throwing_executor>();
    timer_service by_itself(driven);
    std::promise<void> promise;
    by_itself.after(1ms, [&] { promise.set_value(); });
    EXPECT_EQ(promise.get_future().wait_for(30s), std::future_status::ready);
    EXPECT_EQ(by_itself.metrics().failed_passes, 1U);
}

TEST(found_faults, limits_as_large_as_they_go_are_refused_or_harmless) {
    manual_service_clock clock;
    service_options o = by_hand(clock);
    o.lock_limit = SIZE_MAX;
    EXPECT_THROW(timer_service{o}, std::invalid_argument);
    o = by_hand(clock);
    o.pass_limit = SIZE_MAX;
    o.block_time = std::chrono::nanoseconds::max();
    o.watchdog = std::chrono::nanoseconds::max();
    o.wall_check = std::chrono::nanoseconds::max();
    o.defer_by = std::chrono::nanoseconds::max();
    o.pass_time = std::chrono::nanoseconds::max();
    timer_service timers(o);
    int fired = 0;
    timers.after(1ms, [&] { ++fired; });
    timers.at(wall_time(clock) + 2ms, [&] { ++fired; });
    timers.at(std::chrono::steady_clock::time_point::min(), [&] { ++fired; });
    for (int i = 0; i < 10; ++i) {
        timers.at(std::chrono::system_clock::time_point::min(), [&] { ++fired; });
    }
    clock.advance(2ms);
    while (fired < 13) timers.poll();
    EXPECT_GT(timers.metrics().lateness.sum.count(), 0);
    EXPECT_NO_THROW(timers.after(std::chrono::duration<double>(std::nan("")), [] {}));
}

TEST(found_faults, passes_as_short_as_they_go_make_progress) {
    service_options o;
    o.pass_time = 1ns;
    o.pass_limit = 1;
    o.lock_limit = 1;
    timer_service timers(o);
    std::latch all(100);
    for (int i = 0; i < 100; ++i) timers.after(1ms, [&] { all.count_down(); });
    all.wait();
    while (timers.metrics().completed < 100) std::this_thread::yield();
}

TEST(found_faults, to_wait_for_ever_for_room_hides_no_wake_up) {
    service_options o;
    o.workers = 1;
    o.queue_limit = 1;
    o.block_time = std::chrono::nanoseconds::max();
    o.watchdog = std::chrono::nanoseconds::max();
    timer_service timers(o);
    std::promise<void> begun;
    std::promise<void> go_on;
    timers.after(1ms, [&] {
        begun.set_value();
        go_on.get_future().wait();
    });
    begun.get_future().wait();
    for (int i = 0; i < 3; ++i) timers.after(0ms, [] {});
    while (timers.metrics().due < 3) std::this_thread::yield();
    timer_options high;
    high.urgency = priority::high;
    timers.after(
        20ms, [] {}, high);
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (timers.metrics().due < 4 && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(timers.metrics().due, 4U) << "it was taken out of the wheel in time";
    go_on.set_value();
}

TEST(found_faults, a_stop_from_outside_waits_for_the_callback_that_stopped_it_first) {
    for (const std::size_t workers : {0U, 1U, 2U}) {
        service_options o;
        o.workers = workers;
        std::promise<void> stopped;
        std::atomic<bool> returned = false;
        {
            timer_service timers(o);
            timers.after(1ms, [&] {
                timers.stop();
                stopped.set_value();
                std::this_thread::sleep_for(30ms);
                returned = true;
            });
            stopped.get_future().wait();
        }
        EXPECT_TRUE(returned) << workers;
    }
}

TEST(found_faults, a_stop_reports_all_that_it_drops) {
    for (int round = 0; round < 20; ++round) {
        timer_service timers;
        for (int i = 0; i < 2000; ++i) timers.after(std::chrono::microseconds(i), [] {});
        std::this_thread::sleep_for(1ms);
        const stop_report report = timers.stop();
        const service_metrics m = timers.metrics();
        EXPECT_EQ(report.pending + report.due, m.dropped);
        EXPECT_EQ(m.completed + m.dropped + m.rejected, 2000U);
        EXPECT_EQ(m.backlog, (std::array<std::size_t, priorities>{}));
    }
}

// Has room for one job, and is never told to say so.
class narrow_executor final : public executor {
public:
    narrow_executor() : thread_([this](const std::stop_token& stop) { run(stop); }) {}
    ~narrow_executor() override { thread_.request_stop(); }
    [[nodiscard]] bool try_submit(const job& j) override {
        const std::lock_guard held(mutex_);
        if (held_.has_value()) return false;
        held_ = j;
        return true;
    }
    void stop() noexcept override {
        const std::lock_guard held(mutex_);
        if (held_) held_->drop();
        held_.reset();
    }

private:
    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::optional<job> j;
            {
                const std::lock_guard held(mutex_);
                j.swap(held_);
            }
            if (j) (*j)();
            std::this_thread::sleep_for(100us);
        }
    }
    std::mutex mutex_;
    std::optional<job> held_;
    std::jthread thread_;
};

TEST(found_faults, an_executor_that_cannot_say_that_it_has_room_is_asked_again) {
    service_options o;
    o.executor = std::make_shared<narrow_executor>();
    o.block_time = 30s;
    o.backlog_limit = 4;
    timer_service timers(o);
    std::latch all(10);
    for (int i = 0; i < 10; ++i) timers.after(1ms, [&] { all.count_down(); });
    all.wait();
    timers.stop();
    EXPECT_EQ(timers.metrics().rejected, 0U);
}

TEST(found_faults, asking_for_the_descriptor_beside_a_driver_takes_no_wake_up_from_it) {
    timer_service timers;
    std::jthread asker([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) static_cast<void>(timers.wakeup_fd());
    });
    for (int i = 0; i < 200; ++i) {
        std::promise<void> promise;
        timers.after(0ms, [&] { promise.set_value(); });
        ASSERT_EQ(promise.get_future().wait_for(30s), std::future_status::ready) << i;
    }
}

TEST(found_faults, services_whose_callbacks_poll_each_other_do_not_wait_for_each_other) {
    manual_service_clock clock;
    timer_service a(by_hand(clock));
    timer_service b(by_hand(clock));
    std::atomic<int> fired = 0;
    for (int i = 0; i < 200; ++i) {
        a.after(1ms, [&] { static_cast<void>(b.next_wakeup()), b.poll(), ++fired; });
        b.after(1ms, [&] { static_cast<void>(a.next_wakeup()), a.poll(), ++fired; });
    }
    clock.advance(1ms);
    std::jthread other([&] {
        while (fired < 400) b.poll();
    });
    while (fired < 400) a.poll();
}

}  // namespace
}  // namespace foliot
