// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/foliotd_fixture.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

// A real foliotd whose wall clock is stepped while it runs. libfaketime (a library of Debian's that
// is loaded before the C library) adds to its CLOCK_REALTIME what a file says, and leaves the boot
// clock alone.

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::int64_t hour_ms = 3'600'000;

std::vector<const char*> crash_points_here() {
#ifdef FOLIOT_CRASH_POINTS
    return {"before_facts", "after_facts"};
#else
    return {};
#endif
}

class wall_clock : public foliotd_fixture {
protected:
    void SetUp() override {
        ASSERT_TRUE(std::filesystem::exists(FAKETIME_LIBRARY))
            << "there is no " FAKETIME_LIBRARY ": install the package libfaketime";
        step_to(0);
        start_stepped();
    }

    /// From now on foliotd's wall clock is this far ahead of the machine's.
    void step_to(std::int64_t seconds) {
        const auto next = steps().string() + ".next";
        std::ofstream(next) << (seconds < 0 ? "" : "+") << seconds << '\n';
        std::filesystem::rename(next, steps());
    }

    void launch_stepped(std::vector<std::string> more_environment = {}) {
        more_environment.insert(
            more_environment.end(),
            {"LD_PRELOAD=" FAKETIME_LIBRARY, "FAKETIME_DONT_FAKE_MONOTONIC=1",
             "FAKETIME_TIMESTAMP_FILE=" + steps().string(), "FAKETIME_NO_CACHE=1"});
        foliotd.set_environment(std::move(more_environment));
        foliotd.launch();
    }
    void start_stepped() {
        launch_stepped();
        ASSERT_EQ(foliotd.wait_until_ready(), "");
    }

    void kill_and_start_stepped() {
        foliotd.kill_nine();
        start_stepped();
    }

    void set_delay(const std::string& id, std::chrono::milliseconds delay) {
        auto server = connect();
        set_at_ = steady_clock::now();
        const auto set = server.set({.id = id, .due = client::when::in(delay)});
        ASSERT_TRUE(set.has_value()) << set.error().message;
    }
    void set_due(const std::string& id, std::int64_t due_ms) {
        auto server = connect();
        const auto set = server.set({.id = id, .due = client::when::at_ms(due_ms)});
        ASSERT_TRUE(set.has_value()) << set.error().message;
        EXPECT_EQ(set.value().due_ms, due_ms);
    }

    /// The next delivery is of this timer.
    void expect_next(const std::string& id) {
        auto server = connect();
        const auto got = take(server, "default", 1, 20s);
        ASSERT_EQ(got.size(), 1U) << id << " did not come";
        EXPECT_EQ(got[0].what.id, id);
    }
    void expect_next_not_before(const std::string& id, std::chrono::milliseconds delay) {
        expect_next(id);
        EXPECT_GE(steady_clock::now() - set_at_, delay) << id << " came early";
    }
    void expect_silence(std::chrono::milliseconds span) {
        auto server = connect();
        for (const auto& r : take(server, "default", 1, span))
            ADD_FAILURE() << r.what.id << " came";
    }

private:
    std::filesystem::path steps() const { return folder.path() / "steps"; }

    steady_clock::time_point set_at_;  ///< of the last delay
};

TEST_F(wall_clock, stepped_forwards_moves_no_delay_and_brings_dues) {
    set_delay("delay", 2500ms);
    set_due("due", wall_ms() + hour_ms);
    step_to(3600);
    expect_next("due");
    expect_next_not_before("delay", 2500ms);
}

TEST_F(wall_clock, stepped_back_moves_no_delay_and_puts_off_dues) {
    set_due("due", wall_ms() + 2000);
    set_delay("delay", 2500ms);
    step_to(-3600);
    expect_next_not_before("delay", 2500ms);
    expect_silence(500ms);
    step_to(0);
    expect_next("due");
}

TEST_F(wall_clock, a_restart_after_a_step_changes_no_time) {
    for (const int seconds : {3600, -3600}) {
        SCOPED_TRACE(seconds);
        set_delay("delay", 2500ms);
        set_due("due", wall_ms() + seconds * 1000LL + hour_ms);
        step_to(seconds);
        std::this_thread::sleep_for(400ms);  // foliotd sees the step
        kill_and_start_stepped();
        expect_next_not_before("delay", 2500ms);
        expect_silence(300ms);
        step_to(seconds + 3600);
        expect_next("due");
        step_to(0);
    }
}

TEST_F(wall_clock, a_step_while_it_is_down_moves_no_delay_in_the_same_boot) {
    for (const int seconds : {3600, -3600}) {
        SCOPED_TRACE(seconds);
        set_delay("delay", 2500ms);
        foliotd.kill_nine();
        step_to(seconds);
        start_stepped();
        expect_next_not_before("delay", 2500ms);
        step_to(0);
    }
}

TEST_F(wall_clock, a_graceful_restart_keeps_a_lease_over_a_step) {
    auto server = connect();
    ASSERT_TRUE(server.set({.id = "x", .due = client::when::in(0ms)}).has_value());
    const auto leased = steady_clock::now();
    const auto got = server.lease({.max = 1, .wait = 5000ms, .lease = 3000ms});
    ASSERT_TRUE(got.has_value());
    ASSERT_EQ(got.value().size(), 1U);
    step_to(3600);
    EXPECT_EQ(foliotd.terminate(), 0);
    start_stepped();
    expect_next("x");
    EXPECT_GE(steady_clock::now() - leased, 3000ms) << "it came while it was leased";
}

/// Only where foliotd has crash points.
class wall_clock_crash : public wall_clock, public ::testing::WithParamInterface<const char*> {};

TEST_P(wall_clock_crash, while_a_step_is_written_moves_no_delay) {
    set_delay("delay", 2500ms);
    foliotd.kill_nine();
    step_to(3600);
    launch_stepped({std::string("FOLIOT_CRASH_AT=") + GetParam()});
    EXPECT_EQ(foliotd.wait_for_end(20s), killed) << "no step was written";
    start_stepped();
    expect_next_not_before("delay", 2500ms);
}

INSTANTIATE_TEST_SUITE_P(at, wall_clock_crash, ::testing::ValuesIn(crash_points_here()),
                         [](const auto& tested) { return std::string(tested.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(wall_clock_crash);

}  // namespace
}  // namespace foliot::crash_test
