// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "timers.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

namespace foliot::test {
namespace {

template <class Timer>
class moved_timer : public testing::Test {
protected:
    using native = typename Timer::template rebind_executor<asio::io_context::executor_type>::other;

    asio::io_context io;
    asio::io_context other_io;
    record log;

    // Runs one context and then the other, and says what was heard.
    std::string run() {
        for (asio::io_context* c : {&io, &other_io}) {
            c->restart();
            c->run();
        }
        return log.said();
    }
};
TYPED_TEST_SUITE(moved_timer, timer_types, timer_names);

TYPED_TEST(moved_timer, keeps_its_waits_and_its_expiry) {
    TypeParam a(this->io, 5ms);
    a.async_wait(this->log.handler("x"));
    a.async_wait(this->log.handler("y"));
    const auto expiry = a.expiry();
    TypeParam b(std::move(a));
    EXPECT_EQ(b.expiry(), expiry);
    EXPECT_EQ(this->run(), "x y");
    EXPECT_GE(clock::now(), expiry);
}

TYPED_TEST(moved_timer, its_waits_are_cancelled_by_the_new_one) {
    TypeParam a(this->io, never);
    a.async_wait(this->log.handler("x"));
    a.async_wait(this->log.handler("y"));
    TypeParam b(std::move(a));
    EXPECT_EQ(b.cancel(), 2U);
    EXPECT_EQ(this->run(), "x! y!");
}

TYPED_TEST(moved_timer, leaves_one_behind_that_can_be_used) {
    TypeParam a(this->io, never);
    a.async_wait(this->log.handler("x"));
    TypeParam b(std::move(a));
    EXPECT_EQ(a.cancel(), 0U);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(a.expiry(), clock::time_point());
    a.async_wait(this->log.handler("a"));
    this->io.poll();
    EXPECT_EQ(this->log.said(), "a");
    a.expires_after(never);
    a.async_wait(this->log.handler("a"));
    EXPECT_EQ(b.cancel(), 1U);
    EXPECT_EQ(a.cancel(), 1U);
    EXPECT_EQ(this->run(), "x! a!");
}

TYPED_TEST(moved_timer, that_is_assigned_to_loses_its_own_waits) {
    TypeParam a(this->io, 5ms);
    TypeParam b(this->io, never);
    a.async_wait(this->log.handler("a"));
    b.async_wait(this->log.handler("b"));
    b = std::move(a);
    EXPECT_EQ(this->run(), "b! a");
}

TYPED_TEST(moved_timer, assigned_to_itself_stays_as_it_is) {
    TypeParam a(this->io, never);
    a.async_wait(this->log.handler("a"));
    TypeParam& same = a;
    a = std::move(same);
    EXPECT_EQ(a.cancel(), 1U);
    EXPECT_EQ(this->run(), "a!");
}

TYPED_TEST(moved_timer, goes_to_the_context_of_the_one_it_comes_from) {
    TypeParam a(this->io, 1ms);
    TypeParam b(this->other_io, 1ms);
    a.async_wait(this->log.handler("a"));
    b.async_wait(this->log.handler("b"));
    b = std::move(a);
    EXPECT_EQ(b.get_executor(), this->io.get_executor());
    this->io.run();
    EXPECT_EQ(this->log.said(), "a");
    this->other_io.run();
    EXPECT_EQ(this->log.said(), "b!");
    b.expires_after(1ms);
    b.async_wait(this->log.handler("c"));
    EXPECT_EQ(this->io.poll(), 0U);
    EXPECT_EQ(this->run(), "c");
}

TYPED_TEST(moved_timer, that_waits_for_nothing_goes_to_another_context) {
    TypeParam a(this->io, 5ms);
    a.async_wait(this->log.handler("a"));
    a.cancel();
    TypeParam b(this->other_io, 5ms);
    b.async_wait(this->log.handler("b"));
    b.cancel();
    a = std::move(b);
    a.async_wait(this->log.handler("c"));
    EXPECT_EQ(this->run(), "a! b! c");
}

TYPED_TEST(moved_timer, may_have_another_type_of_executor) {
    typename TestFixture::native a(this->io, 2ms);
    a.async_wait(this->log.handler("a"));
    TypeParam b(std::move(a));
    typename TestFixture::native c(this->other_io, 1ms);
    c.async_wait(this->log.handler("c"));
    TypeParam d(this->io, never);
    d.async_wait(this->log.handler("d"));
    d = std::move(c);
    EXPECT_EQ(this->run(), "d! a c");
}

TYPED_TEST(moved_timer, is_returned_by_a_function) {
    const auto make = [&] {
        TypeParam t(this->io, 1ms);
        t.async_wait(this->log.handler("t"));
        return t;
    };
    std::vector<TypeParam> all;
    for (int i = 0; i < 10; ++i) all.push_back(make());
    EXPECT_EQ(this->run(), "t t t t t t t t t t");
}

// With Boost itself a slot loses a wait whose timer is moved.
TEST(moved_asio_timer, waits_follow_their_cancellation_slots) {
    asio::io_context io;
    record log;
    asio::cancellation_signal signal;
    asio_timer a(io, never);
    a.async_wait(asio::bind_cancellation_slot(signal.slot(), log.handler("x")));
    a.async_wait(log.handler("y"));
    asio_timer b(std::move(a));
    signal.emit(asio::cancellation_type::terminal);
    io.poll();
    EXPECT_EQ(log.said(), "x!");
    EXPECT_EQ(b.cancel(), 1U);
}

}  // namespace
}  // namespace foliot::test
