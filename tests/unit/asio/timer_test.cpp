// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "timers.hpp"

#include <boost/asio/post.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>

namespace foliot::test {
namespace {

template <class Timer>
class timer : public testing::Test {
protected:
    asio::io_context io;
    record log;

    std::size_t run() {
        io.restart();
        return io.run();
    }
    std::size_t poll() {
        io.restart();
        return io.poll();
    }
};
TYPED_TEST_SUITE(timer, timer_types, timer_names);

TYPED_TEST(timer, is_made_of_a_context_or_an_executor_and_an_expiry) {
    const auto ex = this->io.get_executor();
    EXPECT_EQ(TypeParam(this->io).expiry(), clock::time_point());
    EXPECT_EQ(TypeParam(ex).expiry(), clock::time_point());
    const auto at = clock::now() + 3s;
    EXPECT_EQ(TypeParam(this->io, at).expiry(), at);
    EXPECT_EQ(TypeParam(ex, at).expiry(), at);
    const auto before = clock::now();
    const TypeParam a(this->io, 5s);
    const TypeParam b(ex, 5s);
    const auto after = clock::now();
    EXPECT_GE(a.expiry(), before + 5s);
    EXPECT_LE(a.expiry(), b.expiry());
    EXPECT_LE(b.expiry(), after + 5s);
    EXPECT_EQ(TypeParam(ex).get_executor(), ex);
}

TYPED_TEST(timer, expiry_after_a_duration_does_not_overflow) {
    TypeParam t(this->io);
    t.expires_after(clock::duration::max());
    EXPECT_EQ(t.expiry(), clock::time_point::max());
    t.expires_after(-1s);
    EXPECT_LT(t.expiry(), clock::now());
}

TYPED_TEST(timer, wait_blocks_until_it_is_expired) {
    TypeParam t(this->io, 30ms);
    t.wait();
    EXPECT_GE(clock::now(), t.expiry());
    error_code ec = asio::error::eof;
    t.expires_at(t.expiry() + 10ms);
    t.wait(ec);
    EXPECT_GE(clock::now(), t.expiry());
    EXPECT_FALSE(ec);
    t.expires_at(clock::time_point::min());
    t.wait();
}

TYPED_TEST(timer, handler_is_called_by_run_and_not_early) {
    TypeParam t(this->io, 20ms);
    bool early = true;
    t.async_wait([&](const error_code& ec) {
        EXPECT_FALSE(ec);
        early = clock::now() < t.expiry();
    });
    EXPECT_TRUE(early);
    EXPECT_EQ(this->poll(), 0U);
    EXPECT_FALSE(this->io.stopped());
    EXPECT_EQ(this->run(), 1U);
    EXPECT_FALSE(early);
}

TYPED_TEST(timer, handler_is_never_called_by_what_starts_the_wait) {
    for (const auto expiry : {clock::time_point(), clock::time_point::min(), clock::now() - 1s}) {
        TypeParam t(this->io, expiry);
        asio::post(this->io, [&] {
            t.async_wait(this->log.handler("w"));
            EXPECT_EQ(this->log.said(), "");
        });
        EXPECT_EQ(this->run(), 2U);
        EXPECT_EQ(this->log.said(), "w");
    }
}

TYPED_TEST(timer, cancel_aborts_all_waits_in_order_and_counts_them) {
    TypeParam t(this->io, never);
    EXPECT_EQ(t.cancel(), 0U);
    for (const char* name : {"a", "b", "c"}) t.async_wait(this->log.handler(name));
    EXPECT_EQ(t.cancel(), 3U);
    EXPECT_EQ(t.cancel(), 0U);
    EXPECT_EQ(this->log.said(), "");
    EXPECT_EQ(this->run(), 3U);
    EXPECT_EQ(this->log.said(), "a! b! c!");
}

TYPED_TEST(timer, cancel_one_aborts_the_oldest_wait) {
    TypeParam t(this->io, never);
    EXPECT_EQ(t.cancel_one(), 0U);
    for (const char* name : {"a", "b", "c"}) t.async_wait(this->log.handler(name));
    EXPECT_EQ(t.cancel_one(), 1U);
    this->poll();
    EXPECT_EQ(this->log.said(), "a!");
    t.async_wait(this->log.handler("d"));
    EXPECT_EQ(t.cancel_one(), 1U);
    this->poll();
    EXPECT_EQ(this->log.said(), "b!");
    EXPECT_EQ(t.cancel(), 2U);
    EXPECT_EQ(t.cancel_one(), 0U);
    this->run();
    EXPECT_EQ(this->log.said(), "c! d!");
}

TYPED_TEST(timer, another_expiry_aborts_the_waits_and_counts_them) {
    TypeParam t(this->io, never);
    EXPECT_EQ(t.expires_after(never), 0U);
    t.async_wait(this->log.handler("a"));
    t.async_wait(this->log.handler("b"));
    EXPECT_EQ(t.expires_at(clock::now()), 2U);
    EXPECT_EQ(t.expires_after(0s), 0U);
    t.async_wait(this->log.handler("c"));
    this->run();
    EXPECT_EQ(this->log.said(), "a! b! c");
}

TYPED_TEST(timer, expired_wait_can_be_cancelled_until_the_context_has_seen_it) {
    TypeParam t(this->io, clock::now() - 1s);
    t.async_wait(this->log.handler("a"));
    EXPECT_EQ(t.cancel(), 1U);
    this->run();
    EXPECT_EQ(this->log.said(), "a!");
}

TYPED_TEST(timer, wait_that_is_queued_as_expired_succeeds_whatever_is_cancelled) {
    const auto past = clock::now() - 1s;
    TypeParam first(this->io, past);
    TypeParam second(this->io, past + 1ms);
    first.async_wait([&](const error_code& ec) {
        EXPECT_FALSE(ec);
        EXPECT_EQ(second.cancel(), 0U);
    });
    second.async_wait(this->log.handler("second"));
    EXPECT_EQ(this->run(), 2U);
    EXPECT_EQ(this->log.said(), "second");
}

TYPED_TEST(timer, waits_of_one_timer_end_in_their_order) {
    TypeParam t(this->io, 5ms);
    for (const char* name : {"a", "b", "c", "d"}) t.async_wait(this->log.handler(name));
    this->run();
    EXPECT_EQ(this->log.said(), "a b c d");
}

TYPED_TEST(timer, timers_end_in_the_order_of_their_expiry) {
    const auto now = clock::now();
    TypeParam c(this->io, now + 30ms);
    TypeParam b(this->io, now + 20ms + 400us);
    TypeParam a(this->io, now + 20ms + 100us);
    c.async_wait(this->log.handler("c"));
    b.async_wait(this->log.handler("b"));
    a.async_wait(this->log.handler("a"));
    this->run();
    EXPECT_EQ(this->log.said(), "a b c");
}

TYPED_TEST(timer, expired_timers_end_in_the_order_of_their_expiry) {
    const auto past = clock::now() - 1s;
    std::vector<std::unique_ptr<TypeParam>> timers;
    for (const int ms : {3, 1, 2, 5, 4}) {
        timers.push_back(std::make_unique<TypeParam>(this->io, past + ms * 1ms));
        timers.back()->async_wait(this->log.handler(std::to_string(ms)));
    }
    this->run();
    EXPECT_EQ(this->log.said(), "1 2 3 4 5");
}

#if !defined(BOOST_ASIO_NO_DEPRECATED)
TYPED_TEST(timer, has_the_functions_that_are_deprecated) {
    TypeParam t(this->io, never);
    error_code ec = asio::error::eof;
    t.async_wait(this->log.handler("a"));
    EXPECT_EQ(t.cancel_one(ec), 1U);
    EXPECT_FALSE(ec);
    t.async_wait(this->log.handler("b"));
    EXPECT_EQ(t.cancel(ec = asio::error::eof), 1U);
    EXPECT_FALSE(ec);
    const auto at = clock::now() + 2 * never;
    EXPECT_EQ(t.expires_at(at, ec = asio::error::eof), 0U);
    EXPECT_FALSE(ec);
    EXPECT_EQ(t.expires_at(), at);
    EXPECT_GT(t.expires_from_now(), never);
    EXPECT_EQ(t.expires_from_now(never), 0U);
    EXPECT_LE(t.expires_from_now(), clock::duration(never));
    t.async_wait(this->log.handler("c"));
    EXPECT_EQ(t.expires_from_now(never, ec = asio::error::eof), 1U);
    EXPECT_FALSE(ec);
    this->run();
    EXPECT_EQ(this->log.said(), "a! b! c!");
}
#endif

TYPED_TEST(timer, run_goes_on_while_anything_waits_and_no_longer) {
    TypeParam t(this->io, never);
    TypeParam u(this->io, 10ms);
    t.async_wait(this->log.handler("t"));
    u.async_wait([&](const error_code&) { EXPECT_EQ(t.cancel(), 1U); });
    EXPECT_EQ(this->run(), 2U);
    EXPECT_TRUE(this->io.stopped());
    EXPECT_EQ(this->log.said(), "t!");
    EXPECT_EQ(this->run(), 0U);
}

TYPED_TEST(timer, context_counts_a_handler_for_each_wait) {
    std::array<std::optional<TypeParam>, 6> timers;
    for (std::size_t i = 0; i < timers.size(); ++i) {
        // The later ones are earlier, and the context must wake for each.
        timers[i].emplace(this->io, 70ms - static_cast<int>(i) * 10ms);
        timers[i]->async_wait(this->log.handler(std::to_string(i)));
    }
    timers[2]->cancel();
    EXPECT_EQ(this->io.run_one(), 1U);
    EXPECT_EQ(this->log.said(), "2!");
    EXPECT_EQ(this->io.run_one(), 1U);
    EXPECT_EQ(this->log.said(), "5");
    EXPECT_EQ(this->io.run_one(), 1U);
    EXPECT_EQ(this->log.said(), "4");
    EXPECT_EQ(this->io.run(), 3U);
    EXPECT_EQ(this->log.said(), "3 1 0");
    EXPECT_EQ(this->run(), 0U);
}

TYPED_TEST(timer, far_timer_wakes_the_context_once) {
    // 700 ms is far for a wheel of milliseconds: it is moved within it, and nobody may notice.
    TypeParam t(this->io, 700ms);
    t.async_wait(this->log.handler("t"));
    EXPECT_EQ(this->io.run_one(), 1U);
    EXPECT_EQ(this->log.said(), "t");
}

TYPED_TEST(timer, wait_set_again_and_again_is_aborted_each_time) {
    TypeParam t(this->io);
    for (int i = 0; i < 50; ++i) {
        t.expires_after(never);
        t.async_wait(this->log.handler("w"));
        if (i % 10 == 9) {
            EXPECT_EQ(this->poll(), i == 9 ? 9U : 10U);
        }
    }
    t.expires_after(1ms);
    t.async_wait(this->log.handler("last"));
    EXPECT_EQ(this->run(), 2U);
    EXPECT_EQ(this->log.said().substr(0, 8), "w! w! w!");
}

TYPED_TEST(timer, destroyed_timer_aborts_its_waits) {
    {
        TypeParam t(this->io, never);
        t.async_wait(this->log.handler("a"));
        t.async_wait(this->log.handler("b"));
    }
    EXPECT_EQ(this->run(), 2U);
    EXPECT_EQ(this->log.said(), "a! b!");
}

TYPED_TEST(timer, timer_may_be_destroyed_by_its_handler) {
    auto t = std::make_unique<TypeParam>(this->io, 1ms);
    t->async_wait([&](const error_code&) {
        this->log.handler("a")({});
        t.reset();
    });
    t->async_wait(this->log.handler("b"));
    this->run();
    EXPECT_EQ(t, nullptr);
    EXPECT_EQ(this->log.said(), "a b");
}

TYPED_TEST(timer, handler_may_own_the_timer) {
    auto t = std::make_shared<TypeParam>(this->io, 1ms);
    std::weak_ptr<TypeParam> watched = t;
    TypeParam& raw = *t;
    raw.async_wait([t = std::move(t), this](const error_code& ec) { this->log.handler("a")(ec); });
    this->run();
    EXPECT_EQ(this->log.said(), "a");
    EXPECT_TRUE(watched.expired());
}

TYPED_TEST(timer, handler_may_wait_again) {
    TypeParam t(this->io, 1ms);
    int left = 20;
    std::function<void(const error_code&)> again = [&](const error_code& ec) {
        EXPECT_FALSE(ec);
        EXPECT_GE(clock::now(), t.expiry());
        if (--left == 0) return;
        t.expires_at(t.expiry() + 1ms);
        t.async_wait(again);
        t.async_wait(this->log.handler("x"));
    };
    t.async_wait(again);
    EXPECT_EQ(this->run(), 20U + 19U);
    EXPECT_EQ(left, 0);
}

TYPED_TEST(timer, wait_with_no_time_left_completes_again_and_again) {
    TypeParam t(this->io);
    int count = 0;
    std::function<void(const error_code&)> again = [&](const error_code&) {
        if (++count == 1000) return;
        t.expires_after(0s);
        t.async_wait(again);
    };
    t.async_wait(again);
    this->run();
    EXPECT_EQ(count, 1000);
}

TYPED_TEST(timer, expired_timer_lets_others_run_between_its_waits) {
    TypeParam t(this->io);
    int waits = 0;
    bool posted = false;
    std::function<void(const error_code&)> again = [&](const error_code&) {
        if (++waits == 3) asio::post(this->io, [&] { posted = true; });
        if (!posted) t.async_wait(again);
    };
    t.async_wait(again);
    this->run();
    EXPECT_LT(waits, 10);
}

TYPED_TEST(timer, what_a_handler_throws_comes_out_of_run_and_the_others_go_on) {
    TypeParam t(this->io, never);
    for (int i = 0; i < 5; ++i) {
        t.async_wait([this, i](const error_code& ec) {
            this->log.handler(std::to_string(i))(ec);
            if (i % 2 == 1) throw std::runtime_error("thrown");
        });
    }
    t.cancel();
    EXPECT_THROW(this->run(), std::runtime_error);
    EXPECT_EQ(this->log.said(), "0! 1!");
    EXPECT_THROW(this->run(), std::runtime_error);
    this->run();
    EXPECT_EQ(this->log.said(), "2! 3! 4!");
}

TYPED_TEST(timer, stopped_context_keeps_what_is_left) {
    TypeParam t(this->io, 1ms);
    for (int i = 0; i < 5; ++i) {
        t.async_wait([this, i](const error_code& ec) {
            this->log.handler(std::to_string(i))(ec);
            if (i == 1) this->io.stop();
        });
    }
    this->run();
    EXPECT_EQ(this->log.said(), "0 1");
    this->run();
    EXPECT_EQ(this->log.said(), "2 3 4");
}

TYPED_TEST(timer, handler_may_run_the_context) {
    TypeParam t(this->io, 1ms);
    TypeParam u(this->io, 2ms);
    u.async_wait(this->log.handler("u"));
    t.async_wait([&](const error_code&) {
        while (this->io.run_one() != 1) {}
        this->log.handler("t")({});
    });
    this->run();
    EXPECT_EQ(this->log.said(), "u t");
}

TYPED_TEST(timer, run_for_returns_before_a_far_timer) {
    TypeParam t(this->io, never);
    t.async_wait(this->log.handler("t"));
    EXPECT_EQ(this->io.run_for(20ms), 0U);
    EXPECT_FALSE(this->io.stopped());
    EXPECT_EQ(this->log.said(), "");
}

TYPED_TEST(timer, handlers_of_a_destroyed_context_are_destroyed_and_not_called) {
    const auto alive = std::make_shared<int>();
    bool called = false;
    {
        auto gone = std::make_unique<asio::io_context>();
        // Their handlers own them: it must be possible to destroy a timer while its context goes
        // down.
        for (int i = 0; i < 40; ++i) {
            auto t = std::make_shared<TypeParam>(*gone, i % 2 == 0 ? never : -1s);
            for (int w = 0; w < 3; ++w) {
                t->async_wait([alive, t, &called](const error_code&) { called = true; });
            }
            if (i % 3 == 0) t->cancel();
        }
        EXPECT_EQ(alive.use_count(), 121);
        gone.reset();
    }
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_FALSE(called);
}

TYPED_TEST(timer, many_of_them_end_once_each) {
    constexpr int count = 3000;
    std::vector<std::unique_ptr<TypeParam>> timers;
    int expired = 0;
    int aborted = 0;
    for (int i = 0; i < count; ++i) {
        timers.push_back(std::make_unique<TypeParam>(this->io, std::chrono::microseconds(i * 10)));
        timers.back()->async_wait([&](const error_code& ec) { ++(ec ? aborted : expired); });
    }
    for (int i = 0; i < count; i += 3) {
        timers[static_cast<std::size_t>(i)]->expires_after(never);
        timers[static_cast<std::size_t>(i)]->async_wait(
            [&](const error_code& ec) { ++(ec ? aborted : expired); });
    }
    this->io.run_for(200ms);
    EXPECT_EQ(expired, count / 3 * 2);
    EXPECT_EQ(aborted, count / 3);
    timers.clear();
    this->run();
    EXPECT_EQ(aborted, count / 3 * 2);
}

}  // namespace
}  // namespace foliot::test
