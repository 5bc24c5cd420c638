// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Completion tokens, and what goes with a handler: its executor, its allocator, its type.
#include "timers.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <array>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <tuple>

namespace foliot::test {
namespace {

template <class Timer>
class handler : public testing::Test {
protected:
    asio::io_context io;
    record log;

    void run() {
        io.restart();
        io.run();
    }
};
TYPED_TEST_SUITE(handler, timer_types, timer_names);

TYPED_TEST(handler, is_made_of_use_future) {
    TypeParam t(this->io, 1ms);
    std::future<void> expired = t.async_wait(asio::use_future);
    this->run();
    expired.get();
    t.expires_after(never);
    std::future<void> aborted = t.async_wait(asio::use_future);
    t.cancel();
    this->run();
    EXPECT_THROW(aborted.get(), boost::system::system_error);
}

TYPED_TEST(handler, is_made_of_use_awaitable) {
    const auto sleeper = [this]() -> asio::awaitable<int> {
        TypeParam t(co_await asio::this_coro::executor);
        for (int i = 0; i < 5; ++i) {
            t.expires_after(1ms);
            co_await t.async_wait(asio::use_awaitable);
            EXPECT_GE(clock::now(), t.expiry());
        }
        t.expires_after(never);
        t.cancel();
        TypeParam other(this->io, 1ms);
        other.async_wait([&t](const error_code&) { t.cancel(); });
        const auto [ec] = co_await t.async_wait(asio::as_tuple(asio::use_awaitable));
        EXPECT_EQ(ec, asio::error::operation_aborted);
        error_code redirected;
        t.expires_after(1ms);
        co_await t.async_wait(asio::redirect_error(asio::use_awaitable, redirected));
        EXPECT_FALSE(redirected);
        co_return 7;
    };
    std::future<int> done = asio::co_spawn(this->io, sleeper(), asio::use_future);
    this->run();
    EXPECT_EQ(done.get(), 7);
}

TYPED_TEST(handler, has_a_default_token) {
    using default_timer = asio::use_awaitable_t<>::as_default_on_t<TypeParam>;
    const auto sleeper = []() -> asio::awaitable<void> {
        default_timer t(co_await asio::this_coro::executor, 1ms);
        co_await t.async_wait();
        auto u = asio::use_awaitable_t<>::as_default_on(TypeParam(t.get_executor(), 1ms));
        co_await u.async_wait();
    };
    std::future<void> done = asio::co_spawn(this->io, sleeper(), asio::use_future);
    this->run();
    done.get();
}

TYPED_TEST(handler, of_a_deferred_wait_is_given_later) {
    TypeParam t(this->io, never);
    auto wait = t.async_wait(asio::deferred);
    EXPECT_EQ(t.cancel(), 0U);
    t.expires_after(1ms);
    std::move(wait)(this->log.handler("w"));
    this->run();
    EXPECT_EQ(this->log.said(), "w");
    TypeParam u(this->io, never);
    auto chain = t.async_wait(asio::deferred([&](const error_code&) {
        u.expires_after(1ms);
        return u.async_wait(asio::deferred);
    }));
    std::move(chain)(this->log.handler("u"));
    this->run();
    EXPECT_EQ(this->log.said(), "u");
}

TYPED_TEST(handler, waits_in_a_parallel_group) {
    TypeParam a(this->io, 1ms);
    TypeParam b(this->io, never);
    asio::experimental::make_parallel_group(a.async_wait(asio::deferred),
                                            b.async_wait(asio::deferred))
        .async_wait(asio::experimental::wait_for_one(),
                    [this](std::array<std::size_t, 2> order, error_code ea, error_code eb) {
                        EXPECT_EQ(order[0], 0U);
                        this->log.handler("a")(ea);
                        this->log.handler("b")(eb);
                    });
    this->run();
    EXPECT_EQ(this->log.said(), "a b!");
}

TYPED_TEST(handler, loses_and_wins_with_awaitable_operators) {
    using namespace asio::experimental::awaitable_operators;
    const auto sleeper = []() -> asio::awaitable<std::size_t> {
        TypeParam a(co_await asio::this_coro::executor, never);
        TypeParam b(co_await asio::this_coro::executor, 1ms);
        const auto first =
            co_await (a.async_wait(asio::use_awaitable) || b.async_wait(asio::use_awaitable));
        b.expires_after(1ms);
        a.expires_after(2ms);
        co_await (a.async_wait(asio::use_awaitable) && b.async_wait(asio::use_awaitable));
        co_return first.index();
    };
    auto done = asio::co_spawn(this->io, sleeper(), asio::use_future);
    this->run();
    EXPECT_EQ(done.get(), 1U);
}

TYPED_TEST(handler, is_called_by_its_own_executor_which_is_kept_at_work) {
    asio::io_context other;
    const auto strand = asio::make_strand(other);
    TypeParam t(this->io, never);
    bool called = false;
    t.async_wait(asio::bind_executor(strand, [&](const error_code& ec) {
        EXPECT_EQ(ec, asio::error::operation_aborted);
        EXPECT_TRUE(strand.running_in_this_thread());
        called = true;
    }));
    EXPECT_EQ(other.poll(), 0U);
    EXPECT_FALSE(other.stopped());
    t.cancel();
    this->run();
    EXPECT_FALSE(called);
    EXPECT_FALSE(other.stopped());
    EXPECT_EQ(other.run(), 1U);
    EXPECT_TRUE(called);
}

TYPED_TEST(handler, s_executor_is_told_apart_from_the_timer_s_when_both_are_erased) {
    asio::io_context other;
    const asio::any_io_executor elsewhere = other.get_executor();
    TypeParam t(this->io, 1ms);
    t.async_wait(asio::bind_executor(elsewhere, this->log.handler("there")));
    t.async_wait(asio::bind_executor(t.get_executor(), this->log.handler("here")));
    this->run();
    EXPECT_EQ(this->log.said(), "here");
    other.run();
    EXPECT_EQ(this->log.said(), "there");
}

TYPED_TEST(handler, of_the_timer_s_own_executor_needs_no_detour) {
    TypeParam t(this->io, 1ms);
    t.async_wait(asio::bind_executor(t.get_executor(), this->log.handler("a")));
    t.async_wait(asio::bind_executor(this->io.get_executor(), this->log.handler("b")));
    t.async_wait(this->log.handler("c"));
    EXPECT_EQ(this->io.run(), 3U);
    EXPECT_EQ(this->log.said(), "a b c");
}

// Counts the memory that a handler's wait takes.
template <class T>
struct counting_allocator {
    using value_type = T;
    explicit counting_allocator(int* blocks_) noexcept : blocks(blocks_) {}
    template <class U>
    counting_allocator(const counting_allocator<U>& other) noexcept  // NOLINT
        : blocks(other.blocks) {}
    T* allocate(std::size_t n) {
        ++*blocks;
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) {
        --*blocks;
        std::allocator<T>().deallocate(p, n);
    }
    friend bool operator==(const counting_allocator&, const counting_allocator&) = default;
    int* blocks;
};

TYPED_TEST(handler, s_allocator_gives_the_memory_and_has_it_back_before_the_call) {
    int blocks = 0;
    int blocks_in_call = 0;
    const auto make = [&] {
        return asio::bind_allocator(counting_allocator<char>(&blocks),
                                    [&](const error_code&) { blocks_in_call += blocks; });
    };
    TypeParam t(this->io, 1ms);
    t.async_wait(make());
    EXPECT_EQ(blocks, 1);
    this->run();
    EXPECT_EQ(blocks_in_call, 0);
    {
        TypeParam u(this->io, never);
        u.async_wait(make());
        u.async_wait(make());
        EXPECT_EQ(blocks, 2);
        u.cancel();
        u.async_wait(make());
        EXPECT_EQ(blocks, 3);
    }
    this->run();
    EXPECT_EQ(blocks, 0);
    EXPECT_EQ(blocks_in_call, 2 + 1);  // those that were still to be called
}

TYPED_TEST(handler, s_memory_is_given_back_by_a_context_that_goes_down) {
    int blocks = 0;
    auto gone = std::make_unique<asio::io_context>();
    auto t = std::make_unique<TypeParam>(*gone, never);
    auto u = std::make_unique<TypeParam>(*gone, never);
    for (TypeParam* timer : {t.get(), u.get()}) {
        timer->async_wait(
            asio::bind_allocator(counting_allocator<char>(&blocks), [](const error_code&) {}));
    }
    t.reset();
    u->cancel();
    EXPECT_EQ(blocks, 2);
    u.reset();
    gone.reset();
    EXPECT_EQ(blocks, 0);
}

struct move_only {
    std::unique_ptr<int> value;
    void operator()(const error_code& ec) && { *value = ec ? 2 : 1; }
};

TYPED_TEST(handler, may_be_move_only_and_called_as_an_rvalue) {
    auto value = std::make_unique<int>(0);
    int* const raw = value.get();
    TypeParam t(this->io, 1ms);
    // Looks at the value while the handler lives.
    struct watched {
        move_only inner;
        int* seen;
        void operator()(const error_code& ec) {
            int* const v = inner.value.get();
            std::move(inner)(ec);
            *seen = *v;
        }
    };
    int seen = 0;
    EXPECT_NE(raw, nullptr);
    t.async_wait(watched{{std::move(value)}, &seen});
    this->run();
    EXPECT_EQ(seen, 1);
    t.expires_after(never);
    t.async_wait(watched{{std::make_unique<int>(0)}, &seen});
    t.async_wait(watched{{std::make_unique<int>(0)}, &seen});
    t.cancel();
    this->run();
    EXPECT_EQ(seen, 2);
}

struct large {
    std::array<char, 500> bytes{};
    std::shared_ptr<int> count;
    void operator()(const error_code&) { ++*count; }
};

// Its move may throw, by its declaration.
struct clumsy {
    explicit clumsy(std::shared_ptr<int> count_) : count(std::move(count_)) {}
    // NOLINTNEXTLINE(performance-noexcept-move-constructor)
    clumsy(clumsy&& other) : count(std::move(other.count)) {}
    void operator()(const error_code&) { ++*count; }
    std::shared_ptr<int> count;
};

TYPED_TEST(handler, may_be_large_or_clumsy) {
    const auto count = std::make_shared<int>(0);
    TypeParam t(this->io, never);
    const auto wait = [&] {
        t.async_wait(large{{}, count});
        t.async_wait(clumsy(count));
    };
    wait();
    t.cancel();
    wait();
    t.cancel_one();
    this->io.poll();
    EXPECT_EQ(*count, 3);
    t.expires_after(1ms);
    wait();
    this->run();
    EXPECT_EQ(*count, 6);
    EXPECT_EQ(count.use_count(), 1);
}

TYPED_TEST(handler, may_take_what_it_likes) {
    TypeParam t(this->io, 1ms);
    int count = 0;
    t.async_wait(std::bind([&] { ++count; }));
    t.async_wait([&](auto&&...) { ++count; });
    t.async_wait([&](error_code) { ++count; });
    t.async_wait(asio::detached);
    this->run();
    EXPECT_EQ(count, 3);
}

TYPED_TEST(handler, is_kept_by_value_whatever_it_was_given_as) {
    TypeParam t(this->io, 1ms);
    const auto count = std::make_shared<int>(0);
    auto h = [count](const error_code&) { ++*count; };
    const auto& constant = h;
    t.async_wait(h);
    t.async_wait(constant);
    EXPECT_EQ(count.use_count(), 4);
    this->run();
    EXPECT_EQ(*count, 2);
    EXPECT_EQ(count.use_count(), 2);
}

}  // namespace
}  // namespace foliot::test
