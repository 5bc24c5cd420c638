// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// What a set of each mode does about a timer that is near, far, in flight, dead or between retries.
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;

set_timer wanted(std::variant<after, at> when, set_mode mode, std::string payload = "2") {
    return {"n", "x", "q", when, std::move(payload), {}, {}, mode};
}

enum class where { near, far, in_flight, dead, retry_waiting };

/// One timer "x" at a place, of payload "1".
struct at_place {
    std::unique_ptr<store::due_store> store = store::make_memory_store();
    engine_world w{*store, options()};
    timer_set first;

    static foliot::engine::options options() {
        foliot::engine::options o;
        o.retry_max_attempts = 2;
        return o;
    }

    explicit at_place(where place) {
        const auto delay = place == where::near ? after{5min} : after{30 * 24h};
        const bool waits = place == where::near || place == where::far;
        first = w.set("x", waits ? delay : after{1s}, "1");
        if (waits) return;
        w.pass(1s);
        const auto given = w.lease(1, 1h);
        if (place == where::in_flight) return;
        w.settle_token(settlement::nack, given.at(0), 10s);
        if (place == where::retry_waiting) return;
        w.pass(10s);
        w.settle_token(settlement::nack, w.lease().at(0));
    }

    timer_set set(tick wall, set_mode mode) { return w.ask<timer_set>(wanted(at{wall}, mode)); }
};

class modes : public testing::TestWithParam<where> {};

void expect_stands(at_place& t, const timer_set& reply) {
    EXPECT_FALSE(reply.changed);
    EXPECT_EQ(reply.generation, t.first.generation);
    EXPECT_EQ(reply.previous, t.first.generation);
    EXPECT_EQ(reply.due_ms, t.first.due_ms);
    EXPECT_EQ(t.w.get("x")->payload, "1");
    EXPECT_EQ(t.w.get("x")->generation, t.first.generation);
}

void expect_replaced(at_place& t, const timer_set& reply, tick due) {
    EXPECT_TRUE(reply.changed);
    EXPECT_GT(reply.generation, t.first.generation);
    EXPECT_EQ(reply.previous, t.first.generation);
    EXPECT_EQ(reply.due_ms, due);
    t.w.restart();
    const auto now = t.w.get("x");
    EXPECT_EQ(now->payload, "2");
    EXPECT_EQ(now->generation, reply.generation);
    EXPECT_EQ(now->state, timer_state::pending);
    EXPECT_EQ(t.w.stats().pending, 1u);
    EXPECT_EQ(t.w.stats().dead, 0u);
}

TEST_P(modes, extend_replaces_what_is_due_earlier_and_leaves_the_rest) {
    for (const std::uint64_t by : {0u, 1u, 60'000u}) {
        at_place t{GetParam()};
        const tick before{t.first.due_ms.count - by};
        expect_stands(t, t.set(before, set_mode::extend));
        const tick later{t.first.due_ms.count + by + 1};
        expect_replaced(t, t.set(later, set_mode::extend), later);
    }
}

TEST_P(modes, advance_replaces_what_is_due_later_and_leaves_the_rest) {
    for (const std::uint64_t by : {0u, 1u, 60'000u}) {
        at_place t{GetParam()};
        expect_stands(t, t.set({t.first.due_ms.count + by}, set_mode::advance));
        const tick earlier{t.first.due_ms.count - by - 1};
        expect_replaced(t, t.set(earlier, set_mode::advance), earlier);
    }
}

TEST_P(modes, create_refuses_where_a_timer_is_and_tells_its_generation) {
    at_place t{GetParam()};
    const auto f = t.w.ask<failure>(wanted(after{1h}, set_mode::create));
    EXPECT_EQ(f.code, failure_code::precondition_failed);
    EXPECT_EQ(f.generation, t.first.generation);
    EXPECT_EQ(t.w.get("x")->payload, "1");
}

TEST_P(modes, replace_takes_the_place_of_any) {
    at_place t{GetParam()};
    const tick due{t.first.due_ms.count + 60'000};
    expect_replaced(t, t.set(due, set_mode::replace), due);
}

INSTANTIATE_TEST_SUITE_P(places, modes,
                         testing::Values(where::near, where::far, where::in_flight, where::dead,
                                         where::retry_waiting));

struct set_modes : testing::Test {
    std::unique_ptr<store::due_store> store = store::make_memory_store();
    engine_world w{*store};
};

TEST_F(set_modes, every_mode_creates_where_no_timer_is) {
    for (const auto mode :
         {set_mode::replace, set_mode::create, set_mode::extend, set_mode::advance}) {
        const auto made = w.ask<timer_set>(wanted(after{1h}, mode));
        EXPECT_TRUE(made.changed);
        EXPECT_FALSE(made.previous);
        EXPECT_EQ(w.cancel("x"), cancel_outcome::cancelled);
    }
}

TEST_F(set_modes, a_replaced_timer_is_offered_at_the_new_due_only) {
    w.set("x", after{10s}, "1");
    w.ask<timer_set>(wanted(after{20s}, set_mode::extend));
    w.pass(10s);
    EXPECT_TRUE(w.lease().empty());
    w.pass(10s);
    EXPECT_EQ(w.lease().at(0).payload, "2");
    w.set("x", after{20s}, "1");
    w.ask<timer_set>(wanted(after{10s}, set_mode::advance));
    w.pass(10s);
    EXPECT_EQ(w.lease().at(0).payload, "2");
}

TEST_F(set_modes, dues_on_two_clocks_are_compared_as_wall_clock_times) {
    // Due in one hour by the service clock; the wall clock then jumps half an hour ahead, so that
    // the same moment reads as half an hour later on it.
    w.set("x", after{1h}, "1");
    const tick was = w.wall_ms();
    w.step_wall(30min);
    w.settle();
    const tick stands{was.count + 90 * 60'000};
    EXPECT_FALSE(w.ask<timer_set>(wanted(at{stands}, set_mode::extend)).changed);
    EXPECT_FALSE(w.ask<timer_set>(wanted(at{stands}, set_mode::advance)).changed);
    EXPECT_EQ(w.ask<timer_set>(wanted(at{stands}, set_mode::extend)).due_ms, stands);
    EXPECT_TRUE(w.ask<timer_set>(wanted(at{{stands.count + 1}}, set_mode::extend)).changed);
    // And back: the one on the wall clock now, against a delay.
    EXPECT_FALSE(w.ask<timer_set>(wanted(after{1h}, set_mode::extend)).changed);
    EXPECT_TRUE(w.ask<timer_set>(wanted(after{1h}, set_mode::advance)).changed);
}

TEST_F(set_modes, the_condition_on_the_generation_comes_first) {
    const auto first = w.set("x", after{1h});
    auto c = wanted(after{2h}, set_mode::extend);
    c.require = {precondition::kind::generation, {first.generation.value + 1}};
    EXPECT_EQ(w.ask<failure>(c).code, failure_code::precondition_failed);
    c.require.generation = first.generation;
    EXPECT_TRUE(w.ask<timer_set>(c).changed);
}

TEST_F(set_modes, an_answer_without_a_change_waits_for_what_it_shows) {
    w.hold_io = true;
    const auto set = w.send(wanted(after{1h}, set_mode::replace));
    w.settle();
    const auto stands = w.send(wanted(after{1min}, set_mode::extend));
    w.settle();
    EXPECT_FALSE(w.answered(stands));
    w.run_io();
    w.settle();
    EXPECT_TRUE(w.answered(set));
    EXPECT_FALSE(w.take<timer_set>(stands).changed);
}

/// Of 100 writers that no one orders, each sees the generation that the last change made.
void expect_one_winner_a_generation(engine_world& w, std::vector<request_id>& ids) {
    w.settle();
    std::optional<sequence> current;
    for (const auto id : ids) {
        const auto reply = w.take<timer_set>(id);
        EXPECT_EQ(reply.previous, current);
        if (reply.changed) {
            EXPECT_TRUE(!current || reply.generation > *current);
        } else {
            EXPECT_EQ(reply.generation, current);
        }
        current = reply.generation;
    }
    EXPECT_EQ(w.get("x")->generation, current);
    EXPECT_EQ(w.stats().pending, 1u);
}

TEST_F(set_modes, one_hundred_extending_writers_leave_the_latest_due) {
    std::vector<request_id> ids;
    for (int i = 0; i < 100; ++i) {
        const auto delay = std::chrono::minutes{1 + i * 37 % 100 * 1000};
        ids.push_back(
            w.send(wanted(after{delay}, set_mode::extend, std::to_string(delay.count()))));
    }
    expect_one_winner_a_generation(w, ids);
    EXPECT_EQ(w.get("x")->payload, "99001");
}

TEST_F(set_modes, one_hundred_advancing_writers_leave_the_earliest_due) {
    std::vector<request_id> ids;
    for (int i = 0; i < 100; ++i) {
        const auto delay = std::chrono::minutes{1 + i * 37 % 100 * 1000};
        ids.push_back(
            w.send(wanted(after{delay}, set_mode::advance, std::to_string(delay.count()))));
    }
    expect_one_winner_a_generation(w, ids);
    EXPECT_EQ(w.get("x")->payload, "1");
}

TEST_F(set_modes, one_of_one_hundred_creating_writers_wins) {
    std::vector<request_id> ids;
    for (int i = 0; i < 100; ++i) {
        ids.push_back(w.send(wanted(after{1h}, set_mode::create, std::to_string(i))));
    }
    w.settle();
    const auto won = w.take<timer_set>(ids.front());
    for (std::size_t i = 1; i < ids.size(); ++i) {
        EXPECT_EQ(w.take<failure>(ids[i]).generation, won.generation);
    }
    EXPECT_EQ(w.get("x")->payload, "0");
}

TEST_F(set_modes, one_of_one_hundred_comparing_writers_wins_each_generation) {
    auto current = w.set("x", after{1h}).generation;
    for (int round = 0; round < 5; ++round) {
        std::vector<request_id> ids;
        for (int i = 0; i < 100; ++i) {
            auto c = wanted(after{2h}, set_mode::replace);
            c.require = {precondition::kind::generation, current};
            ids.push_back(w.send(c));
        }
        w.settle();
        const auto won = w.take<timer_set>(ids.front());
        EXPECT_EQ(won.previous, current);
        for (std::size_t i = 1; i < ids.size(); ++i) {
            EXPECT_EQ(w.take<failure>(ids[i]).generation, won.generation);
        }
        current = won.generation;
    }
}

}  // namespace
}  // namespace foliot::test
