// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/delayed_operations.hpp>

#include "waiting_operation.hpp"

#include <foliot/wheel/bucket_queue_wheel.hpp>
#include <foliot/wheel/deadline_heap.hpp>
#include <foliot/wheel/hashed_wheel.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace foliot {
namespace {

using namespace std::chrono_literals;
using test_support::driven_by;
using test_support::waiting_operation;
using strings = std::vector<std::string>;

// On a clock that stands still; what is due runs in poll().
template <class Queue>
class purgatory_on : public testing::Test {
protected:
    void go(std::chrono::milliseconds by) {
        for (auto t = 0ms; t < by; t += 1ms) {
            clock.advance(1ms);
            timers.poll();
        }
    }
    static std::shared_ptr<waiting_operation> operation(std::function<bool()> condition = [] {
        return false;
    }) {
        return std::make_shared<waiting_operation>(std::move(condition));
    }

    manual_service_clock clock;
    basic_timer_service<Queue> timers{driven_by(clock)};
    delayed_operations<std::string, std::hash<std::string>, Queue> waiting{timers};
};

using models =
    testing::Types<hierarchical_wheel<>, hashed_wheel<>, bucket_queue_wheel, deadline_heap>;
TYPED_TEST_SUITE(purgatory_on, models);

TYPED_TEST(purgatory_on, completes_by_a_check_and_then_does_not_expire) {
    bool met = false;
    const auto op = this->operation([&] { return met; });
    EXPECT_FALSE(this->waiting.try_complete_else_watch(op, {"a"}, 30ms));
    EXPECT_EQ(this->waiting.watched(), 1U);
    EXPECT_EQ(this->waiting.delayed(), 1U);
    EXPECT_EQ(this->waiting.check_and_complete("a"), 0U);
    EXPECT_FALSE(op->completed());
    met = true;
    EXPECT_EQ(this->waiting.check_and_complete("a"), 1U);
    EXPECT_TRUE(op->completed());
    EXPECT_EQ(this->waiting.watched(), 0U);
    EXPECT_EQ(this->waiting.delayed(), 0U);
    EXPECT_EQ(this->timers.metrics().pending, 0U) << "its timer is cancelled";
    EXPECT_EQ(this->waiting.check_and_complete("a"), 0U);
    this->go(60ms);
    EXPECT_EQ(op->completions, 1);
    EXPECT_EQ(op->expirations, 0);
}

TYPED_TEST(purgatory_on, expires_when_the_time_is_over_and_then_no_check_completes_it) {
    bool met = false;
    const auto op = this->operation([&] { return met; });
    this->waiting.try_complete_else_watch(op, {"a"}, 30ms);
    this->go(29ms);
    EXPECT_FALSE(op->completed());
    EXPECT_EQ(this->waiting.delayed(), 1U);
    this->go(1ms);
    EXPECT_EQ(op->completions, 1);
    EXPECT_EQ(op->expirations, 1);
    EXPECT_EQ(this->waiting.delayed(), 0U);
    met = true;
    EXPECT_EQ(this->waiting.check_and_complete("a"), 0U);
    this->go(60ms);
    EXPECT_EQ(op->completions, 1);
    EXPECT_EQ(op->expirations, 1);
    EXPECT_EQ(this->waiting.watched(), 0U);
}

class purgatory : public purgatory_on<hierarchical_wheel<>> {};

// ---- completion ---------------------------------------------------------------------------------

TEST_F(purgatory, what_is_met_already_is_neither_watched_nor_timed) {
    const auto op = operation([] { return true; });
    EXPECT_TRUE(waiting.try_complete_else_watch(op, {"a", "b"}, 30ms));
    EXPECT_EQ(op->completions, 1);
    EXPECT_EQ(op->looks, 1);
    EXPECT_EQ(waiting.watched(), 0U);
    EXPECT_EQ(waiting.delayed(), 0U);
    EXPECT_EQ(timers.metrics().scheduled, 0U);
}

TEST_F(purgatory, a_condition_met_between_the_first_try_and_the_watch_is_not_missed) {
    int looks = 0;
    const auto op = operation([&] {
        if (++looks > 1) return true;
        // Met just after this look; the check comes too early to see the operation.
        EXPECT_EQ(waiting.check_and_complete("a"), 0U);
        return false;
    });
    EXPECT_TRUE(waiting.try_complete_else_watch(op, {"a"}, 30ms));
    EXPECT_EQ(op->completions, 1);
    EXPECT_EQ(timers.metrics().scheduled, 0U);
    waiting.purge();
    EXPECT_EQ(waiting.watched(), 0U);
}

TEST_F(purgatory, completes_by_any_of_its_keys) {
    for (const char* const key : {"a", "b", "c"}) {
        bool met = false;
        const auto op = operation([&] { return met; });
        const strings keys{"a", "b", "c"};
        waiting.try_complete_else_watch(op, std::span<const std::string>(keys), 30ms);
        EXPECT_EQ(waiting.watched(), 3U);
        met = true;
        EXPECT_EQ(waiting.check_and_complete("d"), 0U);
        EXPECT_EQ(waiting.check_and_complete(key), 1U);
        EXPECT_EQ(waiting.watched(), 2U) << "the other lists have not been looked at";
        for (const std::string& other : keys) EXPECT_EQ(waiting.check_and_complete(other), 0U);
        EXPECT_EQ(waiting.watched(), 0U);
        EXPECT_EQ(op->completions, 1);
    }
}

TEST_F(purgatory,
       a_check_tries_all_in_the_order_in_which_they_were_watched_and_counts_completions) {
    std::vector<int> order;
    int limit = 0;
    std::vector<std::shared_ptr<waiting_operation>> all;
    for (int i = 0; i < 6; ++i) {
        all.push_back(operation([&order, &limit, i] {
            order.push_back(i);
            return i % 2 == 0 && i < limit;
        }));
        waiting.try_complete_else_watch(all.back(), {"a"}, 1h);
    }
    order.clear();
    limit = 6;
    EXPECT_EQ(waiting.check_and_complete("a"), 3U);
    EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(waiting.watched(), 3U);
    EXPECT_EQ(waiting.delayed(), 3U);
}

TEST_F(purgatory, force_complete_is_true_once_and_ends_the_wait) {
    const auto op = operation();
    waiting.try_complete_else_watch(op, {"a"}, 30ms);
    EXPECT_TRUE(op->force_complete());
    EXPECT_FALSE(op->force_complete());
    EXPECT_EQ(waiting.delayed(), 0U);
    EXPECT_EQ(timers.metrics().pending, 0U);
    EXPECT_EQ(waiting.check_and_complete("a"), 0U);
    EXPECT_EQ(waiting.watched(), 0U);
    go(60ms);
    EXPECT_EQ(op->completions, 1);
    EXPECT_EQ(op->expirations, 0);
}

TEST_F(purgatory, no_timeout_means_at_once_but_not_within_the_call) {
    const auto op = operation();
    EXPECT_FALSE(waiting.try_complete_else_watch(op, {"a"}, -5s));
    EXPECT_FALSE(op->completed());
    go(1ms);
    EXPECT_EQ(op->expirations, 1);
}

// ---- user code that calls back ------------------------------------------------------------------

TEST_F(purgatory, completions_that_check_their_own_key_follow_each_other_without_nesting) {
    constexpr std::size_t count = 20'000;
    std::size_t done = 0;
    int depth = 0;
    int deepest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto op = operation([&done, i] { return done >= i && done > 0; });
        op->then = [&] {
            deepest = std::max(deepest, ++depth);
            ++done;
            waiting.check_and_complete("a");
            --depth;
        };
        waiting.try_complete_else_watch(op, {"a"}, 1h);
    }
    done = 1;
    EXPECT_EQ(waiting.check_and_complete("a"), count);
    EXPECT_EQ(deepest, 1);
    EXPECT_EQ(waiting.watched(), 0U);
}

TEST_F(purgatory, a_check_from_within_is_made_up_for_when_the_operations_at_hand_are_done) {
    // Each lets the one before it complete, which has been tried by then.
    constexpr int count = 100;
    int open = count;
    for (int i = 0; i < count; ++i) {
        const auto op = operation([&open, i] { return open == i; });
        op->then = [&] {
            --open;
            EXPECT_EQ(waiting.check_and_complete("a"), 0U);
        };
        waiting.try_complete_else_watch(op, {"a"}, 1h);
    }
    --open;
    EXPECT_EQ(waiting.check_and_complete("a"), static_cast<std::size_t>(count));
    EXPECT_EQ(open, -1);
}

TEST_F(purgatory, a_look_that_lets_another_one_complete_and_says_so_is_heard) {
    bool met = false;
    bool acts = false;
    const auto first = operation([&] { return met; });
    const auto second = operation([&] {
        if (!acts || met) return false;
        met = true;
        waiting.check_and_complete("a");
        return false;
    });
    waiting.try_complete_else_watch(first, {"a"}, 1h);
    waiting.try_complete_else_watch(second, {"a"}, 1h);
    acts = true;
    EXPECT_EQ(waiting.check_and_complete("a"), 1U);
    EXPECT_TRUE(first->completed());
}

TEST_F(purgatory, an_operation_whose_look_completes_another_that_completes_it_is_not_missed) {
    bool met = false;
    bool begun = false;
    const auto a = operation([&] {
        const bool seen = met;
        if (begun) waiting.check_and_complete("b");
        return seen;
    });
    const auto b = operation([&] { return begun; });
    b->then = [&] {
        met = true;
        waiting.check_and_complete("a");
    };
    waiting.try_complete_else_watch(a, {"a", "c"}, 1h);
    waiting.try_complete_else_watch(b, {"b"}, 1h);
    begun = true;
    EXPECT_EQ(waiting.check_and_complete("c"), 1U) << "b is counted by the check of b";
    EXPECT_TRUE(a->completed());
    EXPECT_TRUE(b->completed());
}

TEST_F(purgatory, a_look_that_checks_its_own_key_comes_to_an_end) {
    const auto op = operation([&] {
        waiting.check_and_complete("a");
        return false;
    });
    EXPECT_FALSE(waiting.try_complete_else_watch(op, {"a"}, 30ms));
    EXPECT_EQ(waiting.check_and_complete("a"), 0U);
    EXPECT_LE(op->looks, 10);
    go(30ms);
    EXPECT_EQ(op->expirations, 1);
}

TEST_F(purgatory, a_completion_may_watch_others_and_destroy_it_all) {
    auto own = std::make_unique<delayed_operations<int>>(timers);
    bool met = false;
    const auto op = operation([&] { return met; });
    const auto next = operation([&] { return false; });
    const auto last = operation();
    op->then = [&] {
        own->try_complete_else_watch(next, {1, 2}, 30ms);
        own.reset();
    };
    own->try_complete_else_watch(op, {1}, 1h);
    own->try_complete_else_watch(last, {1}, 30ms);
    met = true;
    EXPECT_EQ(own->check_and_complete(1), 1U);
    EXPECT_EQ(own, nullptr);
    go(60ms);
    EXPECT_FALSE(next->completed());
    EXPECT_FALSE(last->completed());
    EXPECT_EQ(next.use_count(), 1);
    EXPECT_EQ(last.use_count(), 1);
}

TEST_F(purgatory, a_first_look_may_destroy_it_all) {
    auto own = std::make_unique<delayed_operations<int>>(timers);
    auto op = operation([&] {
        own.reset();
        return false;
    });
    EXPECT_FALSE(own->try_complete_else_watch(op, {1}, 30ms));
    go(60ms);
    EXPECT_FALSE(op->completed());
    EXPECT_EQ(op.use_count(), 1);
}

// ---- memory -------------------------------------------------------------------------------------

TEST_F(purgatory,
       a_key_that_is_never_checked_keeps_no_more_completed_operations_than_the_threshold) {
    delayed_operations<std::size_t> own(timers, {.purge_threshold = 1000});
    const int before = waiting_operation::alive;
    constexpr std::size_t never = 1'000'000;
    std::size_t most_watched = 0;
    int most_alive = 0;
    for (std::size_t i = 0; i < 100'000; ++i) {
        bool met = false;
        own.try_complete_else_watch(operation([&] { return met; }), {i, never}, 1h);
        met = true;
        ASSERT_EQ(own.check_and_complete(i), 1U);
        most_watched = std::max(most_watched, own.watched());
        most_alive = std::max(most_alive, waiting_operation::alive - before);
    }
    EXPECT_LE(most_watched, 1002U);
    EXPECT_LE(most_alive, 1002);
    EXPECT_GT(most_watched, 500U) << "a sweep at each completion would be too many";
    own.purge();
    EXPECT_EQ(own.watched(), 0U);
    EXPECT_EQ(waiting_operation::alive, before);
    EXPECT_EQ(timers.metrics().pending, 0U);
}

TEST_F(purgatory, among_many_open_operations_the_completed_ones_are_never_more_than_the_open_ones) {
    delayed_operations<int> own(timers, {.purge_threshold = 100});
    constexpr std::size_t open = 5000;
    for (std::size_t i = 0; i < open; ++i) own.try_complete_else_watch(operation(), {1, 2}, 1h);
    std::size_t most = 0;
    for (int i = 0; i < 50'000; ++i) {
        const auto op = operation();
        own.try_complete_else_watch(op, {1}, 1h);
        op->force_complete();
        most = std::max(most, own.watched());
    }
    EXPECT_LE(most, 4 * open + 2);
    EXPECT_GE(own.watched(), 2 * open);
    own.purge();
    EXPECT_EQ(own.watched(), 2 * open);
    EXPECT_EQ(own.delayed(), open);
}

TEST_F(purgatory, an_expired_operation_is_swept_too) {
    delayed_operations<int> own(timers, {.purge_threshold = 10});
    const int before = waiting_operation::alive;
    for (int i = 0; i < 1000; ++i) own.try_complete_else_watch(operation(), {i, -i - 1}, 5ms);
    EXPECT_EQ(own.watched(), 2000U);
    go(5ms);
    EXPECT_LE(own.watched(), 12U);
    EXPECT_LE(waiting_operation::alive - before, 6);
}

// ---- cancel and destruction ---------------------------------------------------------------------

TEST_F(purgatory, cancel_for_key_returns_the_open_operations_and_nothing_completes_them_any_more) {
    bool met = false;
    const auto open = operation([&] { return met; });
    const auto done = operation();
    const auto other = operation([&] { return met; });
    waiting.try_complete_else_watch(open, {"a", "b"}, 30ms);
    waiting.try_complete_else_watch(done, {"a"}, 30ms);
    waiting.try_complete_else_watch(other, {"b"}, 1h);
    done->force_complete();
    EXPECT_THAT(waiting.cancel_for_key("a"),
                testing::ElementsAre(std::shared_ptr<delayed_operation>(open)));
    EXPECT_EQ(waiting.delayed(), 1U);
    EXPECT_TRUE(waiting.cancel_for_key("a").empty());
    met = true;
    EXPECT_EQ(waiting.check_and_complete("a"), 0U);
    EXPECT_EQ(waiting.check_and_complete("b"), 1U) << "the other one";
    go(60ms);
    EXPECT_FALSE(open->completed());
    EXPECT_EQ(open->completions + open->expirations, 0);
    EXPECT_EQ(waiting.watched(), 0U);
    EXPECT_TRUE(open->force_complete()) << "its owner still may";
    EXPECT_EQ(open->completions, 1);
}

TEST_F(purgatory, a_try_that_a_cancel_overtakes_does_not_complete_what_the_cancel_returned) {
    bool overtaken = false;
    std::size_t cancelled = 0;
    const auto op = operation([&] {
        if (overtaken) cancelled += waiting.cancel_for_key("a").size();
        return overtaken;
    });
    waiting.try_complete_else_watch(op, {"a", "b"}, 30ms);
    overtaken = true;
    EXPECT_EQ(waiting.check_and_complete("b"), 0U);
    EXPECT_EQ(cancelled, 1U);
    EXPECT_EQ(op->completions, 0);
    EXPECT_TRUE(op->force_complete());
}

TEST_F(purgatory, destruction_drops_what_is_open_with_its_timers) {
    const auto op = operation();
    {
        delayed_operations<int> own(timers);
        own.try_complete_else_watch(op, {1, 2, 3}, 30ms);
    }
    EXPECT_EQ(op.use_count(), 1);
    EXPECT_EQ(timers.metrics().pending, 0U);
    go(60ms);
    EXPECT_FALSE(op->completed());
    EXPECT_TRUE(op->force_complete());
}

// ---- the service --------------------------------------------------------------------------------

TEST_F(purgatory, when_the_service_has_stopped_checks_complete_and_nothing_expires) {
    bool met = false;
    const auto before = operation([&] { return met; });
    const auto after = operation([&] { return met; });
    const auto never = operation();
    waiting.try_complete_else_watch(before, {"a"}, 30ms);
    waiting.try_complete_else_watch(never, {"b"}, 30ms);
    timers.stop();
    EXPECT_EQ(waiting.delayed(), 0U);
    EXPECT_FALSE(waiting.try_complete_else_watch(after, {"a"}, 30ms));
    EXPECT_EQ(waiting.delayed(), 0U);
    EXPECT_EQ(waiting.watched(), 3U);
    met = true;
    EXPECT_EQ(waiting.check_and_complete("a"), 2U);
    go(60ms);
    EXPECT_EQ(before->completions + after->completions, 2);
    EXPECT_FALSE(never->completed());
    EXPECT_TRUE(never->force_complete());
}

// Lets a test act while a timer is being made, which reads the clock.
class acting_clock final : public service_clock {
public:
    [[nodiscard]] std::chrono::nanoseconds steady() const noexcept override {
        if (const auto act = std::exchange(once, nullptr)) act();
        return 1s;
    }
    [[nodiscard]] std::chrono::nanoseconds wall() const noexcept override { return 1s; }

    mutable std::function<void()> once;
};

TEST(purgatory_timeout, an_operation_completed_while_its_timer_is_being_made_leaves_no_timer) {
    const acting_clock clock;
    timer_service timers(driven_by(clock));
    delayed_operations<int> waiting(timers);
    const auto op = std::make_shared<waiting_operation>();
    clock.once = [&] {
        EXPECT_EQ(waiting.delayed(), 1U);
        EXPECT_TRUE(op->force_complete());
    };
    EXPECT_FALSE(waiting.try_complete_else_watch(op, {1}, 30ms));
    EXPECT_EQ(op->completions, 1);
    EXPECT_EQ(waiting.delayed(), 0U);
    EXPECT_EQ(timers.metrics().pending, 0U);
    EXPECT_EQ(timers.metrics().cancelled, 1U);
}

// Takes nothing while it is full; runs a job at once else.
class full_executor final : public executor {
public:
    [[nodiscard]] bool try_submit(const job& j) override {
        if (full) return false;
        j();
        return true;
    }
    bool full = true;
};

TEST_F(purgatory, a_timeout_that_the_service_had_no_room_for_comes_again) {
    for (const overload policy : {overload::reject, overload::shed}) {
        const auto room = std::make_shared<full_executor>();
        service_options o = driven_by(clock);
        o.executor = room;
        o.when_full = policy;
        timer_service busy(o);
        delayed_operations<int> own(busy, {.retry_after = 10ms});
        const auto op = operation();
        own.try_complete_else_watch(op, {1}, 30ms);
        const auto pass = [&](std::chrono::milliseconds by) {
            for (auto t = 0ms; t < by; t += 1ms) {
                clock.advance(1ms);
                busy.poll();
            }
        };
        pass(50ms);
        EXPECT_GE(busy.metrics().rejected, 2U);
        EXPECT_EQ(own.delayed(), 1U);
        EXPECT_FALSE(op->completed());
        room->full = false;
        pass(10ms);
        EXPECT_EQ(op->expirations, 1);
        EXPECT_EQ(own.delayed(), 0U);
        EXPECT_EQ(busy.metrics().pending, 0U);
    }
}

// ---- errors -------------------------------------------------------------------------------------

TEST_F(purgatory, when_a_completion_throws_the_others_are_tried_before_the_check_throws) {
    bool met = false;
    std::vector<std::shared_ptr<waiting_operation>> all;
    for (int i = 0; i < 3; ++i) {
        all.push_back(operation([&] { return met; }));
        waiting.try_complete_else_watch(all.back(), {"a"}, 30ms);
    }
    all[0]->then = [] { throw std::runtime_error("first"); };
    all[1]->then = [] { throw std::logic_error("second"); };
    met = true;
    EXPECT_THROW(waiting.check_and_complete("a"), std::runtime_error);
    for (const auto& op : all) EXPECT_EQ(op->completions, 1);
    EXPECT_EQ(waiting.watched(), 0U);
    EXPECT_EQ(waiting.delayed(), 0U);
}

TEST_F(purgatory, an_operation_whose_look_throws_stays_and_may_complete_later) {
    bool bad = false;
    bool met = false;
    const auto op = operation([&] {
        if (bad) throw std::runtime_error("x");
        return met;
    });
    waiting.try_complete_else_watch(op, {"a"}, 30ms);
    bad = true;
    EXPECT_THROW(waiting.check_and_complete("a"), std::runtime_error);
    EXPECT_EQ(waiting.watched(), 1U);
    bad = false;
    met = true;
    EXPECT_EQ(waiting.check_and_complete("a"), 1U);
}

TEST_F(purgatory, an_operation_that_throws_while_it_is_given_away_is_not_watched) {
    for (const int bad_look : {1, 2}) {
        int looks = 0;
        const auto op = operation([&] {
            if (++looks == bad_look) throw std::runtime_error("x");
            return false;
        });
        EXPECT_THROW(waiting.try_complete_else_watch(op, {"a"}, 30ms), std::runtime_error);
        EXPECT_EQ(waiting.check_and_complete("a"), 0U);
        EXPECT_EQ(looks, bad_look);
        EXPECT_EQ(waiting.watched(), 0U);
        EXPECT_EQ(waiting.delayed(), 0U);
        EXPECT_EQ(timers.metrics().scheduled, 0U);
    }
}

TEST_F(purgatory, what_an_expiration_throws_is_told_to_the_service) {
    int failures = 0;
    service_options o = driven_by(clock);
    o.on_failure = [&](const std::exception_ptr&) { ++failures; };
    timer_service own(o);
    delayed_operations<int> here(own);
    const auto op = operation();
    op->then = [] { throw std::runtime_error("x"); };
    here.try_complete_else_watch(op, {1}, 5ms);
    clock.advance(5ms);
    own.poll();
    EXPECT_EQ(failures, 1);
    EXPECT_TRUE(op->completed());
    EXPECT_EQ(op->expirations, 0) << "on_complete did not return";
    EXPECT_EQ(here.delayed(), 0U);
}

TEST_F(purgatory, options_out_of_range_are_named) {
    const auto message = [&](const delayed_operations_options& o) -> std::string {
        try {
            const delayed_operations<int> own(timers, o);
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_THAT(message({.parts = 0}), testing::HasSubstr("parts"));
    EXPECT_THAT(message({.purge_threshold = ~std::size_t{0}}),
                testing::HasSubstr("purge_threshold"));
    EXPECT_THAT(message({.retry_after = 0ms}), testing::HasSubstr("retry_after"));
    EXPECT_EQ(message({.parts = 1, .purge_threshold = 0}), "");
}

class wrong_operation final : public delayed_operation {
    bool try_complete() override { return true; }
    void on_complete() override {}
};

using purgatory_death_test = purgatory;

TEST_F(purgatory_death_test, broken_preconditions_end_the_process) {
    const strings none;
    EXPECT_DEATH(
        waiting.try_complete_else_watch(operation(), std::span<const std::string>(none), 1s),
        "no key");
    const auto op = operation();
    waiting.try_complete_else_watch(op, {"a"}, 1s);
    EXPECT_DEATH(waiting.try_complete_else_watch(op, {"a"}, 1s), "twice");
    EXPECT_DEATH(waiting.try_complete_else_watch(std::make_shared<wrong_operation>(), {"a"}, 1s),
                 "nobody has completed it");
}

}  // namespace
}  // namespace foliot
