// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"
#include "support/environment.hpp"
#include "support/store/forwarding_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;
using testing::HasSubstr;

/// A store that forgets some of what it is told, or does not show all that it has.
class faulty_store : public forwarding_store {
public:
    using forwarding_store::forwarding_store;

    std::function<bool(const store::operation&)> forgets = [](const auto&) { return false; };
    bool forgets_far_ids = false;
    std::string hides_far_row_of;

    store::store_result<done> commit(store::shard_id s, store::epoch e,
                                     const store::batch& b) override {
        store::batch kept = b;
        std::erase_if(kept.operations, forgets);
        return forwarding_store::commit(s, e, kept);
    }
    store::store_result<store::page> load_far(store::shard_id s, store::epoch e,
                                              store::clock_kind clock, store::far_position after,
                                              tick to, std::size_t limit) override {
        auto p = forwarding_store::load_far(s, e, clock, after, to, limit);
        std::erase_if(p->rows, [&](const auto& row) { return row.id == hides_far_row_of; });
        return p;
    }
    store::store_result<std::vector<std::optional<store::found>>> find(
        store::shard_id s, store::epoch e, std::span<const store::timer_key> keys) override {
        auto all = forwarding_store::find(s, e, keys);
        if (forgets_far_ids) std::fill(all->begin(), all->end(), std::nullopt);
        return all;
    }
};

options with_check() {
    options o;
    o.check_interval = 1min;
    o.window_horizon = 10min;
    return o;
}

struct self_check_of : testing::Test {
    std::unique_ptr<store::due_store> memory = store::make_memory_store();
    faulty_store store{*memory};
    engine_world w{store, with_check()};

    stats after_a_round() {
        const auto before = w.stats().checks_total;
        while (w.stats().checks_total == before) w.pass(1s);
        return w.stats();
    }
};

TEST_F(self_check_of, near_and_far_rows_that_are_right_finds_nothing_and_reads_them_all) {
    for (int i = 0; i < 3000; ++i) w.set("near" + std::to_string(i), after{9min});
    for (int i = 0; i < 1500; ++i) w.set("far" + std::to_string(i), after{48h});
    for (int i = 0; i < 1500; ++i)
        w.set_at("wall" + std::to_string(i), tick{w.wall_ms().count + 900'000'000});
    after_a_round();
    const auto rows = w.stats().checked_rows_total;
    const stats s = after_a_round();
    EXPECT_EQ(s.disagreements, 0U) << s.first_disagreement;
    EXPECT_EQ(s.checked_rows_total - rows, 6000U);
}

TEST_F(self_check_of, a_row_that_memory_does_not_know_is_found) {
    w.set("stays", after{5min});
    store.forgets = [](const auto& o) { return std::holds_alternative<store::remove_near>(o); };
    w.cancel("stays");
    const stats s = after_a_round();
    EXPECT_EQ(s.disagreements, 3U) << "the row, and two numbers of rows";
    EXPECT_THAT(s.first_disagreement, HasSubstr("timer n/stays"));
    EXPECT_THAT(s.first_disagreement, HasSubstr("not in memory"));
}

TEST_F(self_check_of, a_row_that_the_store_does_not_have_is_found) {
    store.forgets = [](const auto& o) { return std::holds_alternative<store::put_near>(o); };
    w.set("lost", after{5min});
    store.forgets = [](const auto&) { return false; };
    w.set("kept", after{5min});
    const stats s = after_a_round();
    EXPECT_EQ(s.disagreements, 3U);
    EXPECT_THAT(s.first_disagreement, HasSubstr("timer n/lost"));
    EXPECT_THAT(s.first_disagreement, HasSubstr("not in the store"));
}

TEST_F(self_check_of, a_far_row_that_loading_passed_by_is_found) {
    w.set("seen", after{20min});  // and keeps the low-water mark where it is
    w.set("hidden", after{20min});
    store.hides_far_row_of = "hidden";
    w.pass_in_steps(15min);
    store.hides_far_row_of = "";
    after_a_round();  // which may have begun before
    const stats s = after_a_round();
    EXPECT_EQ(s.disagreements, 1U);
    EXPECT_THAT(s.first_disagreement, HasSubstr("timer n/hidden"));
    EXPECT_THAT(s.first_disagreement, HasSubstr("passed by"));
}

TEST_F(self_check_of, a_far_row_that_its_id_does_not_lead_to_is_found) {
    w.set("nameless", after{48h});
    store.forgets_far_ids = true;
    const stats s = after_a_round();
    EXPECT_EQ(s.disagreements, 1U);
    EXPECT_THAT(s.first_disagreement, HasSubstr("not found by its id"));
}

TEST_F(self_check_of, what_was_found_is_told_until_a_round_finds_nothing) {
    w.set("nameless", after{48h});
    store.forgets_far_ids = true;
    EXPECT_EQ(after_a_round().disagreements, 1U);
    store.forgets_far_ids = false;
    EXPECT_EQ(after_a_round().disagreements, 0U);
    EXPECT_EQ(w.stats().first_disagreement, "");
}

TEST_F(self_check_of, changes_that_go_on_meanwhile_is_not_misled) {
    const std::uint64_t seed = seed_or(20'261'201);
    std::mt19937_64 random(seed);
    options o = with_check();
    o.check_interval = 1s;
    o.window_max_timers = 64;
    o.load_rows = 8;
    o.commit_operations = 4;
    engine_world world(store, o);
    world.settle();
    const auto id = [&] { return std::to_string(random() % 200); };
    for (int round = 0; round < 4000; ++round) {
        world.hold_io = true;
        for (int i = 0; i < 3; ++i) {
            switch (random() % 4) {
                case 0:
                case 1:
                    world.send(set_timer{"n",
                                         id(),
                                         "q",
                                         after{std::chrono::milliseconds{random() % 2'000'000}},
                                         "1",
                                         payload_kind::json,
                                         {}});
                    break;
                case 2: world.send(cancel_timer{"n", id(), {}}); break;
                default: world.send(lease_timers{"n", "q", 2, 0ms, 3s});
            }
        }
        world.pass(std::chrono::milliseconds{random() % 500});
        while (!world.held.empty() && random() % 8 != 0) world.run_io();
        ASSERT_EQ(world.stats().disagreements, 0U)
            << world.stats().first_disagreement << ", in round " << round;
    }
    EXPECT_GT(world.stats().checks_total, 50U);
}

TEST(overdue_by_age, tells_how_long_timers_have_waited_for_a_consumer) {
    const auto memory = store::make_memory_store();
    options o;
    o.window_max_timers = 100;
    engine_world w(*memory, o);
    for (int i = 0; i < 20; ++i) w.set("a" + std::to_string(i), after{1s});
    for (int i = 0; i < 30; ++i) w.set("b" + std::to_string(i), after{30min});
    w.pass_in_steps(30min + 40s);
    const auto counts = w.stats().overdue_by_age.counts;
    EXPECT_EQ(counts[2], 30U) << "up to a minute";
    EXPECT_EQ(counts[4], 20U) << "up to an hour";
    while (!w.lease(100).empty()) {}
    w.pass_in_steps(15s);
    EXPECT_THAT(w.stats().overdue_by_age.counts, testing::Each(0U));
}

}  // namespace
}  // namespace foliot::test
