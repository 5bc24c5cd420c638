// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"

#include <gtest/gtest.h>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;

struct changes : testing::Test {
    std::unique_ptr<store::due_store> store = store::make_memory_store();
    engine_world w{*store};
};

TEST_F(changes, set_is_answered_when_it_is_durable_and_not_before) {
    w.hold_io = true;
    const auto id = w.send(set_timer{"n", "x", "q", after{1s}, "7", {}, {}});
    w.settle();
    EXPECT_FALSE(w.answered(id));
    ASSERT_EQ(w.held.size(), 1u);
    w.run_io();
    w.settle();
    EXPECT_FALSE(w.take<timer_set>(id).previous.has_value());
}

TEST_F(changes, set_tells_the_due_and_rounds_the_delay_up) {
    w.pass(900us);
    EXPECT_EQ(w.set("x", after{1ms}).due_ms.count,
              static_cast<std::uint64_t>(engine_world::start_of_time / 1ms) + 2);
}

TEST_F(changes, replace_gives_a_greater_generation_and_the_old_one) {
    const auto first = w.set("x", after{1h});
    const auto second = w.set("x", after{2h});
    EXPECT_EQ(second.previous, first.generation);
    EXPECT_GT(second.generation, first.generation);
    EXPECT_EQ(w.stats().pending, 1u);
}

TEST_F(changes, generations_grow_over_deletes_and_restarts) {
    const auto first = w.set("x", after{1h});
    EXPECT_EQ(w.cancel("x"), cancel_outcome::cancelled);
    const auto second = w.set("x", after{1h});
    w.restart();
    const auto third = w.set("x", after{1h});
    EXPECT_GT(second.generation, first.generation);
    EXPECT_GT(third.generation, second.generation);
    EXPECT_EQ(third.previous, second.generation);
}

TEST_F(changes, create_only_refuses_where_a_timer_is) {
    const auto first = w.set("x", after{1h});
    const auto refused = w.ask<failure>(
        set_timer{"n", "x", "q", after{2h}, "1", {}, {precondition::kind::absent, {}}});
    EXPECT_EQ(refused.code, failure_code::precondition_failed);
    EXPECT_EQ(refused.generation, first.generation);
    EXPECT_EQ(w.get("x")->generation, first.generation);
}

TEST_F(changes, generation_condition_holds_for_set_and_cancel) {
    const auto first = w.set("x", after{1h});
    const precondition stale{precondition::kind::generation, {first.generation.value + 1}};
    const precondition right{precondition::kind::generation, first.generation};
    EXPECT_EQ(w.ask<failure>(set_timer{"n", "x", "q", after{2h}, "1", {}, stale}).code,
              failure_code::precondition_failed);
    EXPECT_EQ(w.ask<failure>(cancel_timer{"n", "x", stale}).code,
              failure_code::precondition_failed);
    EXPECT_EQ(w.ask<failure>(cancel_timer{"n", "other", right}).code,
              failure_code::precondition_failed);
    EXPECT_EQ(w.ask<timer_cancelled>(cancel_timer{"n", "x", right}).outcome,
              cancel_outcome::cancelled);
}

TEST_F(changes, cancelled_timer_is_gone_and_never_delivered) {
    w.set("x", after{1s});
    EXPECT_EQ(w.cancel("x"), cancel_outcome::cancelled);
    EXPECT_EQ(w.cancel("x"), cancel_outcome::gone);
    EXPECT_FALSE(w.get("x"));
    w.pass(2s);
    EXPECT_TRUE(w.lease().empty());
    EXPECT_EQ(w.stats().pending, 0u);
}

TEST_F(changes, far_timer_is_on_disk_only_and_still_found) {
    const auto far = w.set("x", after{30 * 24h}, "\"far\"");
    EXPECT_EQ(w.stats().in_memory, 0u);
    EXPECT_EQ(w.stats().pending, 1u);
    EXPECT_EQ(w.get("x")->payload, "\"far\"");
    EXPECT_EQ(w.stats().in_memory, 0u);
    EXPECT_EQ(w.set("x", after{40 * 24h}).previous, far.generation);
    EXPECT_EQ(w.set("x", after{1s}).due_ms.count, w.wall_ms().count + 1000);
    EXPECT_EQ(w.stats().pending, 1u);
    w.pass(1s);
    EXPECT_EQ(w.lease().size(), 1u);
}

TEST_F(changes, far_timer_is_cancelled_on_disk_at_once) {
    w.set("x", after{30 * 24h});
    EXPECT_EQ(w.cancel("x"), cancel_outcome::cancelled);
    w.restart();
    EXPECT_FALSE(w.get("x"));
    EXPECT_EQ(w.stats().pending, 0u);
}

TEST_F(changes, commands_on_one_id_in_one_step_take_effect_in_order) {
    for (const auto delay : {after{1h}, after{30 * 24h}}) {
        const auto a = w.send(set_timer{"n", "x", "q", delay, "1", {}, {}});
        const auto b = w.send(cancel_timer{"n", "x", {}});
        const auto c = w.send(get_timer{"n", "x"});
        const auto d =
            w.send(set_timer{"n", "x", "q", delay, "2", {}, {precondition::kind::absent, {}}});
        const auto e = w.send(get_timer{"n", "x"});
        const auto f = w.send(cancel_timer{"n", "x", {}});
        const auto g = w.send(cancel_timer{"n", "x", {}});
        w.settle();
        const auto first = w.take<timer_set>(a);
        EXPECT_EQ(w.take<timer_cancelled>(b).outcome, cancel_outcome::cancelled);
        EXPECT_EQ(w.take<failure>(c).code, failure_code::not_found);
        EXPECT_GT(w.take<timer_set>(d).generation, first.generation);
        EXPECT_EQ(w.take<timer_view>(e).payload, "2");
        EXPECT_EQ(w.take<timer_cancelled>(f).outcome, cancel_outcome::cancelled);
        EXPECT_EQ(w.take<timer_cancelled>(g).outcome, cancel_outcome::gone);
        EXPECT_EQ(w.stats().pending, 0u);
        EXPECT_EQ(w.stats().in_memory, 0u);
    }
}

TEST_F(changes, what_is_not_durable_is_not_shown) {
    w.hold_io = true;
    const auto set = w.send(set_timer{"n", "x", "q", after{1h}, "1", {}, {}});
    w.settle();
    const auto get = w.send(get_timer{"n", "x"});
    const auto refused =
        w.send(set_timer{"n", "x", "q", after{1h}, "2", {}, {precondition::kind::absent, {}}});
    w.settle();
    EXPECT_FALSE(w.answered(get));
    EXPECT_FALSE(w.answered(refused));
    w.run_io();
    w.settle();
    EXPECT_TRUE(w.answered(set));
    EXPECT_EQ(w.take<timer_view>(get).payload, "1");
    EXPECT_EQ(w.take<failure>(refused).code, failure_code::precondition_failed);
}

TEST_F(changes, cancel_in_flight_write_stops_the_timer_and_counts_add_up) {
    w.hold_io = true;
    const auto set = w.send(set_timer{"n", "x", "q", after{0ns}, "1", {}, {}});
    w.settle();
    const auto cancel = w.send(cancel_timer{"n", "x", {}});
    w.settle();
    w.hold_io = false;
    w.settle();
    EXPECT_TRUE(w.answered(set));
    EXPECT_EQ(w.take<timer_cancelled>(cancel).outcome, cancel_outcome::cancelled);
    w.pass(1s);
    EXPECT_TRUE(w.lease().empty());
    EXPECT_EQ(w.stats().pending, 0u);
    EXPECT_EQ(w.stats().in_memory, 0u);
}

TEST_F(changes, one_hundred_writers_of_one_id_win_one_after_the_other) {
    std::vector<request_id> ids;
    for (int i = 0; i < 100; ++i) {
        ids.push_back(w.send(set_timer{"n", "x", "q", after{1h}, std::to_string(i), {}, {}}));
    }
    w.settle();
    std::optional<sequence> previous;
    for (const auto id : ids) {
        const auto reply = w.take<timer_set>(id);
        EXPECT_EQ(reply.previous, previous);
        previous = reply.generation;
    }
    EXPECT_EQ(w.get("x")->payload, "99");
    EXPECT_EQ(w.stats().pending, 1u);
}

TEST_F(changes, too_many_waiting_changes_are_told_to_try_later) {
    options o;
    o.max_waiting_commands = 3;
    engine_world small{*store, o};
    small.hold_io = true;
    std::vector<request_id> ids;
    for (int i = 0; i < 4; ++i) {
        ids.push_back(small.send(set_timer{"n", std::to_string(i), "q", after{1h}, "", {}, {}}));
    }
    small.settle();
    const auto f = small.take<failure>(ids[3]);
    EXPECT_EQ(f.code, failure_code::overloaded);
    EXPECT_EQ(f.limit_name, "limits.waiting_commands");
    EXPECT_EQ(f.limit, 3u);
    small.hold_io = false;
    small.settle();
    EXPECT_TRUE(small.answered(ids[2]));
}

}  // namespace
}  // namespace foliot::test
