// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Other contexts than an io_context that one thread runs.
#include "timers.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace foliot::test {
namespace {

template <class Timer>
class context : public testing::Test {
protected:
    template <class Executor>
    using with = typename Timer::template rebind_executor<Executor>::other;
};
TYPED_TEST_SUITE(context, timer_types, timer_names);

TYPED_TEST(context, may_be_a_thread_pool_that_is_joined) {
    asio::thread_pool pool(2);
    std::atomic<int> ended = 0;
    TypeParam a(pool, 5ms);
    a.async_wait([&](const error_code& ec) { ended += ec ? 100 : 1; });
    typename TestFixture::template with<asio::thread_pool::executor_type> b(pool, 10ms);
    b.async_wait([&](const error_code& ec) { ended += ec ? 100 : 1; });
    TypeParam c(pool, never);
    c.async_wait([&](const error_code& ec) { ended += ec ? 1 : 100; });
    c.cancel();
    pool.join();
    EXPECT_EQ(ended, 3);
}

TYPED_TEST(context, may_be_the_system_s) {
    std::promise<bool> expired;
    TypeParam t(asio::system_executor(), 2ms);
    t.async_wait([&](const error_code& ec) { expired.set_value(!ec); });
    EXPECT_TRUE(expired.get_future().get());
}

TYPED_TEST(context, behind_a_strand_runs_its_handlers_one_at_a_time) {
    asio::io_context io;
    const auto strand = asio::make_strand(io);
    const asio::any_io_executor erased = strand;
    TypeParam a(erased);
    typename TestFixture::template with<asio::strand<asio::io_context::executor_type>> b(strand);
    std::atomic<int> inside = 0;
    int left = 200;
    std::function<void(const error_code&)> next = [&](const error_code&) {
        EXPECT_TRUE(strand.running_in_this_thread());
        EXPECT_EQ(++inside, 1);
        if (--left > 0) {
            a.expires_after(0s);
            a.async_wait(next);
            b.expires_after(never);
            b.async_wait(next);
            b.cancel();
        }
        --inside;
    };
    asio::post(strand, [&] { next({}); });
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&] { io.run(); });
    for (std::thread& t : threads) t.join();
    EXPECT_LE(left, 0);
}

TYPED_TEST(context, s_other_handlers_do_not_wait_for_a_strand_that_is_busy) {
    asio::io_context io;
    const auto strand = asio::make_strand(io);
    TypeParam in_strand(strand, 1ms);
    TypeParam outside(io, 20ms);
    std::promise<void> release;
    in_strand.async_wait([&](const error_code&) { release.get_future().wait(); });
    in_strand.async_wait([](const error_code&) {});
    outside.async_wait([&](const error_code&) { release.set_value(); });
    std::thread other([&] { io.run(); });
    io.run();
    other.join();
}

TYPED_TEST(context, s_threads_share_what_is_ready) {
    // 40 handlers, of which the first waits until another has run: on one thread it would wait for
    // ever.
    asio::io_context io;
    TypeParam t(io, never);
    std::promise<void> another;
    std::atomic<int> count = 0;
    t.async_wait([&](const error_code&) { another.get_future().wait(); });
    for (int i = 1; i < 40; ++i) {
        t.async_wait([&](const error_code&) {
            if (++count == 39) another.set_value();
        });
    }
    t.cancel();
    std::thread other([&] { io.run(); });
    io.run();
    other.join();
    EXPECT_EQ(count, 39);
}

TYPED_TEST(context, that_several_threads_run_wakes_for_an_earlier_timer) {
    asio::io_context io;
    const auto work = asio::make_work_guard(io);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) threads.emplace_back([&] { io.run(); });
    std::promise<void> late;
    TypeParam far(io, never);
    far.async_wait([&](const error_code&) { late.set_value(); });
    std::promise<void> soon;
    TypeParam near(io, 5ms);
    near.async_wait([&](const error_code&) { soon.set_value(); });
    soon.get_future().get();
    far.cancel();
    late.get_future().get();
    io.stop();
    for (std::thread& t : threads) t.join();
}

// A context of one's own, with the least that an executor needs: a queue that somebody drains.
class queue_context : public asio::execution_context {
public:
    class executor_type {
    public:
        explicit executor_type(queue_context& c) noexcept : context_(&c) {}
        [[nodiscard]] queue_context& query(asio::execution::context_t) const noexcept {
            return *context_;
        }
        [[nodiscard]] static constexpr asio::execution::blocking_t query(
            asio::execution::blocking_t) noexcept {
            return asio::execution::blocking.never;
        }
        template <class F>
        void execute(F f) const {
            // std::function wants copies.
            context_->push([shared = std::make_shared<F>(std::move(f))] { std::move (*shared)(); });
        }
        bool operator==(const executor_type&) const noexcept = default;

    private:
        queue_context* context_;
    };

    ~queue_context() { shutdown(); }
    [[nodiscard]] executor_type get_executor() noexcept { return executor_type(*this); }

    void run_one() {
        std::unique_lock held(mutex_);
        more_.wait(held, [&] { return !queue_.empty(); });
        const auto f = std::move(queue_.front());
        queue_.pop_front();
        held.unlock();
        f();
    }

private:
    void push(std::function<void()> f) {
        const std::lock_guard held(mutex_);
        queue_.push_back(std::move(f));
        more_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable more_;
    std::deque<std::function<void()>> queue_;
};

TYPED_TEST(context, may_be_one_s_own) {
    queue_context own;
    const auto here = std::this_thread::get_id();
    std::vector<int> order;
    typename TestFixture::template with<queue_context::executor_type> a(own, 2ms);
    typename TestFixture::template with<queue_context::executor_type> b(own, never);
    const auto handler = [&](int n) {
        return [&, n](const error_code& ec) {
            EXPECT_EQ(std::this_thread::get_id(), here);
            order.push_back(ec ? -n : n);
        };
    };
    b.async_wait(handler(1));
    b.cancel();
    own.run_one();
    a.async_wait(handler(2));
    a.async_wait(handler(3));
    own.run_one();
    own.run_one();
    EXPECT_EQ(order, (std::vector{-1, 2, 3}));
}

TYPED_TEST(context, of_one_thread_s_hint_works_as_well) {
    asio::io_context io(1);
    TypeParam t(io, never);
    record log;
    t.async_wait([&](const error_code&) {
        t.expires_after(1ms);
        t.async_wait(log.handler("b"));
        TypeParam gone(io, never);
        gone.async_wait(log.handler("a"));
    });
    t.cancel();
    io.run();
    EXPECT_EQ(log.said(), "a! b");
}

TYPED_TEST(context, may_have_timers_that_other_threads_use) {
    asio::io_context io;
    auto work = asio::make_work_guard(io);
    std::vector<std::thread> running;
    for (int i = 0; i < 2; ++i) running.emplace_back([&] { io.run(); });
    std::atomic<int> called = 0;
    std::vector<std::thread> users;
    for (int u = 0; u < 3; ++u) {
        users.emplace_back([&] {
            TypeParam t(io);
            for (int i = 0; i < 300; ++i) {
                t.expires_after(std::chrono::microseconds(i % 7 * 300));
                t.async_wait([&](const error_code&) { ++called; });
                if (i % 5 == 0) t.cancel();
            }
        });
    }
    for (std::thread& t : users) t.join();
    work.reset();
    for (std::thread& t : running) t.join();
    EXPECT_EQ(called, 900);
}

}  // namespace
}  // namespace foliot::test
