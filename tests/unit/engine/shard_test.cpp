// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"
#include "support/store/fault_store.hpp"

#include <gtest/gtest.h>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;

struct shard_test : testing::Test {
    std::unique_ptr<store::due_store> below = store::make_memory_store();
    fault_store store{*below};
    engine_world w{store};

    request_id send_set(const std::string& id, after delay = after{1h}) {
        return w.send(set_timer{"n", id, "q", delay, "1", {}, {}});
    }
};

TEST_F(shard_test, commands_before_the_shard_is_loaded_are_told_to_try_later) {
    engine_world early{store};
    early.hold_io = true;
    early.restart();
    const auto id = early.send(get_timer{"n", "x"});
    const auto lease = early.send(lease_timers{"n", "q", 1, 1s, 1s});
    early.settle();
    EXPECT_EQ(early.take<failure>(id).code, failure_code::not_ready);
    EXPECT_EQ(early.take<failure>(lease).code, failure_code::not_ready);
    EXPECT_FALSE(early.stats().ready);
}

TEST_F(shard_test, failed_commit_is_told_and_the_truth_is_read_again) {
    w.set("old", after{1h});
    store.fail(store_call::commit, store::store_code::no_space, 1);
    const auto lost = send_set("lost");
    const auto cancel = w.send(cancel_timer{"n", "old", {}});
    w.settle();
    EXPECT_EQ(w.take<failure>(lost).code, failure_code::store_unavailable);
    EXPECT_EQ(w.take<failure>(cancel).code, failure_code::store_unavailable);
    w.pass_in_steps(1s);
    EXPECT_TRUE(w.stats().ready);
    EXPECT_TRUE(w.get("old"));
    EXPECT_FALSE(w.get("lost"));
    EXPECT_EQ(w.stats().pending, 1u);
}

TEST_F(shard_test, commit_that_failed_after_it_was_made_counts) {
    w.set("old", after{1h});
    store.fail_after(store_call::commit, store::store_code::unavailable, 1);
    const auto made = send_set("made");
    const auto cancel = w.send(cancel_timer{"n", "old", {}});
    w.settle();
    EXPECT_EQ(w.take<failure>(made).code, failure_code::store_unavailable);
    EXPECT_EQ(w.take<failure>(cancel).code, failure_code::store_unavailable);
    w.pass_in_steps(1s);
    EXPECT_FALSE(w.get("old"));
    EXPECT_TRUE(w.get("made"));
}

TEST_F(shard_test, store_that_fails_for_a_while_is_taken_back_without_help) {
    w.set("x", after{1s});
    store.fail(store_call::commit);
    store.fail(store_call::acquire);
    send_set("y");
    w.settle();
    for (int i = 0; i < 30; ++i) {
        w.pass_in_steps(1s);
        const auto refused = send_set("z");
        w.settle();
        EXPECT_EQ(w.take<failure>(refused).code, failure_code::store_unavailable);
    }
    EXPECT_GT(w.stats().behind, 29s);
    store.clear();
    w.pass_in_steps(1s);
    EXPECT_EQ(w.lease().size(), 1u);
    EXPECT_EQ(w.stats().overdue, 0u);
    EXPECT_LT(w.stats().behind, 1s);
}

TEST_F(shard_test, live_lease_outlasts_a_reload) {
    w.set("x", after{0ns});
    const auto d = w.lease();
    ASSERT_EQ(d.size(), 1u);
    store.fail(store_call::commit, store::store_code::unavailable, 1);
    send_set("y");
    w.pass_in_steps(1s);
    EXPECT_TRUE(w.lease().empty());
    EXPECT_EQ(w.get("x")->state, timer_state::in_flight);
    EXPECT_EQ(w.ack(d[0]), settle_outcome::acked);
}

TEST_F(shard_test, hanging_store_is_told_in_time_and_its_commit_counts_later) {
    w.hold_io = true;
    const auto slow = send_set("slow");
    w.settle();
    const auto queued = send_set("queued");
    w.pass_in_steps(8s);  // the time-out, and the interval at which look-ups are checked
    EXPECT_EQ(w.take<failure>(slow).code, failure_code::store_unavailable);
    EXPECT_EQ(w.take<failure>(queued).code, failure_code::store_unavailable);
    const auto refused = send_set("refused");
    w.settle();
    EXPECT_EQ(w.take<failure>(refused).code, failure_code::store_unavailable);
    w.hold_io = false;
    w.settle();
    EXPECT_TRUE(w.get("slow"));
    EXPECT_FALSE(w.get("refused"));
    EXPECT_TRUE(w.set("next", after{1s}).generation.value > 0);
}

TEST_F(shard_test, firing_goes_on_while_the_store_hangs) {
    w.set("x", after{1s});
    w.hold_io = true;
    send_set("y");
    w.pass_in_steps(2s);
    EXPECT_EQ(w.lease().size(), 1u);
}

TEST_F(shard_test, failed_lookup_is_told_and_the_next_one_works) {
    w.set("far", after{30 * 24h});
    store.fail(store_call::find, store::store_code::unavailable, 1);
    const auto get = w.send(get_timer{"n", "far"});
    w.settle();
    EXPECT_EQ(w.take<failure>(get).code, failure_code::store_unavailable);
    EXPECT_TRUE(w.get("far"));
}

TEST_F(shard_test, failed_loads_are_tried_again_and_nothing_fires_early_or_is_lost) {
    w.set("far", after{20min});
    store.fail(store_call::load);
    w.pass_in_steps(19min);
    store.clear();
    w.pass_in_steps(1min - 1ms);
    EXPECT_TRUE(w.lease().empty());
    w.pass(1ms);
    EXPECT_EQ(w.lease().size(), 1u);
}

TEST_F(shard_test, other_owner_fences_this_one_which_takes_the_shard_back) {
    w.set("x", after{1h});
    ASSERT_TRUE(below->acquire(store::shard_id{0}));
    const auto lost = send_set("y");
    w.settle();
    EXPECT_EQ(w.take<failure>(lost).code, failure_code::store_unavailable);
    w.pass_in_steps(1s);
    EXPECT_TRUE(w.get("x"));
    EXPECT_FALSE(w.get("y"));
}

TEST_F(shard_test, stop_refuses_new_timers_finishes_the_rest_and_writes_leases) {
    w.set("x", after{0ns});
    const auto d = w.lease(10, 60s);
    ASSERT_EQ(d.size(), 1u);
    const auto poll = w.send(lease_timers{"n", "q", 1, 20s, 1s});
    const auto accepted = send_set("y");
    w.settle();
    w.give(stop{});
    const auto refused = send_set("z");
    w.settle();
    EXPECT_TRUE(w.take<deliveries>(poll).items.empty());
    EXPECT_TRUE(w.answered(accepted));
    EXPECT_EQ(w.take<failure>(refused).code, failure_code::stopping);
    EXPECT_TRUE(w.stopped);
    w.restart();
    EXPECT_TRUE(w.lease().empty());  // the lease is still alive
    EXPECT_EQ(w.get("x")->state, timer_state::in_flight);
    EXPECT_EQ(w.ack(d[0]), settle_outcome::acked);
    EXPECT_TRUE(w.get("y"));
}

TEST_F(shard_test, acknowledged_cancel_and_replace_hold_over_a_crash) {
    w.set("cancelled", after{1s});
    w.set("replaced", after{1s});
    w.set("far", after{30 * 24h});
    w.cancel("cancelled");
    w.cancel("far");
    w.set("replaced", after{1h});
    w.restart();
    w.pass_in_steps(31 * 24h - 2h);
    const auto d = w.lease();
    ASSERT_EQ(d.size(), 1u);
    EXPECT_EQ(d[0].token.id, "replaced");
}

TEST_F(shard_test, crash_between_two_commits_never_finds_half_a_change) {
    options o;
    o.commit_operations = 1;  // each change is more than a commit takes
    engine_world small{store, o};
    const auto crash_after = [&](std::size_t commits) {
        small.set("x", after{20min});
        small.hold_io = true;
        small.send(set_timer{"n", "other", "q", after{1h}, "1", {}, {}});
        small.send(set_timer{"n", "x", "q", after{5min}, "2", {}, {}});
        small.send(cancel_timer{"n", "other", {}});
        small.settle();
        for (std::size_t i = 0; i < commits && !small.held.empty(); ++i) {
            small.run_io();
            small.settle();
        }
        small.hold_io = false;
        small.restart();
        EXPECT_TRUE(small.get("x")) << commits;
        small.cancel("other");
    };
    for (std::size_t commits = 0; commits < 8; ++commits) crash_after(commits);
}

TEST_F(shard_test, all_that_was_due_while_down_fires_once_on_return) {
    for (int i = 0; i < 1000; ++i) send_set(std::to_string(i), after{std::chrono::seconds{i}});
    w.settle();
    w.hold_io = true;  // down
    w.pass(2h);
    w.hold_io = false;
    w.restart();
    EXPECT_EQ(w.lease(2000).size(), 1000u);
    EXPECT_TRUE(w.lease(2000).empty());
}

}  // namespace
}  // namespace foliot::test
