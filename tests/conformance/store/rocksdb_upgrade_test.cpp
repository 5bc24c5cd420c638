// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// A directory that holds rows as earlier versions wrote them is opened, served and written to.
#include "conformance/store/rocksdb_fixture.hpp"
#include "store/key_codec.hpp"
#include "support/engine/engine_world.hpp"
#include "support/store/golden_rows.hpp"

#include <gmock/gmock.h>

namespace foliot::store {
namespace {

using namespace std::chrono_literals;

class rocksdb_upgrade : public test::rocksdb_fixture {
protected:
    /// A store with these rows in it, written byte for byte and closed.
    void write(const std::map<std::string, std::vector<std::string>>& names_by_column) {
        open();
        const auto rows = test::golden_rows(FOLIOT_GOLDEN_ROWS);
        for (const auto& [column, names] : names_by_column) {
            for (const auto& name : names) {
                const auto& row = rows.at(name);
                ASSERT_TRUE(test_access::put_raw(*store, column, row.key, row.value)) << name;
            }
        }
        flush();
        store.reset();
    }
    void write_version_1() {
        write({{"near", {"v1.near", "v1.near_retried"}},
               {"far", {"v1.far"}},
               {"dead", {"v1.dead"}},
               {"ids", {"v1.far_id", "v1.dead_id"}},
               {"default", {"v1.meta", "v1.epoch", "v1.format"}}});
    }

    /// Without acquiring: the engine does.
    void reopen() {
        store.reset();
        auto opened = open_rocksdb_store(options);
        ASSERT_TRUE(opened) << opened.error().message;
        store = *std::move(opened);
    }
};

TEST_F(rocksdb_upgrade, rows_of_version_1_are_read) {
    write_version_1();
    open();
    EXPECT_EQ(near_rows().size(), 2U);
    const auto far = store->load_far(shard, e, clock_kind::wall, {}, tick::max(), 10);
    ASSERT_TRUE(far) << far.error().message;
    EXPECT_EQ(far->rows.size(), 1U);
    EXPECT_EQ(store->load_dead(shard, e, {}, 10)->rows.size(), 1U);
    const timer_key keys[]{{"n", "far"}, {"n", "dead"}, {"n", "none"}};
    const auto found = store->find(shard, e, keys);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ((*found)[0]->where, place::far);
    EXPECT_EQ((*found)[1]->row.failures, 16U);
    EXPECT_FALSE((*found)[2]);
}

TEST_F(rocksdb_upgrade, timers_of_version_1_are_served_and_written_with_what_is_new) {
    write_version_1();
    reopen();
    {
        test::engine_world w{*store};
        EXPECT_EQ(w.stats().pending, 3U);
        EXPECT_EQ(w.stats().dead, 1U);
        EXPECT_EQ(w.get("far")->state, engine::timer_state::pending);
        EXPECT_EQ(w.get("dead")->payload, "[1,2]");
        EXPECT_EQ(w.get("\xc3\xa9")->attempt, 2U);
        engine::set_timer c{"n", "far", "q", engine::after{100 * 24h}, "2", {}, {}};
        c.retain = 60 * 24h;
        c.key = "k";
        EXPECT_TRUE(w.ask<engine::timer_set>(c).previous);
        EXPECT_EQ(w.cancel("far"), engine::cancel_outcome::cancelled);
        EXPECT_EQ(w.cancel("dead"), engine::cancel_outcome::cancelled);
    }
    reopen();
    test::engine_world w{*store};
    EXPECT_EQ(w.stats().pending, 2U);
    EXPECT_EQ(w.stats().retained, 1U);
    EXPECT_EQ(w.stats().dead, 0U);
    EXPECT_EQ(w.get("far")->state, engine::timer_state::cancelled);
    EXPECT_FALSE(w.get("dead"));
}

TEST_F(rocksdb_upgrade, rows_of_version_2_are_served) {
    write({{"near",
            {"v2.near_keyed", "v2.near_by_ack", "v2.near_acked", "v2.near_of_a_later_program"}},
           {"far", {"v2.far_cancelled"}},
           {"ids", {"v2.far_cancelled_id"}},
           {"default", {"v1.epoch"}}});
    open();
    batch counted;  // what the counts of the golden meta do not say of these rows
    counted.meta.pending = 3;
    counted.meta.retained = 2;
    ASSERT_TRUE(store->commit(shard, e, counted));
    reopen();
    test::engine_world w{*store};
    EXPECT_EQ(w.get("acked")->state, engine::timer_state::acked);
    EXPECT_EQ(w.get("cancelled")->state, engine::timer_state::cancelled);
    EXPECT_EQ(w.lease().size(), 3U);
    w.pass_in_steps(25h);
    EXPECT_EQ(w.stats().retained, 0U);
}

}  // namespace
}  // namespace foliot::store
