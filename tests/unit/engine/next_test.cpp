// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Acks that set what comes next.
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;

struct ack_with_next : testing::Test {
    std::unique_ptr<store::due_store> store = store::make_memory_store();
    engine_world w{*store};

    delivery deliver(std::chrono::nanoseconds wait = 1s) {
        w.pass(wait);
        return w.lease().at(0);
    }
    static settle ack(const delivery& d, next_timer next) {
        settle c{"n", "q", settlement::ack, {d.token}, {}};
        c.next.emplace_back(std::move(next));
        return c;
    }
};

TEST_F(ack_with_next, sets_the_same_id_again_with_what_it_carried) {
    const auto first = w.set("x", after{1s}, "\"work\"");
    const auto given = deliver();
    const auto done = w.ask<settled>(ack(given, {after{5min}}));
    EXPECT_EQ(done.outcomes.at(0), settle_outcome::acked);
    const auto& next = done.next.at(0).value();
    EXPECT_GT(next.generation, first.generation);
    EXPECT_EQ(next.previous, first.generation);
    EXPECT_EQ(next.due_ms.count, w.wall_ms().count + 300'000);
    EXPECT_EQ(w.stats().pending, 1u);
    w.pass(5min - 1ms);
    EXPECT_TRUE(w.lease().empty());
    const auto again = deliver(1ms);
    EXPECT_EQ(again.payload, "\"work\"");
    EXPECT_EQ(again.token.generation, next.generation);
    EXPECT_EQ(again.token.attempt, 1u);
}

TEST_F(ack_with_next, may_give_it_another_payload_queue_and_due) {
    w.set("x", after{1s}, "1");
    for (const auto delay : {after{10s}, after{30 * 24h}}) {
        const auto given = w.lease().empty() ? deliver() : delivery{};
        const auto done =
            w.ask<settled>(ack(given, {delay, "q", "\xff", payload_kind::binary, {}}));
        ASSERT_TRUE(done.next.at(0));
        EXPECT_EQ(w.get("x")->payload, "\xff");
        EXPECT_EQ(w.get("x")->kind, payload_kind::binary);
        w.set("x", after{1s}, "1");
    }
    const auto given = deliver();
    w.ask<settled>(ack(given, {at{{w.wall_ms().count + 1000}}, "other"}));
    EXPECT_EQ(w.get("x")->queue, "other");
}

TEST_F(ack_with_next, a_stale_token_sets_nothing) {
    w.set("x", after{1s});
    const auto given = deliver();
    const auto fresh = w.set("x", after{1h});
    const auto done = w.ask<settled>(ack(given, {after{5min}}));
    EXPECT_EQ(done.outcomes.at(0), settle_outcome::stale);
    EXPECT_TRUE(done.next.empty() || !done.next.at(0));
    EXPECT_EQ(w.get("x")->generation, fresh.generation);
    w.cancel("x");
    EXPECT_EQ(w.ask<settled>(ack(given, {after{5min}})).outcomes.at(0), settle_outcome::unknown);
    EXPECT_EQ(w.stats().pending, 0u);
}

TEST_F(ack_with_next, after_a_crash_both_happened_or_neither) {
    for (const bool committed : {false, true}) {
        const auto first = w.set("x", after{1s}, "1");
        const auto given = deliver();
        w.hold_io = true;
        w.send(ack(given, {after{5min}, {}, "2"}));
        w.settle();
        ASSERT_EQ(w.held.size(), 1u);
        if (committed) (void)w.execute(w.held.begin());
        w.hold_io = false;
        w.restart();
        const auto seen = w.get("x");
        ASSERT_TRUE(seen);
        EXPECT_EQ(seen->payload, committed ? "2" : "1");
        EXPECT_EQ(seen->generation == first.generation, !committed);
        EXPECT_EQ(w.stats().pending, 1u);
        // Repeated, it sets the next one once, and says so in both cases.
        const auto done = w.ask<settled>(ack(given, {after{5min}, {}, "2"}));
        EXPECT_EQ(done.outcomes.at(0), settle_outcome::acked);
        const auto& next = done.next.at(0).value();
        EXPECT_EQ(next.generation == seen->generation, committed);
        EXPECT_EQ(next.previous, first.generation);
        EXPECT_EQ(w.get("x")->generation, next.generation);
        EXPECT_EQ(w.stats().pending, 1u);
    }
}

TEST_F(ack_with_next, a_retry_of_the_set_that_began_a_chain_does_not_break_it) {
    set_timer c{"n", "x", "q", after{1s}, "1", {}, {}};
    c.key = "k";
    const auto first = w.ask<timer_set>(c);
    const auto done = w.ask<settled>(ack(deliver(), {after{1s}}));
    const auto again = w.ask<timer_set>(c);
    EXPECT_EQ(again.generation, first.generation);
    EXPECT_EQ(again.due_ms, first.due_ms);
    EXPECT_EQ(w.get("x")->generation, done.next.at(0)->generation);
}

TEST_F(ack_with_next, tokens_with_and_without_a_next_go_together) {
    w.set("a", after{1s});
    w.set("b", after{1s});
    w.pass(1s);
    const auto given = w.lease();
    ASSERT_EQ(given.size(), 2u);
    settle c{"n", "q", settlement::ack, {given[0].token, given[1].token}, {}};
    c.next.resize(2);
    c.next[1] = next_timer{after{5min}};
    const auto done = w.ask<settled>(c);
    EXPECT_FALSE(done.next.at(0));
    EXPECT_TRUE(done.next.at(1));
    EXPECT_EQ(w.stats().pending, 1u);
    EXPECT_EQ(w.list_ids(), std::vector<std::string>{given[1].token.id});
}

TEST_F(ack_with_next, a_chain_keeps_its_retention_and_ends_with_a_plain_ack) {
    set_timer c{"n", "x", "q", after{1s}, "1", {}, {}};
    c.retain = 1min;
    w.ask<timer_set>(c);
    for (int i = 0; i < 5; ++i) w.ask<settled>(ack(deliver(), {after{1s}}));
    EXPECT_EQ(w.ack(deliver()), settle_outcome::acked);
    EXPECT_EQ(w.get("x")->state, timer_state::acked);
    w.pass(1min);
    EXPECT_FALSE(w.get("x"));
    EXPECT_EQ(w.stats().pending + w.stats().retained + w.stats().in_memory, 0u);
}

}  // namespace
}  // namespace foliot::test
