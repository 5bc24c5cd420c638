// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/service/driven_service.hpp"

#include <foliot/service/timer_service.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

namespace foliot {
namespace {

template <class Service>
class timer_token : public driven_service<Service> {
protected:
    std::chrono::steady_clock::time_point now() {
        return std::chrono::steady_clock::time_point(this->clock.steady());
    }
    std::chrono::system_clock::time_point wall_now() {
        return std::chrono::system_clock::time_point(
            std::chrono::duration_cast<std::chrono::system_clock::duration>(this->clock.wall()));
    }
};
TYPED_TEST_SUITE(timer_token, service_models);

TYPED_TEST(timer_token, a_callback_finds_its_own) {
    EXPECT_FALSE(timer::current());
    timer seen;
    const timer t = this->timers.after(10ms, [&] { seen = timer::current(); });
    this->go(10ms);
    EXPECT_EQ(seen, t);
    EXPECT_FALSE(timer::current());
    int runs = 0;
    this->timers.every(10ms, [&] {
        if (++runs < 3) return;
        EXPECT_EQ(timer::current().cancel(), cancel_result::running);
    });
    this->go(100ms);
    EXPECT_EQ(runs, 3);
}

TYPED_TEST(timer_token, the_innermost_callback_of_a_thread_is_the_current_one) {
    timer inner_seen;
    timer outer_seen;
    timer inner;
    const timer outer = this->timers.after(10ms, [&] {
        basic_timer_service<deadline_heap> other(this->options(this->clock));
        inner = other.after(0ms, [&] { inner_seen = timer::current(); });
        other.poll();
        outer_seen = timer::current();
    });
    this->go(10ms);
    EXPECT_EQ(inner_seen, inner);
    EXPECT_EQ(outer_seen, outer);
}

TYPED_TEST(timer_token, moves_to_a_time_of_its_clock_and_refuses_the_other_one) {
    int fired = 0;
    const timer t = this->timers.after(1h, [&] { ++fired; });
    EXPECT_EQ(t.reschedule(this->now() + 5ms), reschedule_result::moved);
    EXPECT_EQ(t.deadline(), this->clock.steady() + 5ms);
    EXPECT_THROW(t.reschedule(this->wall_now()), std::invalid_argument);
    this->go(4ms);
    EXPECT_EQ(fired, 0);
    this->go(1ms);
    EXPECT_EQ(fired, 1);

    const timer w = this->timers.at(this->wall_now() + 1h, [&] { ++fired; });
    EXPECT_THROW(w.reschedule(this->now()), std::invalid_argument);
    EXPECT_EQ(w.reschedule(this->wall_now() + 2h), reschedule_result::moved);
    this->clock.step_wall(1h);
    this->catch_up();
    EXPECT_EQ(fired, 1);
    EXPECT_EQ(w.reschedule(this->wall_now() - 24h * 365 * 100), reschedule_result::moved)
        << "a time before the epoch is over";
    this->catch_up();
    EXPECT_EQ(fired, 2);
    EXPECT_EQ(timer().reschedule(this->now()), reschedule_result::gone);
}

// A callable whose destructor waits until it may go on.
struct slow_to_destroy {
    std::shared_ptr<std::promise<void>> destroying = std::make_shared<std::promise<void>>();
    std::shared_future<void> may_end;
    std::shared_ptr<std::atomic<bool>> destroyed = std::make_shared<std::atomic<bool>>(false);
    bool mine = true;

    explicit slow_to_destroy(std::shared_future<void> f) : may_end(std::move(f)) {}
    slow_to_destroy(slow_to_destroy&& o) noexcept
        : destroying(o.destroying),
          may_end(o.may_end),
          destroyed(o.destroyed),
          mine(std::exchange(o.mine, false)) {}
    slow_to_destroy& operator=(slow_to_destroy&&) = delete;
    slow_to_destroy(const slow_to_destroy&) = delete;
    slow_to_destroy& operator=(const slow_to_destroy&) = delete;
    ~slow_to_destroy() {
        if (!mine) return;
        destroying->set_value();
        may_end.wait();
        *destroyed = true;
    }
    void operator()() const {}
};

TEST(cancel_and_wait, returns_when_the_callback_is_destroyed_too) {
    timer_service timers;
    std::promise<void> go;
    slow_to_destroy callback(go.get_future().share());
    auto destroying = callback.destroying->get_future();
    const auto destroyed = callback.destroyed;
    const timer t = timers.after(0ms, std::move(callback));
    destroying.wait();  // it has run
    auto waiter = std::async(std::launch::async, [&] {
        const auto result = t.cancel_and_wait();
        EXPECT_TRUE(*destroyed);
        return result;
    });
    EXPECT_EQ(waiter.wait_for(20ms), std::future_status::timeout);
    go.set_value();
    EXPECT_EQ(waiter.get(), cancel_result::gone);
}

TEST(cancel_and_wait, from_the_callbacks_own_destructor_does_not_wait) {
    timer_service timers;
    std::promise<cancel_result> answer;
    const auto own = std::make_shared<timer>();
    struct asks {
        std::shared_ptr<timer> own;
        std::promise<cancel_result>* answer;
        ~asks() {
            if (own != nullptr) answer->set_value(own->cancel_and_wait());
        }
        asks(std::shared_ptr<timer> t, std::promise<cancel_result>* a)
            : own(std::move(t)), answer(a) {}
        asks(asks&&) noexcept = default;
        asks& operator=(asks&&) = delete;
        asks(const asks&) = delete;
        asks& operator=(const asks&) = delete;
        void operator()() const {}
    };
    *own = timers.after(1h, asks(own, &answer));
    EXPECT_EQ(own->cancel(), cancel_result::cancelled);
    EXPECT_EQ(answer.get_future().get(), cancel_result::gone);
}

}  // namespace
}  // namespace foliot
