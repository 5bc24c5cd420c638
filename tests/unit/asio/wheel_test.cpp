// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// What asio_timer has of its own: the wheel that all timers of a context share.
#include "counted_new.hpp"
#include "timers.hpp"

#include <foliot/asio/asio_wheel.hpp>

#include <boost/asio/post.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>

namespace foliot::test {
namespace {

TEST(asio_wheel, has_the_tick_that_it_is_made_with) {
    asio::io_context io;
    asio::make_service<asio_wheel>(io, 100us);
    EXPECT_EQ(asio::use_service<asio_wheel>(io).tick_length(), 100us);
    asio::io_context other;
    const asio_timer t(other);
    EXPECT_EQ(asio::use_service<asio_wheel>(other).tick_length(), asio_wheel::default_tick);
    EXPECT_THROW(asio::make_service<asio_wheel>(other, 1ms), asio::service_already_exists);
    asio::io_context wrong;
    EXPECT_THROW(asio::make_service<asio_wheel>(wrong, 0ms), std::invalid_argument);
}

TEST(asio_wheel, is_never_early_whatever_the_tick) {
    for (const std::chrono::nanoseconds tick : {1ns, 1000ns, 333'333ns, 1'000'000ns, 7'000'000ns}) {
        asio::io_context io;
        asio::make_service<asio_wheel>(io, tick);
        std::mt19937_64 random(5);
        std::vector<std::unique_ptr<asio_timer>> timers;
        int early = 0;
        int expired = 0;
        for (int i = 0; i < 300; ++i) {
            const auto delay = std::chrono::nanoseconds(random() % 30'000'000);
            timers.push_back(std::make_unique<asio_timer>(io, delay));
            timers.back()->async_wait([&, &t = *timers.back()](const error_code& ec) {
                early += clock::now() < t.expiry() ? 1 : 0;
                expired += ec ? 0 : 1;
            });
        }
        io.run();
        EXPECT_EQ(early, 0);
        EXPECT_EQ(expired, 300);
    }
}

TEST(asio_wheel, counts_timers_that_have_waits) {
    asio::io_context io;
    asio_timer a(io, never);
    asio_timer b(io, never);
    const auto& wheel = asio::use_service<asio_wheel>(io);
    EXPECT_EQ(wheel.waiting(), 0U);
    a.async_wait([](const error_code&) {});
    a.async_wait([](const error_code&) {});
    b.async_wait([](const error_code&) {});
    EXPECT_EQ(wheel.waiting(), 2U);
    a.cancel_one();
    EXPECT_EQ(wheel.waiting(), 2U);
    a.cancel();
    EXPECT_EQ(wheel.waiting(), 1U);
}

class crowd : public testing::Test {
protected:
    // Enough that they are not treated one by one.
    explicit crowd(std::size_t n = 200) {
        for (std::size_t i = 0; i < n; ++i) timers.push_back(std::make_unique<asio_timer>(io));
    }
    void wait(asio_timer& t) {
        t.async_wait([this](const error_code& ec) { ++(ec ? aborted : expired); });
    }

    asio::io_context io;
    std::vector<std::unique_ptr<asio_timer>> timers;
    std::size_t expired = 0;
    std::size_t aborted = 0;
};
using asio_wheel_crowd = crowd;

TEST_F(asio_wheel_crowd, that_is_cancelled_keeps_no_context_at_work) {
    for (auto& t : timers) {
        t->expires_after(never);
        wait(*t);
    }
    for (auto& t : timers) EXPECT_EQ(t->cancel(), 1U);
    io.run();
    EXPECT_EQ(aborted, timers.size());
    timers.clear();
}

TEST_F(asio_wheel_crowd, may_be_set_earlier_and_later_than_it_was) {
    for (auto& t : timers) {
        t->expires_after(never);
        wait(*t);
    }
    for (std::size_t i = 0; i < timers.size(); ++i) {
        timers[i]->expires_after(i % 2 == 0 ? 1ms * static_cast<int>(i % 10) : 2 * never);
        wait(*timers[i]);
    }
    while (expired < timers.size() / 2) io.run_one();
    io.poll();
    EXPECT_FALSE(io.stopped());
    EXPECT_EQ(aborted, timers.size());
    EXPECT_EQ(expired, timers.size() / 2);
}

TEST_F(asio_wheel_crowd, that_left_the_wheel_a_hook_may_be_destroyed_moved_or_used_again) {
    for (auto& t : timers) {
        t->expires_after(10ms);
        wait(*t);
        t->cancel();  // the hook stays
    }
    for (std::size_t i = 0; i < timers.size(); ++i) {
        if (i % 4 == 0) timers[i].reset();
        if (i % 4 == 1) timers[i] = std::make_unique<asio_timer>(std::move(*timers[i]));
        if (i % 4 == 2) {
            timers[i]->expires_after(5ms);
            wait(*timers[i]);
        }
    }
    io.run();
    EXPECT_EQ(aborted, timers.size());
    EXPECT_EQ(expired, timers.size() / 4);
    for (std::size_t i = 1; i < timers.size(); i += 4) {
        timers[i]->expires_after(1ms);
        wait(*timers[i]);
    }
    io.restart();
    io.run();
    EXPECT_EQ(expired, timers.size() / 2);
}

TEST(asio_wheel, leaves_room_for_others_when_thousands_are_due) {
    asio::io_context io;
    std::vector<std::unique_ptr<asio_timer>> timers;
    std::size_t ended = 0;
    std::size_t ended_before_other = 0;
    for (int i = 0; i < 20'000; ++i) {
        timers.push_back(std::make_unique<asio_timer>(io, clock::now() - 1s));
        timers.back()->async_wait([&](const error_code& ec) {
            EXPECT_FALSE(ec);
            if (++ended == 1) asio::post(io, [&] { ended_before_other = ended; });
        });
    }
    io.run();
    EXPECT_EQ(ended, timers.size());
    EXPECT_LE(ended_before_other, 17U * 16U);
}

TEST(asio_wheel, what_is_due_is_not_held_up_by_cancels_without_end) {
    for (const std::size_t n : {2U, 100U}) {
        asio::io_context io;
        std::vector<std::unique_ptr<asio_timer>> timers;
        asio_timer due(io);
        bool over = false;
        // Each handler has one more wait aborted, so something is always ready.
        const std::function<void(asio_timer&)> again = [&](asio_timer& t) {
            t.expires_after(never);
            t.async_wait([&](const error_code&) {
                if (!over) again(t);
            });
            t.cancel();
        };
        for (std::size_t i = 0; i < n; ++i) {
            timers.push_back(std::make_unique<asio_timer>(io));
            again(*timers.back());
        }
        // The context is called already, so it is not called for this one.
        due.expires_after(5ms);
        due.async_wait([&](const error_code&) { over = true; });
        io.run();
        EXPECT_TRUE(over);
    }
}

TEST(asio_wheel, waits_allocate_nothing_once_it_is_warm) {
    if (!FOLIOT_TEST_COUNTS_NEW) GTEST_SKIP() << "a sanitizer allocates";
    asio::io_context io;
    std::vector<std::unique_ptr<asio_timer>> timers;
    for (int i = 0; i < 1000; ++i) timers.push_back(std::make_unique<asio_timer>(io, never));
    std::size_t ended = 0;
    const auto round = [&](std::size_t step) {
        for (std::size_t i = 0; i < timers.size(); i += step) {
            timers[i]->cancel();
            timers[i]->expires_after(never);
            timers[i]->async_wait([&](const error_code&) { ++ended; });
        }
        io.poll();
    };
    for (int i = 0; i < 10; ++i) round(1);
    const std::size_t before = allocations;
    for (std::size_t i = 0; i < 100; ++i) round(i % 3 == 0 ? 1 : 200);
    EXPECT_EQ(allocations, before);
    EXPECT_GT(ended, 40'000U);
}

}  // namespace
}  // namespace foliot::test
