// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Sets that are repeated with a key, and the ends of timers that are kept for them and for GET.
#include "engine/fingerprint.hpp"
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"
#include "support/store/fault_store.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;

set_timer keyed(std::string key = "k", after delay = {1h}) {
    set_timer c{"n", "x", "q", delay, "1", {}, {}};
    c.key = std::move(key);
    return c;
}

struct retries : testing::Test {
    std::unique_ptr<store::due_store> store = store::make_memory_store();
    engine_world w{*store};

    void expect_same(const timer_set& first) {
        const auto again = w.ask<timer_set>(keyed());
        EXPECT_EQ(again.generation, first.generation);
        EXPECT_EQ(again.previous, first.previous);
        EXPECT_EQ(again.due_ms, first.due_ms);
        EXPECT_TRUE(again.changed);
    }
    delivery deliver() {
        w.pass(1h);
        return w.lease().at(0);
    }
};

TEST_F(retries, one_hundred_retries_make_one_timer_and_get_one_answer) {
    const auto first = w.ask<timer_set>(keyed());
    for (int i = 0; i < 100; ++i) {
        if (i % 10 == 3) w.restart();
        if (i % 10 == 7) w.reboot();
        w.pass(1s);
        expect_same(first);
    }
    EXPECT_EQ(w.stats().pending, 1u);
}

TEST_F(retries, retries_at_the_same_time_get_one_answer_when_the_first_is_durable) {
    w.hold_io = true;
    std::vector<request_id> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(w.send(keyed()));
    w.settle();
    for (const auto id : ids) EXPECT_FALSE(w.answered(id));
    w.hold_io = false;
    w.settle();
    const auto first = w.take<timer_set>(ids.front());
    EXPECT_FALSE(first.previous);
    for (std::size_t i = 1; i < ids.size(); ++i) {
        const auto again = w.take<timer_set>(ids[i]);
        EXPECT_EQ(again.generation, first.generation);
        EXPECT_FALSE(again.previous);
    }
    EXPECT_EQ(w.stats().set_total, 1u);
}

TEST_F(retries, a_retry_of_a_replacing_set_is_told_what_it_replaced) {
    const auto old = w.set("x", after{2h});
    const auto first = w.ask<timer_set>(keyed());
    EXPECT_EQ(first.previous, old.generation);
    expect_same(first);
    w.restart();
    expect_same(first);
}

TEST_F(retries, an_answer_stays_the_same_when_the_wall_clock_was_stepped) {
    const auto first = w.ask<timer_set>(keyed());
    w.step_wall(10min);
    w.settle();
    expect_same(first);
}

TEST_F(retries, a_retry_after_the_ack_is_answered_and_sets_nothing) {
    const auto first = w.ask<timer_set>(keyed());
    const auto given = deliver();
    expect_same(first);  // while it is out
    EXPECT_EQ(w.ack(given), settle_outcome::acked);
    expect_same(first);
    w.restart();
    expect_same(first);
    EXPECT_EQ(w.stats().pending, 0u);
    EXPECT_EQ(w.stats().retained, 1u);
    w.pass(9min);
    EXPECT_TRUE(w.lease().empty());
    expect_same(first);
    w.pass(1min);
    EXPECT_EQ(w.stats().retained, 0u);
    EXPECT_EQ(w.stats().in_memory, 0u);
    EXPECT_GT(w.ask<timer_set>(keyed()).generation, first.generation);
}

TEST_F(retries, a_retry_after_a_cancel_is_answered_and_sets_nothing) {
    for (const auto delay : {after{1h}, after{30 * 24h}}) {
        const auto first = w.ask<timer_set>(keyed("k", delay));
        EXPECT_EQ(w.cancel("x"), cancel_outcome::cancelled);
        const auto again = w.ask<timer_set>(keyed("k", delay));
        EXPECT_EQ(again.generation, first.generation);
        EXPECT_EQ(again.due_ms, first.due_ms);
        EXPECT_EQ(w.cancel("x"), cancel_outcome::gone);
        EXPECT_EQ(w.stats().pending, 0u);
        w.pass(11min);
        EXPECT_FALSE(w.get("x"));
    }
}

TEST_F(retries, a_retry_of_a_dead_timer_is_answered_and_its_cancel_is_kept) {
    options o;
    o.retry_max_attempts = 1;
    engine_world small{*store, o};
    const auto first = small.ask<timer_set>(keyed());
    small.pass(1h);
    small.settle_token(settlement::nack, small.lease().at(0));
    EXPECT_EQ(small.get("x")->state, timer_state::dead);
    EXPECT_EQ(small.ask<timer_set>(keyed()).generation, first.generation);
    EXPECT_EQ(small.cancel("x"), cancel_outcome::cancelled);
    EXPECT_EQ(small.get("x")->state, timer_state::cancelled);
    EXPECT_EQ(small.stats().dead, 0u);
    EXPECT_EQ(small.stats().retained, 1u);
    EXPECT_EQ(small.ask<timer_set>(keyed()).generation, first.generation);
}

TEST_F(retries, a_key_that_comes_with_another_set_is_an_error_that_changes_nothing) {
    const auto first = w.ask<timer_set>(keyed());
    auto other = keyed();
    other.payload = "2";
    EXPECT_EQ(w.ask<failure>(other).code, failure_code::key_reused);
    EXPECT_EQ(w.ask<failure>(keyed("k", {2h})).code, failure_code::key_reused);
    w.cancel("x");
    EXPECT_EQ(w.ask<failure>(other).code, failure_code::key_reused);
    EXPECT_EQ(w.get("x")->generation, first.generation);
}

TEST_F(retries, the_key_comes_before_the_condition) {
    auto c = keyed();
    c.mode = set_mode::create;
    c.require = {precondition::kind::absent, {}};
    const auto first = w.ask<timer_set>(c);
    EXPECT_EQ(w.ask<timer_set>(c).generation, first.generation);
}

TEST_F(retries, another_key_or_none_sets_anew) {
    const auto first = w.ask<timer_set>(keyed());
    const auto second = w.ask<timer_set>(keyed("other"));
    EXPECT_EQ(second.previous, first.generation);
    w.cancel("x");
    const auto third = w.set("x", after{1h});
    EXPECT_FALSE(third.previous);
    EXPECT_EQ(w.stats().retained, 0u);
    EXPECT_EQ(w.stats().pending, 1u);
    EXPECT_EQ(w.get("x")->state, timer_state::pending);
}

TEST_F(retries, lost_answers_and_a_failing_store_leave_one_timer) {
    fault_store faulty{*store};
    engine_world world{faulty};
    faulty.fail_after(store_call::commit, store::store_code::unavailable, 1);
    EXPECT_EQ(world.ask<failure>(keyed()).code, failure_code::store_unavailable);
    world.pass(1s);
    const auto first = world.ask<timer_set>(keyed());
    EXPECT_FALSE(first.previous);
    for (int i = 0; i < 100; ++i) {
        const auto id = world.send(keyed());
        if (i % 3 == 0) {  // nobody hears the answer
            world.restart();
            continue;
        }
        world.settle();
        EXPECT_EQ(world.take<timer_set>(id).generation, first.generation);
    }
    EXPECT_EQ(world.stats().pending, 1u);
}

struct retained : retries {
    timer_set set(std::chrono::milliseconds retain, after delay = {1h}) {
        set_timer c{"n", "x", "q", delay, "\"payload\"", {}, {}};
        c.retain = retain;
        return w.ask<timer_set>(c);
    }
};

TEST_F(retained, the_end_of_a_timer_is_shown_for_as_long_as_was_asked) {
    const auto first = set(20min);
    const auto given = deliver();
    w.pass(5s);
    const tick at = w.wall_ms();
    EXPECT_EQ(w.ack(given), settle_outcome::acked);
    for (int i = 0; i < 2; ++i) {
        const auto seen = w.get("x");
        ASSERT_TRUE(seen);
        EXPECT_EQ(seen->state, timer_state::acked);
        EXPECT_EQ(seen->generation, first.generation);
        EXPECT_EQ(seen->ended_ms, at);
        EXPECT_EQ(seen->due_ms, first.due_ms);
        EXPECT_EQ(seen->attempt, 1u);
        EXPECT_EQ(seen->payload, "");
        w.restart();
    }
    w.pass(20min - 1ms);
    EXPECT_TRUE(w.get("x"));
    w.pass(1ms);
    EXPECT_FALSE(w.get("x"));
    EXPECT_EQ(w.stats().retained, 0u);
}

TEST_F(retained, an_end_that_is_kept_for_long_lies_on_disk) {
    set(30 * 24h);
    EXPECT_EQ(w.cancel("x"), cancel_outcome::cancelled);
    EXPECT_EQ(w.stats().in_memory, 0u);
    EXPECT_EQ(w.stats().retained, 1u);
    EXPECT_EQ(w.get("x")->state, timer_state::cancelled);
    w.restart();
    EXPECT_EQ(w.get("x")->state, timer_state::cancelled);
    EXPECT_EQ(w.stats().retained, 1u);
    w.pass_in_steps(30 * 24h + 1s);
    EXPECT_FALSE(w.get("x"));
    EXPECT_EQ(w.stats().retained, 0u);
    EXPECT_EQ(w.stats().fired_total, 0u);
}

TEST_F(retained, nothing_is_kept_where_nothing_or_zero_was_asked) {
    w.set("x", after{1h});
    w.cancel("x");
    EXPECT_FALSE(w.get("x"));
    auto c = keyed();
    c.retain = 0ms;
    w.ask<timer_set>(c);
    w.cancel("x");
    EXPECT_FALSE(w.get("x"));
    EXPECT_EQ(w.stats().retained, 0u);
}

TEST_F(retained, a_repeated_ack_is_answered_as_the_first_one_was) {
    set(20min);
    const auto given = deliver();
    EXPECT_EQ(w.ack(given), settle_outcome::acked);
    EXPECT_EQ(w.ack(given), settle_outcome::acked);
    EXPECT_EQ(w.stats().acked_total, 1u);
    EXPECT_EQ(w.settle_token(settlement::nack, given), settle_outcome::unknown);
    EXPECT_EQ(w.settle_token(settlement::extend, given), settle_outcome::unknown);
    auto other = given;
    other.token.attempt = 2;
    EXPECT_EQ(w.ack(other), settle_outcome::unknown);
}

TEST_F(retained, an_end_whose_commit_was_not_confirmed_does_not_take_up_its_old_lease) {
    fault_store faulty{*store};
    engine_world world{faulty};
    set_timer c{"n", "x", "q", after{1s}, "1", {}, {}};
    c.retain = 10min;  // near, so that it is loaded at once
    world.ask<timer_set>(c);
    world.pass(1s);
    const auto given = world.lease().at(0);
    faulty.fail_after(store_call::commit, store::store_code::unavailable, 1);
    EXPECT_EQ(world.ask<failure>(settle{"n", "q", settlement::ack, {given.token}, {}}).code,
              failure_code::store_unavailable);
    world.pass_in_steps(5min);  // past the lease and any back-off
    EXPECT_EQ(world.get("x")->state, timer_state::acked);
    EXPECT_EQ(world.stats().in_flight, 0u);
    EXPECT_EQ(world.stats().expired_leases_total, 0u);
    EXPECT_EQ(world.ack(given), settle_outcome::acked);
}

TEST_F(retained, an_ended_timer_is_none_for_sets_cancels_and_lists) {
    const auto first = set(20min);
    w.cancel("x");
    EXPECT_TRUE(w.list_ids().empty());
    EXPECT_EQ(w.cancel("x"), cancel_outcome::gone);
    const precondition there{precondition::kind::generation, first.generation};
    EXPECT_EQ(w.ask<failure>(cancel_timer{"n", "x", there}).code,
              failure_code::precondition_failed);
    set_timer c{"n", "x", "q", after{1h}, "2", {}, {precondition::kind::absent, {}}};
    const auto fresh = w.ask<timer_set>(c);
    EXPECT_FALSE(fresh.previous);
    EXPECT_EQ(w.stats().retained, 0u);
    EXPECT_EQ(w.list_ids(), std::vector<std::string>{"x"});
    w.pass(20min);
    EXPECT_EQ(w.get("x")->generation, fresh.generation);
}

TEST_F(retained, a_cancel_in_flight_is_kept_and_the_consumer_is_told) {
    set(20min);
    const auto given = deliver();
    EXPECT_EQ(w.cancel("x"), cancel_outcome::in_flight);
    EXPECT_EQ(w.ack(given), settle_outcome::unknown);
    EXPECT_EQ(w.get("x")->state, timer_state::cancelled);
    w.pass(20min);
    EXPECT_TRUE(w.lease().empty());
    EXPECT_FALSE(w.get("x"));
}

TEST_F(retained, thousands_of_ends_in_a_small_memory_all_go) {
    options o;
    o.window_max_timers = 100;
    o.load_rows = 64;
    engine_world small{*store, o};
    for (int i = 0; i < 1000; ++i) {
        set_timer c{"n", std::to_string(i), "q", after{1h}, "1", {}, {}};
        c.retain = std::chrono::minutes{1 + i % 50};
        small.ask<timer_set>(c);
        small.cancel(std::to_string(i));
    }
    EXPECT_EQ(small.stats().retained, 1000u);
    EXPECT_LE(small.stats().in_memory, 125u);
    small.restart();
    EXPECT_EQ(small.stats().retained, 1000u);
    small.pass_in_steps(51min);
    EXPECT_EQ(small.stats().retained, 0u);
    EXPECT_EQ(small.stats().in_memory, 0u);
    EXPECT_EQ(small.stats().fired_total, 0u);
    EXPECT_FALSE(small.get("500"));
}

TEST_F(retained, the_self_check_counts_ends_apart_from_timers) {
    options o;
    o.check_interval = 1min;
    engine_world checked{*store, o};
    for (int i = 0; i < 20; ++i) {
        set_timer c{"n", std::to_string(i), "q", after{1h}, "1", {}, {}};
        c.retain = i % 2 == 0 ? 10min : 2h;
        checked.ask<timer_set>(c);
        if (i < 10) checked.cancel(std::to_string(i));
    }
    checked.pass_in_steps(5min);
    EXPECT_GT(checked.stats().checks_total, 0u);
    EXPECT_EQ(checked.stats().disagreements, 0u) << checked.stats().first_disagreement;
    EXPECT_EQ(checked.stats().retained, 10u);
    EXPECT_EQ(checked.stats().pending, 10u);
}

TEST(fingerprint, is_the_same_for_ever) {
    set_timer c{"n", "x", "q", after{1h}, "{}", {}, {}};
    const auto first = fingerprint(c);
    EXPECT_EQ(first, 0x79498ca76ad88c9eU);
    c.ns = "other";
    c.id = "other";
    c.key = "other";
    EXPECT_EQ(fingerprint(c), first);
    c.when = at{{1'800'000'000'000}};
    c.kind = payload_kind::binary;
    c.mode = set_mode::extend;
    c.require = {precondition::kind::generation, {7}};
    c.retain = 5min;
    EXPECT_EQ(fingerprint(c), 0x2f0b35cab416161eU);
}

TEST(fingerprint, differs_for_all_that_a_set_may_ask_for) {
    const set_timer c{"n", "x", "q", after{1h}, "{}", {}, {}};
    std::vector<set_timer> others(7, c);
    others[0].queue = "q2";
    others[1].when = after{2h};
    others[2].when = at{{3'600'000'000'000}};
    others[3].payload = "[]";
    others[4].mode = set_mode::create;
    others[5].require = {precondition::kind::absent, {}};
    others[6].retain = 0ms;
    for (const auto& other : others) EXPECT_NE(fingerprint(other), fingerprint(c));
}

}  // namespace
}  // namespace foliot::test
