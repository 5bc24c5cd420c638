// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/coro/sleep.hpp>
#include <foliot/coro/spawn.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include "unit/coro/simulated.hpp"

namespace foliot {
namespace {

using namespace std::chrono_literals;

lazy<> nap(simulated& world, int& naps, counted /*until the end*/) {
    ++naps;
    co_await sleep(world.timers, 1s);
    ++naps;
}

TEST(spawn, runs_until_it_waits_and_is_freed_when_it_ends) {
    simulated world;
    int naps = 0;
    int living = 0;
    spawn(nap(world, naps, counted(living)));
    EXPECT_EQ(naps, 1);
    EXPECT_EQ(living, 1);
    world.go(1s);
    EXPECT_EQ(naps, 2);
    EXPECT_EQ(living, 0);
}

TEST(spawn, keeps_the_captures_of_a_lambda_until_the_end) {
    simulated world;
    int seen = 0;
    {
        const auto number = std::make_shared<int>(5);
        spawn([&world, &seen, number]() -> lazy<> {
            co_await sleep(world.timers, 1s);
            seen = *number;
        });
    }
    world.go(1s);
    EXPECT_EQ(seen, 5);
}

lazy<> fail(simulated& world, bool at_once) {
    if (!at_once) co_await sleep(world.timers, 1s);
    throw std::runtime_error("failed");
}

TEST(spawn, what_it_throws_is_given_to_the_handler) {
    for (const bool at_once : {true, false}) {
        simulated world;
        std::string told;
        const auto tell = [&](const std::exception_ptr& e) {
            try {
                std::rethrow_exception(e);
            } catch (const std::runtime_error& failure) {
                told += failure.what();
            }
        };
        spawn(fail(world, at_once), {}, tell);
        EXPECT_EQ(told, at_once ? "failed" : "");
        world.go(1s);
        EXPECT_EQ(told, "failed");
        EXPECT_EQ(world.timers.metrics().failures, 0U);
    }
}

TEST(spawn_death, what_it_throws_ends_the_process_if_nobody_hears_it) {
    simulated world;
    EXPECT_DEATH(spawn(fail(world, true)), "failed");
}

TEST(spawn, a_loop_that_never_looks_ends_with_the_service_and_is_no_failure) {
    simulated world;
    int living = 0;
    bool told = false;
    const auto loop = [](simulated& w, counted /*until the end*/) -> lazy<> {
        while (true) co_await sleep(w.timers, 1s);
    };
    spawn(loop(world, counted(living)), {}, [&](const std::exception_ptr&) { told = true; });
    spawn(loop(world, counted(living)));
    world.go(10s);
    EXPECT_EQ(living, 2);
    world.timers.stop();
    EXPECT_EQ(living, 0);
    EXPECT_FALSE(told);
}

}  // namespace
}  // namespace foliot
