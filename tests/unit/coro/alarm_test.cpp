// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/coro/detail/alarm.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

#include "unit/coro/simulated.hpp"

namespace foliot::detail {
namespace {

using namespace std::chrono_literals;

class recorder;

// Points to a recorder, and does something when the service has just made a timer for it: the
// argument of `after`, which was moved from, is destroyed then.
class watched_pointer {
public:
    watched_pointer(recorder* to) noexcept : to_(to) {}  // NOLINT(google-explicit-constructor)
    watched_pointer(std::nullptr_t) noexcept {}          // NOLINT(google-explicit-constructor)
    watched_pointer(const watched_pointer&) = default;
    watched_pointer(watched_pointer&& other) noexcept : to_(std::exchange(other.to_, nullptr)) {}
    watched_pointer& operator=(const watched_pointer&) = default;
    watched_pointer& operator=(watched_pointer&& other) noexcept {
        to_ = std::exchange(other.to_, nullptr);
        return *this;
    }
    ~watched_pointer() {
        if (to_ != nullptr || made_in == nullptr || made_in->metrics().scheduled == 0) return;
        made_in = nullptr;
        while_set();
    }
    recorder& operator*() const noexcept { return *to_; }
    recorder* operator->() const noexcept { return to_; }
    bool operator!=(std::nullptr_t) const noexcept { return to_ != nullptr; }

    static void when_made(timer_service& timers, std::function<void()> what) {
        made_in = &timers;
        while_set = std::move(what);
    }
    static inline timer_service* made_in = nullptr;

private:
    static inline std::function<void()> while_set;
    recorder* to_ = nullptr;
};

class recorder : public alarm<hierarchical_wheel<>, watched_pointer> {
public:
    explicit recorder(timer_service& timers) : alarm(timers) {}
    void on_ring() { ++rung; }
    void on_lost() { ++lost; }
    using alarm::in_full;

    int rung = 0;
    int lost = 0;
};

TEST(alarm, rings_once_at_its_time) {
    simulated world;
    recorder r(world.timers);
    r.set(&r, 1s);
    world.go(999ms);
    EXPECT_EQ(r.rung, 0);
    world.go(1ms);
    EXPECT_EQ(r.rung, 1);
    EXPECT_TRUE(r.in_full());
    EXPECT_FALSE(static_cast<bool>(r.silence()));
    EXPECT_EQ(r.lost, 0);
}

TEST(alarm, one_that_rings_while_it_is_being_set_rings_once_that_is_done) {
    simulated world;
    recorder r(world.timers);
    watched_pointer::when_made(world.timers, [&] {
        world.go(1s);
        EXPECT_EQ(world.timers.metrics().completed, 1U);
        EXPECT_EQ(r.rung, 0);
    });
    r.set(&r, 1s);
    EXPECT_EQ(watched_pointer::made_in, nullptr);
    EXPECT_EQ(r.rung, 0);
    world.go_on();
    EXPECT_EQ(r.rung, 1);
    EXPECT_EQ(world.timers_left(), 0U);
}

TEST(alarm, one_that_is_hurried_while_it_is_being_set_rings_at_once) {
    simulated world;
    recorder r(world.timers);
    watched_pointer::when_made(world.timers, [&] { r.hurry(); });
    r.set(&r, 1h);
    world.go_on();
    EXPECT_EQ(r.rung, 1);
    EXPECT_FALSE(r.in_full());
}

TEST(alarm, one_that_is_silenced_while_it_is_being_set_leaves_no_timer) {
    simulated world;
    recorder r(world.timers);
    watched_pointer::when_made(world.timers, [&] { r.silence().cancel(); });
    r.set(&r, 1s);
    EXPECT_EQ(world.timers_left(), 0U);
    world.go(2s);
    EXPECT_EQ(r.rung + r.lost, 0);
}

TEST(alarm, one_that_is_being_set_when_the_service_stops_says_so) {
    simulated world;
    recorder r(world.timers);
    watched_pointer::when_made(world.timers, [&] { world.timers.stop(); });
    EXPECT_THROW(r.set(&r, 1s), service_stopped);
    EXPECT_EQ(r.rung + r.lost, 0);
}

TEST(alarm, is_lost_once_when_the_service_stops) {
    simulated world;
    recorder r(world.timers);
    recorder silenced(world.timers);
    r.set(&r, 1s);
    silenced.set(&silenced, 1s);
    silenced.silence().cancel();
    EXPECT_EQ(world.timers.stop().pending, 1U);
    EXPECT_EQ(r.lost, 1);
    EXPECT_EQ(r.rung, 0);
    EXPECT_EQ(silenced.lost, 0);
}

}  // namespace
}  // namespace foliot::detail
