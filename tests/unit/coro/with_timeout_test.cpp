// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/coro/sleep.hpp>
#include <foliot/coro/spawn.hpp>
#include <foliot/coro/sync_wait.hpp>
#include <foliot/coro/with_timeout.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <coroutine>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

#include "unit/coro/simulated.hpp"

namespace foliot {
namespace {

using namespace std::chrono_literals;

class with_timeout_of_5s : public testing::Test {
protected:
    // Begins to await it, for 5 s at most. The outcome is noted once there is one.
    template <class Awaitable>
    auto start(Awaitable awaitable, std::stop_token token = {}) {
        auto waiting = with_timeout(timers, std::move(awaitable), 5s);
        return note(std::move(waiting), std::move(token));
    }
    template <class T>
    std::shared_ptr<std::optional<T>> note(lazy<T> waiting, std::stop_token token) {
        auto outcome = std::make_shared<std::optional<T>>();
        const auto root = [](lazy<T> l, std::shared_ptr<std::optional<T>> to) -> lazy<> {
            to->emplace(co_await std::move(l));
        };
        spawn(root(std::move(waiting), outcome), std::move(token),
              [this](const std::exception_ptr& e) { thrown = e; });
        return outcome;
    }
    lazy<int> answer_after(std::chrono::milliseconds delay) {
        co_await sleep(timers, delay);
        co_return 42;
    }
    void expect_nothing_left() const { EXPECT_EQ(world.timers_left(), 0U); }

    simulated world;
    timer_service& timers = world.timers;
    std::exception_ptr thrown;
};

TEST_F(with_timeout_of_5s, gives_what_comes_in_time) {
    const auto outcome = start(answer_after(4999ms));
    world.go(4998ms);
    EXPECT_FALSE(outcome->has_value());
    world.go(1ms);
    EXPECT_EQ(*outcome, 42);
    expect_nothing_left();
    EXPECT_EQ(timers.metrics().cancelled, 1U);
}

TEST_F(with_timeout_of_5s, asks_what_does_not_come_to_stop_and_gives_nothing) {
    const auto outcome = start(answer_after(1h));
    world.go(4999ms);
    EXPECT_FALSE(outcome->has_value());
    world.go(1ms);
    world.go_on();
    ASSERT_TRUE(outcome->has_value());
    EXPECT_EQ(**outcome, std::nullopt);
    expect_nothing_left();
}

TEST_F(with_timeout_of_5s, what_comes_at_the_very_moment_has_one_outcome) {
    for (int i = 0; i < 100; ++i) {
        const auto outcome = start(answer_after(5s));
        world.go(5s);
        world.go_on();
        ASSERT_TRUE(outcome->has_value());
        expect_nothing_left();
    }
}

TEST_F(with_timeout_of_5s, what_is_over_at_once_needs_no_time) {
    const auto at_once = []() -> lazy<int> { co_return 1; };
    EXPECT_EQ(*start(at_once()), 1);
    expect_nothing_left();
    EXPECT_EQ(sync_wait(with_timeout(timers, at_once(), 0s)), 1);
    EXPECT_EQ(sync_wait(with_timeout(timers, at_once(), -1s)), 1);
}

TEST_F(with_timeout_of_5s, time_that_is_not_positive_is_over_when_the_service_gets_to_it) {
    bool over = false;
    spawn([&]() -> lazy<> { over = !co_await with_timeout(timers, answer_after(1h), -1s); });
    EXPECT_FALSE(over);
    world.go_on();
    world.go_on();
    EXPECT_TRUE(over);
}

TEST_F(with_timeout_of_5s, says_of_what_has_no_result_whether_it_was_in_time) {
    const auto nap = [this](std::chrono::seconds delay) -> lazy<> {
        co_await sleep(timers, delay);
    };
    const auto in_time = start(nap(1s));
    const auto late = start(nap(10s));
    static_assert(std::is_same_v<decltype(in_time->value()), const bool&> ||
                  std::is_same_v<decltype(in_time->value()), bool&>);
    world.go(6s);
    EXPECT_EQ(*in_time, true);
    EXPECT_EQ(*late, false);
}

TEST_F(with_timeout_of_5s, gives_a_pointer_to_what_is_referred_to) {
    int n = 0;
    const auto find = [&](std::chrono::seconds delay) -> lazy<int&> {
        co_await sleep(timers, delay);
        co_return n;
    };
    const auto in_time = start(find(1s));
    const auto late = start(find(10s));
    world.go(6s);
    EXPECT_EQ(*in_time, &n);
    EXPECT_EQ(*late, nullptr);
}

TEST_F(with_timeout_of_5s, gives_what_can_only_be_moved) {
    const auto make = []() -> lazy<std::unique_ptr<int>> { co_return std::make_unique<int>(3); };
    EXPECT_EQ(**start(make())->value(), 3);
}

TEST_F(with_timeout_of_5s, throws_what_is_thrown_in_time) {
    const auto fail = [this]() -> lazy<int> {
        co_await sleep(timers, 1s);
        throw std::runtime_error("failed");
    };
    const auto outcome = start(fail());
    world.go(1s);
    EXPECT_FALSE(outcome->has_value());
    ASSERT_NE(thrown, nullptr);
    EXPECT_THROW(std::rethrow_exception(thrown), std::runtime_error);
    expect_nothing_left();
}

TEST_F(with_timeout_of_5s, drops_what_is_thrown_because_it_was_asked_to_stop) {
    const auto fail = [this]() -> lazy<int> {
        const sleep_result slept = co_await sleep(timers, 1h);
        if (slept == sleep_result::stopped) throw std::runtime_error("asked");
        co_return 1;
    };
    const auto outcome = start(fail());
    world.go(6s);
    ASSERT_TRUE(outcome->has_value());
    EXPECT_EQ(**outcome, std::nullopt);
    EXPECT_EQ(thrown, nullptr);
}

TEST_F(with_timeout_of_5s, waits_for_what_does_not_listen_and_still_says_that_it_was_late) {
    event comes;
    int living = 0;
    const auto deaf = [&](counted /*until the end*/) -> lazy<int> {
        co_await comes;
        co_return 1;
    };
    const auto outcome = start(deaf(counted(living)));
    world.go(1h);
    EXPECT_FALSE(outcome->has_value());
    EXPECT_GT(living, 0);
    expect_nothing_left();
    comes.come();
    ASSERT_TRUE(outcome->has_value());
    EXPECT_EQ(**outcome, std::nullopt);
    EXPECT_EQ(living, 0);
}

TEST_F(with_timeout_of_5s, hands_on_that_its_caller_is_asked_to_stop) {
    std::stop_source source;
    const auto nap = [this]() -> lazy<sleep_result> { co_return co_await sleep(timers, 1h); };
    const auto outcome = start(nap(), source.get_token());
    world.go(1s);
    source.request_stop();
    world.go_on();
    EXPECT_EQ(*outcome, sleep_result::stopped);  // no timeout: that is what it gave
    expect_nothing_left();
}

TEST_F(with_timeout_of_5s, asked_to_stop_before_it_begins_begins_and_asks_at_once) {
    std::stop_source source;
    source.request_stop();
    bool begun = false;
    const auto look = [&]() -> lazy<bool> {
        begun = true;
        co_return (co_await this_stop_token()).stop_requested();
    };
    EXPECT_EQ(*start(look(), source.get_token()), true);
    EXPECT_TRUE(begun);
}

TEST_F(with_timeout_of_5s, does_not_ask_its_caller_to_stop) {
    std::stop_source source;
    bool asked = true;
    const auto root = [&]() -> lazy<> {
        co_await with_timeout(timers, answer_after(1h), 1s);
        asked = (co_await this_stop_token()).stop_requested();
    };
    spawn(root, source.get_token());
    world.go(2s);
    EXPECT_FALSE(asked);
    EXPECT_FALSE(source.stop_requested());
}

TEST_F(with_timeout_of_5s, ends_when_the_service_stops) {
    const auto nap = [this]() -> lazy<sleep_result> { co_return co_await sleep(timers, 1h); };
    const auto outcome = start(nap());
    timers.stop();
    EXPECT_EQ(*outcome, sleep_result::stopped);
    expect_nothing_left();
}

TEST_F(with_timeout_of_5s, asks_what_waits_for_something_else_to_stop_when_the_service_stops) {
    event comes;
    bool asked = false;
    const auto wait = [&]() -> lazy<int> {
        const std::stop_token token = co_await this_stop_token();
        const std::stop_callback on_stop(token, [&] { asked = true; });
        co_await comes;
        co_return 7;
    };
    const auto outcome = start(wait());
    timers.stop();
    EXPECT_TRUE(asked);
    EXPECT_FALSE(outcome->has_value());
    comes.come();
    EXPECT_EQ(*outcome, 7);
}

TEST_F(with_timeout_of_5s, begins_nothing_when_the_service_has_stopped) {
    timers.stop();
    bool begun = false;
    const auto begin = [&]() -> lazy<> {
        begun = true;
        co_return;
    };
    EXPECT_THROW(sync_wait(with_timeout(timers, begin(), 5s)), service_stopped);
    EXPECT_FALSE(begun);
}

TEST_F(with_timeout_of_5s, of_two_within_each_other_the_shorter_one_counts) {
    const auto inner_first = start(with_timeout(timers, answer_after(1h), 2s));
    const auto outer_first = start(with_timeout(timers, answer_after(1h), 10s));
    const auto neither = start(with_timeout(timers, answer_after(1s), 2s));
    world.go(4s);
    ASSERT_TRUE(inner_first->has_value());
    EXPECT_TRUE((*inner_first)->has_value());  // the outer one was in time,
    EXPECT_EQ(***inner_first, std::nullopt);   // the inner one was not
    EXPECT_EQ(****neither, 42);
    world.go(2s);
    ASSERT_TRUE(outer_first->has_value());
    EXPECT_EQ(**outer_first, std::nullopt);
    expect_nothing_left();
}

TEST_F(with_timeout_of_5s, one_that_is_destroyed_while_it_waits_leaves_no_timer) {
    int living = 0;
    const auto wait = [&](counted /*until the end*/) -> lazy<int> {
        co_return co_await answer_after(1h);
    };
    {
        const auto root = [&]() -> held {
            co_await with_timeout(timers, wait(counted(living)), 5s);
        };
        const held h = root();
        EXPECT_EQ(world.timers_left(), 2U);
        EXPECT_GT(living, 0);
    }
    EXPECT_EQ(living, 0);
    expect_nothing_left();
}

// As another library might do it: whoever awaits it is noted in it, so it must not be copied then.
class mailbox {
public:
    explicit mailbox(mailbox*& here) : here_(&here) {}
    mailbox(mailbox&& other) noexcept : here_(other.here_) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) noexcept {
        waiting_ = waiting;
        *here_ = this;
    }
    int await_resume() const noexcept { return letter_; }
    void put(int letter) {
        letter_ = letter;
        waiting_.resume();
    }

private:
    mailbox** here_;
    std::coroutine_handle<> waiting_;
    int letter_ = 0;
};
struct by_reference {
    mailbox& box;
    mailbox& operator co_await() const noexcept { return box; }
};
struct by_function {
    mailbox& box;
};
mailbox& operator co_await(const by_function& f) noexcept { return f.box; }

TEST_F(with_timeout_of_5s, takes_anything_that_can_be_awaited) {
    mailbox* open = nullptr;
    mailbox box(open);
    const auto taken = start(mailbox(open));
    open->put(1);
    EXPECT_EQ(*taken, 1);
    const auto by_operator = start(by_reference{box});
    box.put(2);
    EXPECT_EQ(*by_operator, 2);
    const auto by_free_operator = start(by_function{box});
    box.put(3);
    EXPECT_EQ(*by_free_operator, 3);
    expect_nothing_left();

    const auto in_time = start(sleep(timers, 1s));
    const auto late = start(sleep(timers, 10s));
    world.go(6s);
    EXPECT_EQ(*in_time, sleep_result::elapsed);
    ASSERT_TRUE(late->has_value());
    EXPECT_EQ(**late, std::nullopt);
}

// As another library might do it: when asked to stop it resumes within that very call.
class operation {
public:
    explicit operation(std::stop_token token) : token_(std::move(token)) {}
    operation(operation&&) = delete;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
        on_stop_.emplace(token_, resume{waiting});
    }
    int await_resume() {
        on_stop_.reset();
        return -1;
    }

private:
    struct resume {
        std::coroutine_handle<> waiting;
        void operator()() const { waiting.resume(); }
    };
    std::stop_token token_;
    std::optional<std::stop_callback<resume>> on_stop_;
};

TEST_F(with_timeout_of_5s, gives_its_token_to_what_is_made_with_one) {
    const auto outcome = start([](std::stop_token token) { return operation(std::move(token)); });
    world.go(4s);
    EXPECT_FALSE(outcome->has_value());
    world.go(1s);
    ASSERT_TRUE(outcome->has_value());
    EXPECT_EQ(**outcome, std::nullopt);
}

TEST_F(with_timeout_of_5s, may_end_within_the_call_that_asks_it_to_stop) {
    std::stop_source source;
    const auto outcome = start([](std::stop_token token) { return operation(std::move(token)); },
                               source.get_token());
    source.request_stop();
    EXPECT_EQ(*outcome, -1);
    expect_nothing_left();
    const auto at_stop = start([](std::stop_token token) { return operation(std::move(token)); });
    timers.stop();
    EXPECT_EQ(*at_stop, -1);
}

TEST_F(with_timeout_of_5s, may_be_gone_when_not_all_have_heard_that_it_is_asked_to_stop) {
    const auto listen = [](std::stop_token token) -> lazy<int> {
        const std::stop_callback never_called(token, [] {});  // the latest one is called first
        operation o(token);
        co_return co_await o;
    };
    std::stop_source source;
    const auto outcome = start(listen, source.get_token());
    source.request_stop();
    EXPECT_EQ(*outcome, -1);
    const auto late = start(listen);
    world.go(5s);
    ASSERT_TRUE(late->has_value());
    EXPECT_EQ(**late, std::nullopt);
}

TEST_F(with_timeout_of_5s, keeps_the_lambda_that_makes_it) {
    const auto number = std::make_shared<int>(5);
    std::weak_ptr<int> alive = number;
    const auto outcome = start(
        [this, number = *number, keep = number](const std::stop_token& /*token*/) -> lazy<int> {
            co_await sleep(timers, 1s);
            co_return number + *keep;
        });
    world.go(1s);
    EXPECT_EQ(*outcome, 10);
}

TEST(with_timeout, a_time_that_is_rejected_for_want_of_room_comes_later) {
    crowded world;
    event comes;
    std::optional<bool> in_time;
    bool asked = false;
    const auto wait = [&]() -> lazy<> {
        const std::stop_callback on_stop(co_await this_stop_token(), [&] { asked = true; });
        co_await comes;
    };
    spawn([&]() -> lazy<> { in_time = co_await with_timeout(world.timers, wait(), 1ms); });
    for (int i = 0; i < 3; ++i) world.go();
    EXPECT_EQ(world.timers.metrics().rejected, 3U);
    EXPECT_FALSE(asked);
    world.held_up->run_one();
    world.go();
    world.held_up->run_one();
    EXPECT_TRUE(asked);
    comes.come();
    EXPECT_EQ(in_time, false);
    EXPECT_EQ(world.timers.metrics().pending + world.timers.metrics().due, 0U);
}

TEST(with_timeout, works_with_threads_that_nobody_drives) {
    timer_service timers;
    const auto slow = [&]() -> lazy<int> {
        co_await sleep(timers, 1h);
        co_return 1;
    };
    const auto quick = [&]() -> lazy<int> {
        co_await sleep(timers, 1ms);
        co_return 2;
    };
    EXPECT_EQ(sync_wait(with_timeout(timers, slow(), 5ms)), std::nullopt);
    EXPECT_EQ(sync_wait(with_timeout(timers, quick(), 1h)), 2);
    timers.stop();  // the last callback may still be returning
    EXPECT_EQ(timers.metrics().dropped, 0U);
}

}  // namespace
}  // namespace foliot
