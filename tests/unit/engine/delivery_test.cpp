// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"

#include <gtest/gtest.h>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;

struct delivery_test : testing::Test {
    std::unique_ptr<store::due_store> store = store::make_memory_store();
    engine_world w{*store};

    delivery only() {
        auto all = w.lease();
        EXPECT_EQ(all.size(), 1u);
        return all.at(0);
    }
};

TEST_F(delivery_test, timer_is_delivered_at_its_due_and_not_a_nanosecond_before) {
    w.pass(300us);
    w.set("x", after{2s}, "{\"cart\":7}");
    w.pass(2s);
    EXPECT_TRUE(
        w.lease().empty());  // set at .3 ms: the delay is over at .3 ms, the tick is at 1 ms
    w.pass(699'999ns);
    EXPECT_TRUE(w.lease().empty());
    w.pass(1ns);
    const auto d = only();
    EXPECT_EQ(d.token.id, "x");
    EXPECT_EQ(d.payload, "{\"cart\":7}");
    EXPECT_EQ(d.token.attempt, 1u);
    EXPECT_EQ(d.lateness, 0ns);
    EXPECT_EQ(w.ack(d), settle_outcome::acked);
    EXPECT_EQ(w.ack(d), settle_outcome::unknown);
    EXPECT_EQ(w.stats().pending, 0u);
}

TEST_F(delivery_test, waiting_consumer_is_answered_in_the_step_of_the_due) {
    w.set("x", after{2s});
    const auto poll = w.send(lease_timers{"n", "q", 10, 20s, 30s});
    w.settle();
    w.pass_in_steps(2s - 1ns);
    EXPECT_FALSE(w.answered(poll));
    w.pass(1ns);
    EXPECT_EQ(w.take<deliveries>(poll).items.size(), 1u);
}

TEST_F(delivery_test, waiting_consumer_is_told_nothing_when_its_wait_is_over) {
    const auto poll = w.send(lease_timers{"n", "q", 10, 20s, 30s});
    w.pass_in_steps(20s - 1ms);
    EXPECT_FALSE(w.answered(poll));
    w.pass_in_steps(2ms);
    EXPECT_TRUE(w.take<deliveries>(poll).items.empty());
}

TEST_F(delivery_test, consumer_that_went_away_gets_nothing) {
    const auto gone = w.send(lease_timers{"n", "q", 10, 20s, 30s});
    w.settle();
    w.give(abandon{gone});
    w.set("x", after{1s});
    w.pass(1s);
    EXPECT_FALSE(w.answered(gone));
    EXPECT_EQ(w.lease().size(), 1u);
}

TEST_F(delivery_test, dues_now_and_a_moment_ago_are_delivered_at_once) {
    const tick now = w.wall_ms();
    w.set_at("a", tick{now.count - 1});
    w.set_at("b", now);
    w.set_at("c", tick{now.count + 1});
    w.set_at("d", tick{0});
    EXPECT_EQ(w.lease().size(), 3u);
    w.pass(1ms);
    EXPECT_EQ(only().token.id, "c");
}

TEST_F(delivery_test, one_timer_has_one_live_lease) {
    w.set("x", after{0ns});
    const auto d = only();
    EXPECT_TRUE(w.lease().empty());
    w.pass(29s);
    EXPECT_TRUE(w.lease().empty());
    EXPECT_EQ(w.get("x")->state, timer_state::in_flight);
    EXPECT_EQ(w.ack(d), settle_outcome::acked);
}

TEST_F(delivery_test, expired_lease_is_delivered_again_after_the_backoff) {
    const options o;
    w.set("x", after{0ns});
    const auto first = only();
    w.pass_in_steps(30s);
    EXPECT_TRUE(w.lease().empty());
    EXPECT_EQ(w.ack(first), settle_outcome::stale);
    w.pass_in_steps(o.retry_min_backoff - 2ms);
    EXPECT_TRUE(w.lease().empty());
    w.pass_in_steps(o.retry_min_backoff);
    const auto second = only();
    EXPECT_EQ(second.token.attempt, 2u);
    EXPECT_EQ(second.token.generation, first.token.generation);
    EXPECT_EQ(w.ack(first), settle_outcome::stale);
    EXPECT_EQ(w.ack(second), settle_outcome::acked);
}

TEST_F(delivery_test, nack_delivers_again_after_its_delay) {
    w.set("x", after{0ns});
    const auto first = only();
    EXPECT_EQ(w.settle_token(settlement::nack, first, 5s), settle_outcome::nacked);
    EXPECT_EQ(w.ack(first), settle_outcome::stale);
    w.pass_in_steps(5s - 1ms);
    EXPECT_TRUE(w.lease().empty());
    w.pass(1ms);
    EXPECT_EQ(only().token.attempt, 2u);
}

TEST_F(delivery_test, nack_for_a_month_waits_on_disk) {
    w.set("x", after{0ns});
    EXPECT_EQ(w.settle_token(settlement::nack, only(), 30 * 24h), settle_outcome::nacked);
    EXPECT_EQ(w.stats().in_memory, 0u);
    EXPECT_EQ(w.get("x")->state, timer_state::pending);
    w.pass_in_steps(30 * 24h);
    EXPECT_EQ(only().token.attempt, 2u);
}

TEST_F(delivery_test, attempts_survive_a_restart) {
    w.set("x", after{0ns});
    w.settle_token(settlement::nack, only(), 0s);
    w.restart();
    EXPECT_EQ(only().token.attempt, 2u);
}

TEST_F(delivery_test, extend_keeps_the_lease_alive) {
    w.set("x", after{0ns});
    const auto d = only();
    w.pass(29s);
    EXPECT_EQ(w.settle_token(settlement::extend, d, {}, 60s), settle_outcome::extended);
    w.pass_in_steps(59s);
    EXPECT_TRUE(w.lease().empty());
    EXPECT_EQ(w.ack(d), settle_outcome::acked);
}

TEST_F(delivery_test, long_due_and_short_lease_give_one_delivery) {
    w.set("x", after{6h});
    std::size_t seen = 0;
    for (int i = 0; i < 7 * 60; ++i) {
        w.pass_in_steps(1min);
        for (const auto& d : w.lease(10, 30s)) {
            ++seen;
            EXPECT_EQ(w.ack(d), settle_outcome::acked);
        }
    }
    EXPECT_EQ(seen, 1u);
}

TEST_F(delivery_test, cancel_of_a_delivered_timer_says_in_flight_and_forbids_retries) {
    w.set("x", after{0ns});
    const auto d = only();
    EXPECT_EQ(w.cancel("x"), cancel_outcome::in_flight);
    w.pass_in_steps(10min);
    EXPECT_TRUE(w.lease().empty());
    EXPECT_EQ(w.ack(d), settle_outcome::unknown);
}

TEST_F(delivery_test, token_of_an_older_generation_never_touches_the_new_timer) {
    w.set("x", after{0ns});
    const auto old = only();
    w.cancel("x");
    const auto fresh = w.set("x", after{1h});
    EXPECT_EQ(w.ack(old), settle_outcome::stale);
    EXPECT_EQ(w.settle_token(settlement::nack, old), settle_outcome::stale);
    EXPECT_EQ(w.settle_token(settlement::extend, old), settle_outcome::stale);
    EXPECT_EQ(w.get("x")->generation, fresh.generation);
    EXPECT_EQ(w.get("x")->state, timer_state::pending);
}

TEST_F(delivery_test, ack_from_before_a_restart_counts_unless_leased_again) {
    w.set("x", after{0ns});
    w.set("y", after{0ns});
    const auto before = w.lease();
    ASSERT_EQ(before.size(), 2u);
    w.restart();
    EXPECT_EQ(w.ack(before[0]), settle_outcome::acked);
    const auto again = only();
    EXPECT_EQ(again.token.id, before[1].token.id);
    EXPECT_EQ(w.ack(before[1]), settle_outcome::stale);
    EXPECT_EQ(w.ack(again), settle_outcome::acked);
}

TEST_F(delivery_test, last_attempt_makes_a_dead_letter_that_can_be_read_and_replaced) {
    options o;
    o.retry_max_attempts = 2;
    engine_world two{*store, o};
    two.set("x", after{0ns});
    for (std::uint32_t attempt = 1; attempt <= 2; ++attempt) {
        two.pass_in_steps(1min);
        const auto d = two.lease();
        ASSERT_EQ(d.size(), 1u);
        EXPECT_EQ(d[0].token.attempt, attempt);
        two.settle_token(settlement::nack, d[0]);
    }
    two.pass_in_steps(1h);
    EXPECT_TRUE(two.lease().empty());
    EXPECT_EQ(two.get("x")->state, timer_state::dead);
    EXPECT_EQ(two.stats().dead, 1u);
    EXPECT_EQ(two.stats().pending, 0u);
    EXPECT_EQ(two.ask<timer_page>(list_dead{"n", "q", 10, {}}).timers.size(), 1u);
    two.restart();
    EXPECT_EQ(two.get("x")->state, timer_state::dead);
    EXPECT_TRUE(two.set("x", after{1s}).previous);
    EXPECT_EQ(two.stats().dead, 0u);
}

TEST_F(delivery_test, deliveries_stop_at_the_bytes_of_one_reply) {
    options o;
    o.reply_bytes = 250;
    engine_world small{*store, o};
    for (int i = 0; i < 10; ++i) small.set(std::to_string(i), after{0ns}, std::string(99, '7'));
    EXPECT_EQ(small.lease(10).size(), 3u);
}

TEST_F(delivery_test, live_leases_are_bounded_and_consumers_wait) {
    options o;
    o.max_in_flight = 2;
    engine_world small{*store, o};
    for (int i = 0; i < 3; ++i) small.set(std::to_string(i), after{0ns});
    const auto two = small.lease();
    EXPECT_EQ(two.size(), 2u);
    const auto poll = small.send(lease_timers{"n", "q", 10, 20s, 30s});
    small.settle();
    EXPECT_FALSE(small.answered(poll));
    small.ack(two[0]);
    EXPECT_EQ(small.take<deliveries>(poll).items.size(), 1u);
}

TEST_F(delivery_test, queues_of_other_names_and_namespaces_are_apart) {
    w.set("x", after{0ns});
    EXPECT_TRUE(w.ask<deliveries>(lease_timers{"n", "other", 1, 0ms, 30s}).items.empty());
    EXPECT_TRUE(w.ask<deliveries>(lease_timers{"m", "q", 1, 0ms, 30s}).items.empty());
    const auto d = only();
    EXPECT_EQ(w.ask<settled>(settle{"n", "other", settlement::ack, {d.token}, {}, {}}).outcomes[0],
              settle_outcome::stale);
    EXPECT_EQ(w.stats().queues.size(), 1u);
}

}  // namespace
}  // namespace foliot::test
