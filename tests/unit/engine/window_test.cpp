// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;

options tiny() {
    options o;
    o.window_max_timers = 100;
    o.load_rows = 16;
    return o;
}

struct window : testing::Test {
    std::unique_ptr<store::due_store> store = store::make_memory_store();
    engine_world w{*store, tiny()};

    void drain(std::set<std::string>& seen) {
        for (auto d = w.lease(50); !d.empty(); d = w.lease(50)) {
            for (const auto& one : d) {
                EXPECT_TRUE(seen.insert(one.token.id).second) << one.token.id;
                EXPECT_EQ(w.ack(one), settle_outcome::acked);
            }
        }
    }
};

TEST_F(window, memory_stays_bounded_whatever_is_pending_and_all_fire_on_time) {
    for (int i = 0; i < 1000; ++i) {
        w.set(std::to_string(i), after{std::chrono::seconds{10 + i}});
        ASSERT_LE(w.stats().in_memory, 125u);
    }
    std::set<std::string> seen;
    for (int s = 0; s < 1010; ++s) {
        w.pass_in_steps(1s);
        ASSERT_LE(w.stats().in_memory, 125u);
        drain(seen);
        ASSERT_EQ(seen.size(), static_cast<std::size_t>(std::clamp(s - 8, 0, 1000))) << s;
    }
    EXPECT_EQ(w.stats().pending, 0u);
}

TEST_F(window, near_timers_come_first_when_memory_is_full_of_later_ones) {
    for (int i = 0; i < 100; ++i) w.set("later" + std::to_string(i), after{10min});
    for (int i = 0; i < 100; ++i) w.set("soon" + std::to_string(i), after{5s});
    w.pass_in_steps(5s);
    std::set<std::string> seen;
    drain(seen);
    EXPECT_EQ(seen.size(), 100u);
    w.pass_in_steps(10min);
    drain(seen);
    EXPECT_EQ(seen.size(), 200u);
    EXPECT_EQ(w.stats().pending, 0u);
}

TEST_F(window, due_timers_without_consumer_do_not_hold_up_other_queues) {
    for (int i = 0; i < 1000; ++i) {
        w.ask<timer_set>(
            set_timer{"n", "dead" + std::to_string(i), "nobody", after{1s}, "1", {}, {}});
        w.pass_in_steps(100ms);
        ASSERT_LE(w.stats().in_memory, 125u);
    }
    w.set("x", after{1h});
    w.pass_in_steps(1h);
    const auto d = w.lease();
    ASSERT_EQ(d.size(), 1u);
    EXPECT_LT(d[0].lateness, 1s);
    // A consumer comes at last: it gets all of them, once each.
    std::set<std::string> seen;
    for (;;) {
        const auto more = w.ask<deliveries>(lease_timers{"n", "nobody", 64, 0ms, 30s}).items;
        if (more.empty()) {
            const auto poll = w.send(lease_timers{"n", "nobody", 64, 1s, 30s});
            w.pass_in_steps(2s);
            const auto last = w.take<deliveries>(poll).items;
            if (last.empty()) break;
            for (const auto& one : last) {
                EXPECT_TRUE(seen.insert(one.token.id).second);
                w.ask<settled>(settle{"n", "nobody", settlement::ack, {one.token}, {}, {}});
            }
            continue;
        }
        for (const auto& one : more) {
            EXPECT_TRUE(seen.insert(one.token.id).second);
            w.ask<settled>(settle{"n", "nobody", settlement::ack, {one.token}, {}, {}});
        }
    }
    EXPECT_EQ(seen.size(), 1000u);
}

TEST_F(window, backlog_gauge_counts_each_timer_once) {
    const auto fill = [&] {
        for (int i = 0; i < 2000; ++i) {
            const auto id =
                w.send(set_timer{"n", "t" + std::to_string(i), "nobody", after{0ns}, "1", {}, {}});
            w.pass(1ms);
            (void)w.try_take(id);
            const auto s = w.stats();
            ASSERT_LE(s.backlog + s.in_memory, s.pending + 16)
                << i;  // 16: rows of a page under way
        }
    };
    fill();
    w.restart();
    w.pass_in_steps(10s);
    const auto s = w.stats();
    EXPECT_EQ(s.backlog + s.in_memory, s.pending);
}

TEST_F(window, many_due_in_one_millisecond_all_fire_once) {
    const tick due{w.wall_ms().count + 3'600'000};
    for (int i = 0; i < 1000; ++i) w.set_at(std::to_string(i), due);
    w.pass_in_steps(1h);
    std::set<std::string> seen;
    for (int i = 0; i < 100 && seen.size() < 1000; ++i) {
        drain(seen);
        w.pass_in_steps(100ms);
    }
    EXPECT_EQ(seen.size(), 1000u);
    EXPECT_EQ(w.stats().pending, 0u);
}

TEST_F(window, cancel_before_and_after_each_load_never_fires) {
    for (const auto when : {0min, 19min, 20min, 29min}) {
        for (int i = 0; i < 40; ++i) w.set(std::to_string(i), after{30min});
        w.pass_in_steps(when);
        for (int i = 0; i < 40; ++i) {
            EXPECT_EQ(w.cancel(std::to_string(i)), cancel_outcome::cancelled);
        }
        w.pass_in_steps(31min);
        EXPECT_TRUE(w.lease().empty());
    }
}

TEST_F(window, cancel_while_a_load_is_out_is_not_undone_by_its_page) {
    for (int i = 0; i < 10; ++i) w.set(std::to_string(i), after{16min});
    w.hold_io = true;
    w.pass_in_steps(9min);
    const auto load = std::find_if(w.held.begin(), w.held.end(), [](const io& r) {
        const auto* l = std::get_if<load_far_request>(&r.what);
        return l && l->clock == store::clock_kind::service;
    });
    ASSERT_NE(load, w.held.end());
    // The load has read; while its page is on the way, the cancels overtake it.
    const io_done page = w.execute(load);
    std::vector<request_id> cancels;
    for (int i = 0; i < 10; ++i) {
        cancels.push_back(w.send(cancel_timer{"n", std::to_string(i), {}}));
    }
    w.hold_io = false;
    w.settle();
    w.give(page);
    w.settle();
    for (const auto c : cancels) {
        EXPECT_EQ(w.take<timer_cancelled>(c).outcome, cancel_outcome::cancelled);
    }
    w.pass_in_steps(20min);
    EXPECT_TRUE(w.lease().empty());
}

TEST_F(window, lower_bound_at_restart_never_answers_gone_for_a_timer_that_fires) {
    {
        engine_world large{*store};
        for (int i = 0; i < 1000; ++i) large.set(std::to_string(i), after{5min});
    }
    w.restart();
    for (int i = 0; i < 1000; i += 2) {
        EXPECT_EQ(w.cancel(std::to_string(i)), cancel_outcome::cancelled) << i;
    }
    EXPECT_LE(w.stats().in_memory, 125u);
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
        w.pass_in_steps(5s);
        drain(seen);
    }
    EXPECT_EQ(seen.size(), 500u);
    for (const auto& id : seen) EXPECT_EQ(std::stoi(id) % 2, 1);
}

TEST_F(window, low_water_mark_rises_behind_what_is_done) {
    for (int i = 0; i < 50; ++i) w.set(std::to_string(i), after{20min});
    std::set<std::string> seen;
    w.pass_in_steps(21min);
    drain(seen);
    w.set("later", after{24h});
    w.pass_in_steps(10min);
    const auto meta = store->acquire(store::shard_id{0})->meta;
    EXPECT_GT(meta.far_low_water[0].count, w.wall_ms().count - 15 * 60'000u);
    w.restart();
    w.pass_in_steps(24h);
    drain(seen);
    EXPECT_TRUE(seen.contains("later"));
}

}  // namespace
}  // namespace foliot::test
