// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Cancellation of single waits, by the slots of their handlers.
#include "timers.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <deque>
#include <memory>
#include <optional>

namespace foliot::test {
namespace {

template <class Timer>
class slot : public testing::Test {
protected:
    asio::io_context io;
    record log;

    std::string poll() {
        io.restart();
        io.poll();
        return log.said();
    }
    auto bound(asio::cancellation_signal& signal, std::string name) {
        return asio::bind_cancellation_slot(signal.slot(), log.handler(std::move(name)));
    }
};
TYPED_TEST_SUITE(slot, timer_types, timer_names);

using ct = asio::cancellation_type;

TYPED_TEST(slot, cancels_its_wait_alone) {
    for (const ct type : {ct::terminal, ct::partial, ct::total, ct::all}) {
        asio::cancellation_signal signal;
        TypeParam t(this->io, never);
        t.async_wait(this->log.handler("a"));
        t.async_wait(this->bound(signal, "b"));
        t.async_wait(this->log.handler("c"));
        signal.emit(ct::none);
        EXPECT_EQ(this->poll(), "");
        signal.emit(type);
        EXPECT_EQ(this->poll(), "b!");
        EXPECT_EQ(t.cancel(), 2U);
        EXPECT_EQ(this->poll(), "a! c!");
    }
}

TYPED_TEST(slot, cancels_each_of_several_waits) {
    std::deque<asio::cancellation_signal> signals(4);
    TypeParam t(this->io, never);
    for (std::size_t i = 0; i < 4; ++i) t.async_wait(this->bound(signals[i], std::to_string(i)));
    signals[3].emit(ct::terminal);
    signals[0].emit(ct::terminal);
    signals[2].emit(ct::terminal);
    EXPECT_EQ(this->poll(), "3! 0! 2!");
    signals[1].emit(ct::terminal);
    EXPECT_EQ(this->poll(), "1!");
    EXPECT_TRUE(this->io.stopped());
    EXPECT_EQ(t.cancel(), 0U);
}

TYPED_TEST(slot, of_a_wait_that_is_over_does_nothing) {
    asio::cancellation_signal signal;
    TypeParam t(this->io, 1ms);
    t.async_wait(this->bound(signal, "a"));
    this->io.run();
    signal.emit(ct::all);
    t.async_wait(this->log.handler("b"));
    signal.emit(ct::all);
    EXPECT_EQ(this->poll(), "a b");
    t.expires_after(never);
    t.async_wait(this->bound(signal, "c"));
    t.cancel();
    signal.emit(ct::all);
    EXPECT_EQ(this->poll(), "c!");
}

TYPED_TEST(slot, of_a_wait_that_is_queued_comes_too_late) {
    asio::cancellation_signal signal;
    const auto past = clock::now() - 1s;
    TypeParam first(this->io, past);
    TypeParam second(this->io, past + 1ms);
    first.async_wait([&](const error_code&) { signal.emit(ct::all); });
    second.async_wait(this->bound(signal, "second"));
    EXPECT_EQ(this->poll(), "second");
}

TYPED_TEST(slot, may_go_away_before_its_wait) {
    auto signal = std::make_unique<asio::cancellation_signal>();
    TypeParam t(this->io, never);
    t.async_wait(this->bound(*signal, "a"));
    signal->slot().clear();
    signal->emit(ct::all);
    EXPECT_EQ(this->poll(), "");
    t.async_wait(this->bound(*signal, "b"));
    signal.reset();
    t.cancel();
    EXPECT_EQ(this->poll(), "a! b!");
}

TYPED_TEST(slot, keeps_no_context_at_work_once_it_has_cancelled_the_last_wait) {
    asio::cancellation_signal signal;
    TypeParam t(this->io, never);
    TypeParam u(this->io, 5ms);
    t.async_wait(this->bound(signal, "t"));
    u.async_wait([&](const error_code&) { signal.emit(ct::terminal); });
    EXPECT_EQ(this->io.run(), 2U);
    EXPECT_EQ(this->log.said(), "t!");
}

TYPED_TEST(slot, ends_a_coroutine_that_waits) {
    asio::cancellation_signal signal;
    std::optional<bool> threw;
    const auto sleeper = [](asio::io_context& of) -> asio::awaitable<void> {
        TypeParam t(of, never);
        co_await t.async_wait(asio::use_awaitable);
    };
    asio::co_spawn(this->io, sleeper(this->io),
                   asio::bind_cancellation_slot(
                       signal.slot(), [&](std::exception_ptr e) { threw = e != nullptr; }));
    EXPECT_EQ(this->poll(), "");
    EXPECT_FALSE(threw);
    signal.emit(ct::terminal);
    this->poll();
    EXPECT_EQ(threw, true);
    EXPECT_TRUE(this->io.stopped());
}

// A slot holds one handler. Boost tells waits by the address of that, so that both are cancelled.
TEST(asio_timer_slot, belongs_to_the_last_wait_that_took_it) {
    asio::io_context io;
    record log;
    asio::cancellation_signal signal;
    asio_timer t(io, never);
    t.async_wait(asio::bind_cancellation_slot(signal.slot(), log.handler("a")));
    t.async_wait(asio::bind_cancellation_slot(signal.slot(), log.handler("b")));
    signal.emit(ct::all);
    io.poll();
    EXPECT_EQ(log.said(), "b!");
    t.cancel();
    io.poll();
    EXPECT_EQ(log.said(), "a!");
}

// Boost's slots would touch the timer that is gone.
TEST(asio_timer_slot, may_be_used_when_timer_and_context_are_gone) {
    asio::cancellation_signal signal;
    asio::cancellation_signal other;
    record log;
    {
        asio::io_context io;
        {
            asio_timer t(io, never);
            t.async_wait(asio::bind_cancellation_slot(signal.slot(), log.handler("t")));
        }
        signal.emit(ct::all);
        asio_timer u(io, never);
        u.async_wait(asio::bind_cancellation_slot(other.slot(), log.handler("u")));
        io.poll();
        EXPECT_EQ(log.said(), "t!");
    }
    signal.emit(ct::all);
    other.emit(ct::all);
    EXPECT_EQ(log.said(), "");
}

}  // namespace
}  // namespace foliot::test
