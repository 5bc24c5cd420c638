// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// What a user of Boost.Asio writes: the timer, a timeout for an operation, and a service's callbacks
// on the io_context.
#include <foliot/asio/asio_executor.hpp>
#include <foliot/asio/asio_timer.hpp>
#include <foliot/asio/async_sleep.hpp>
#include <foliot/asio/with_timeout.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdio>
#include <memory>

int main() {
    using namespace std::chrono_literals;
    using boost::system::error_code;
    boost::asio::io_context io;

    foliot::asio_timer timer(io, 1ms);
    timer.async_wait([](const error_code& ec) { std::puts(ec ? "aborted" : "expired"); });
    io.run();
    timer.expires_after(1h);
    timer.async_wait(foliot::with_timeout(1ms, [](const error_code& ec) {
        std::puts(ec == boost::asio::error::timed_out ? "timed out" : "not timed out");
    }));
    io.restart();
    io.run();

    auto work = boost::asio::make_work_guard(io);
    foliot::service_options options;
    options.executor = std::make_shared<foliot::asio_executor>(io.get_executor());
    foliot::timer_service timers(options);
    timers.after(1ms, [&] {
        std::puts("the service fired on the context");
        work.reset();
    });
    io.restart();
    io.run();
}
