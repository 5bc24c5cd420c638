// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/asio/async_sleep.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace foliot {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

service_options manual(const service_clock& clock) {
    service_options o;
    o.clock = &clock;
    o.driver = false;
    o.workers = 0;
    return o;
}

class async_sleep_test : public testing::Test {
protected:
    auto handler() {
        return asio::bind_executor(io, [this](error_code ec) { said.push_back(ec); });
    }
    void pass(std::chrono::nanoseconds time) {
        clock.advance(time);
        while (timers->poll() > 0) {}
    }
    std::size_t poll() {
        io.restart();
        return io.poll();
    }

    asio::io_context io;
    manual_service_clock clock;
    std::optional<timer_service> timers{manual(clock)};
    std::vector<error_code> said;
};
using async_sleep_suite = async_sleep_test;

TEST_F(async_sleep_suite, completes_when_the_time_is_over_on_the_handler_s_executor) {
    async_sleep(*timers, 5s, handler());
    pass(4999ms);
    EXPECT_EQ(poll(), 0U);
    EXPECT_FALSE(io.stopped());
    pass(1ms);
    EXPECT_EQ(said.size(), 0U);
    EXPECT_EQ(poll(), 1U);
    EXPECT_EQ(said, std::vector{error_code()});
    EXPECT_TRUE(io.stopped());
}

TEST_F(async_sleep_suite, is_cancelled_by_its_slot) {
    asio::cancellation_signal signal;
    async_sleep(*timers, 5s, asio::bind_cancellation_slot(signal.slot(), handler()));
    signal.emit(asio::cancellation_type::none);
    EXPECT_EQ(timers->metrics().pending, 1U);
    signal.emit(asio::cancellation_type::total);
    EXPECT_EQ(timers->metrics().pending, 0U);
    EXPECT_EQ(poll(), 1U);
    EXPECT_EQ(said, std::vector<error_code>{asio::error::operation_aborted});
    signal.emit(asio::cancellation_type::all);
    EXPECT_EQ(poll(), 0U);
}

TEST_F(async_sleep_suite, ends_when_the_service_stops) {
    async_sleep(*timers, 5s, handler());
    timers->stop();
    async_sleep(*timers, 1s, handler());
    timers.reset();
    EXPECT_EQ(poll(), 2U);
    EXPECT_EQ(said, std::vector<error_code>(2, asio::error::operation_aborted));
}

TEST_F(async_sleep_suite, says_that_the_service_has_too_many_timers) {
    service_options o = manual(clock);
    o.max_timers = 1;
    timer_service full(o);
    full.after(1s, [] {});
    async_sleep(full, 1s, handler());
    EXPECT_EQ(poll(), 1U);
    EXPECT_EQ(said, std::vector<error_code>{asio::error::no_buffer_space});
}

TEST_F(async_sleep_suite, never_calls_the_handler_itself) {
    async_sleep(*timers, 0s, handler());
    async_sleep(*timers, -1s, handler());
    EXPECT_EQ(poll(), 0U);
    pass(1ms);
    EXPECT_EQ(said.size(), 0U);
    EXPECT_EQ(poll(), 2U);
}

TEST(async_sleep, is_awaited) {
    timer_service timers;
    asio::io_context io;
    using namespace asio::experimental::awaitable_operators;
    const auto sleeper = [&]() -> asio::awaitable<std::size_t> {
        const auto here = std::this_thread::get_id();
        const auto end = machine_clock().steady() + 3ms;
        co_await async_sleep(timers, 3ms, asio::use_awaitable);
        EXPECT_GE(machine_clock().steady(), end);
        EXPECT_EQ(std::this_thread::get_id(), here);
        const auto first = co_await (async_sleep(timers, 1h, asio::use_awaitable) ||
                                     async_sleep(timers, 1ms, asio::use_awaitable));
        co_return first.index();
    };
    auto done = asio::co_spawn(io, sleeper(), asio::use_future);
    io.run();
    EXPECT_EQ(done.get(), 1U);
    EXPECT_EQ(timers.metrics().pending, 0U);
    async_sleep(timers, 1ms, asio::use_future).get();
}

TEST(async_sleep, each_ends_once_while_slots_time_and_a_stop_race) {
    constexpr int rounds = 400;
    asio::io_context io;
    std::optional<timer_service> timers(std::in_place);
    std::atomic<int> ended = 0;
    std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
    for (int i = 0; i < rounds; ++i) {
        signals.push_back(std::make_unique<asio::cancellation_signal>());
        async_sleep(*timers, std::chrono::microseconds(i * 10),
                    asio::bind_cancellation_slot(
                        signals.back()->slot(),
                        asio::bind_executor(io, [&](const error_code&) { ++ended; })));
    }
    std::vector<std::thread> running;
    for (int i = 0; i < 2; ++i) running.emplace_back([&] { io.run(); });
    for (int i = rounds - 1; i >= 0; i -= 3) {
        signals[static_cast<std::size_t>(i)]->emit(asio::cancellation_type::terminal);
    }
    timers->stop();
    for (std::thread& t : running) t.join();
    EXPECT_EQ(ended, rounds);
}

}  // namespace
}  // namespace foliot
