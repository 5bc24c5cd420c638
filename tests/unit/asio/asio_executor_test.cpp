// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/asio/asio_executor.hpp>
#include <foliot/service/timer_service.hpp>

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace foliot {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// A service whose time the test moves, and an io_context that the test runs.
struct bridge {
    explicit bridge(std::size_t limit = 1000, overload when_full = overload::reject)
        : executor(std::make_shared<asio_executor>(io.get_executor(), limit)),
          timers(options(when_full)) {}

    service_options options(overload when_full) {
        service_options o;
        o.clock = &clock;
        o.driver = false;
        o.executor = executor;
        o.when_full = when_full;
        return o;
    }
    void due(int n, timer_options options = {}) {
        for (int i = 0; i < n; ++i)
            timers.after(
                0ms, [this] { ++ran; }, options);
        pass();
    }
    void pass() {
        clock.advance(1ms);
        while (timers.poll() > 0) {}
    }
    std::size_t run() {
        io.restart();
        return io.run();
    }

    asio::io_context io;
    manual_service_clock clock;
    std::shared_ptr<asio_executor> executor;
    timer_service timers;
    int ran = 0;
};

TEST(asio_executor, runs_callbacks_where_the_context_is_run) {
    asio::io_context io;
    auto work = asio::make_work_guard(io);
    service_options options;
    options.executor = std::make_shared<asio_executor>(io.get_executor());
    timer_service timers(options);
    std::thread::id ran_on;
    timers.after(2ms, [&] {
        ran_on = std::this_thread::get_id();
        work.reset();
    });
    io.run();
    EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(asio_executor, keeps_the_context_at_work_if_its_executor_is_told_to) {
    asio::io_context io;
    service_options options;
    options.executor = std::make_shared<asio_executor>(
        asio::require(io.get_executor(), asio::execution::outstanding_work.tracked));
    std::optional<timer_service> timers(options);
    options.executor.reset();
    bool ran = false;
    timers->after(2ms, [&] {
        ran = true;
        timers.reset();  // and with it the executor
    });
    io.run();
    EXPECT_TRUE(ran);
}

TEST(asio_executor, each_job_is_one_handler) {
    bridge b;
    b.due(5);
    EXPECT_EQ(b.ran, 0);
    EXPECT_EQ(b.executor->waiting()[1], 5U);
    EXPECT_EQ(b.run(), 5U);
    EXPECT_EQ(b.ran, 5);
    EXPECT_EQ(b.executor->waiting()[1], 0U);
}

TEST(asio_executor, has_a_bound_for_each_class) {
    bridge b(3);
    b.due(5, {.urgency = priority::low});
    EXPECT_EQ(b.timers.metrics().rejected, 2U);
    b.due(2, {.urgency = priority::high});
    EXPECT_EQ(b.timers.metrics().rejected, 2U);
    EXPECT_EQ(b.executor->waiting(), (std::array<std::size_t, priorities>{2, 0, 3}));
    b.run();
    EXPECT_EQ(b.ran, 5);
    b.due(3, {.urgency = priority::low});
    b.run();
    EXPECT_EQ(b.ran, 8);
    EXPECT_THROW(asio_executor(b.io.get_executor(), 0), std::invalid_argument);
}

TEST(asio_executor, runs_the_urgent_ones_first_but_starves_none) {
    bridge b;
    std::string order;
    for (int i = 0; i < 4; ++i) {
        b.timers.after(0ms, [&] { order += 'l'; }, {.urgency = priority::low});
        b.timers.after(0ms, [&] { order += 'n'; });
    }
    for (int i = 0; i < 20; ++i) {
        b.timers.after(0ms, [&] { order += 'h'; }, {.urgency = priority::high});
    }
    b.pass();
    b.run();
    EXPECT_EQ(order, "hhhhhhhnhhhhhhhlhhhhhhnnnlll");
}

TEST(asio_executor, gives_back_discardable_jobs_for_others) {
    bridge b(2, overload::shed);
    b.due(2, {.discardable = true});
    b.due(1);
    EXPECT_EQ(b.timers.metrics().shed, 1U);
    EXPECT_EQ(b.executor->waiting()[1], 2U);
    EXPECT_FALSE(b.executor->evict(priority::high));
    b.run();
    EXPECT_EQ(b.ran, 2);
}

TEST(asio_executor, stop_drops_what_waits_and_takes_no_more) {
    const auto alive = std::make_shared<int>();
    bridge b;
    bool ran = false;
    for (int i = 0; i < 3; ++i) b.timers.after(0ms, [alive, &ran] { ran = true; });
    b.pass();
    EXPECT_EQ(alive.use_count(), 4);
    b.timers.stop();
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(b.executor->waiting()[1], 0U);
    EXPECT_EQ(b.run(), 3U);  // the handlers are still there, and do nothing
    EXPECT_FALSE(ran);
}

TEST(asio_executor, stop_waits_for_the_job_that_runs) {
    bridge b;
    std::atomic<bool> started = false;
    std::atomic<bool> may_return = false;
    std::atomic<bool> returned = false;
    b.timers.after(0ms, [&] {
        started = true;
        while (!may_return) std::this_thread::yield();
        returned = true;
    });
    b.pass();
    std::thread runner([&] { b.run(); });
    while (!started) std::this_thread::yield();
    std::thread helper([&] {
        std::this_thread::sleep_for(5ms);
        may_return = true;
    });
    b.executor->stop();  // as the service does, which waits for its callbacks as well
    EXPECT_TRUE(returned);
    helper.join();
    runner.join();
}

TEST(asio_executor, stop_does_not_wait_for_jobs_that_call_it) {
    bridge b;
    std::atomic<int> inside = 0;
    for (int i = 0; i < 2; ++i) {
        b.timers.after(0ms, [&] {
            ++inside;
            while (inside < 2) std::this_thread::yield();
            b.executor->stop();
        });
    }
    b.pass();
    std::thread other([&] { b.io.run(); });
    b.io.run();
    other.join();
    EXPECT_EQ(inside, 2);
}

TEST(asio_executor, may_be_a_strand_s) {
    asio::io_context io;
    auto work = asio::make_work_guard(io);
    const auto strand = asio::make_strand(io);
    service_options options;
    options.executor = std::make_shared<asio_executor>(strand);
    options.queue_limit = 100;
    timer_service timers(options);
    std::atomic<int> inside = 0;
    int ran = 0;
    for (int i = 0; i < 200; ++i) {
        timers.after(std::chrono::microseconds(i * 20), [&] {
            EXPECT_EQ(++inside, 1);
            EXPECT_TRUE(strand.running_in_this_thread());
            --inside;
            if (++ran == 200) work.reset();
        });
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&] { io.run(); });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(ran, 200);
}

TEST(asio_executor, s_handlers_may_outlive_it) {
    asio::io_context io;
    {
        service_options options;
        options.driver = false;
        options.executor = std::make_shared<asio_executor>(io.get_executor());
        timer_service timers(options);
        timers.after(0ms, [] { FAIL(); });
        while (timers.poll() == 0) {}
    }
    EXPECT_EQ(io.run(), 1U);
}

}  // namespace
}  // namespace foliot
