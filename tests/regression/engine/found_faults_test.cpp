// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Faults that the simulation found (docs/internals/simulation.md).
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"
#include "support/store/fault_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;

class engine_faults : public testing::Test {
protected:
    std::unique_ptr<store::due_store> below_ = store::make_memory_store();
    fault_store store_{*below_};
};

TEST_F(engine_faults, an_ack_in_the_step_that_ends_its_lease_is_stale) {
    engine_world w{store_};
    w.set("x", after{0ns});
    const auto given = w.lease(1, 1000ms);
    ASSERT_EQ(given.size(), 1U);
    // The step that brings the ack is the first after the lease's end: a busy or suspended machine.
    const auto request = w.send(settle{"n", "q", settlement::ack, {given[0].token}, {}, {}});
    w.pass(1001ms);
    EXPECT_EQ(w.take<settled>(request).outcomes.at(0), settle_outcome::stale);
}

TEST_F(engine_faults, a_lease_of_a_far_row_lives_on_after_a_store_failure) {
    options o;
    o.window_horizon = 1s;
    o.window_max_timers = 8;
    engine_world w{store_, o};
    w.set("x", after{10s});  // far
    w.pass_in_steps(11s);
    const auto given = w.lease(1, 60s);
    ASSERT_EQ(given.size(), 1U);
    store_.fail(store_call::load);  // far rows are not read again after the failure
    store_.fail(store_call::commit, store::store_code::unavailable, 1);
    EXPECT_THROW(w.set("y", after{0ns}), std::runtime_error);
    store_.clear(store_call::load);
    w.hold_io = true;
    w.pass(600ms);
    // Acquired and near rows read; the load of far rows is still out when the consumer asks.
    for (int i = 0; i < 2 && !w.held.empty(); ++i) {
        w.run_io();
        w.settle();
    }
    const auto request = w.send(settle{"n", "q", settlement::extend, {given[0].token}, {}, 60s});
    w.settle();
    while (!w.answered(request)) {
        const auto find = std::find_if(w.held.begin(), w.held.end(), [](const io& r) {
            return std::holds_alternative<find_request>(r.what);
        });
        if (find == w.held.end()) break;
        w.give(w.execute(find));
        w.settle();
    }
    EXPECT_EQ(w.take<settled>(request).outcomes.at(0), settle_outcome::extended);
}

TEST_F(engine_faults, commands_behind_one_look_up_count_as_waiting) {
    options o;
    o.max_waiting_commands = 5;
    o.window_horizon = 1s;
    engine_world w{store_, o};
    w.set("far", after{1h});  // now ids may be on disk, and are looked up
    w.hold_io = true;
    std::vector<request_id> sent;
    for (int i = 0; i < 8; ++i) {
        sent.push_back(w.send(set_timer{"n", "x", "q", after{0ns}, "1", {}, {}}));
    }
    w.settle();
    EXPECT_EQ(w.stats().uncommitted, 5U);
    EXPECT_EQ(w.take<failure>(sent[5]).code, failure_code::overloaded);
    EXPECT_EQ(w.take<failure>(sent[7]).limit_name, "limits.waiting_commands");
}

}  // namespace
}  // namespace foliot::test
