// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/store/fault_store.hpp"

#include "store/memory_store.hpp"
#include "support/store/rows.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace foliot::test {
namespace {

using namespace std::chrono_literals;
using store::shard_id;
using store::store_code;

class fault_store_test : public testing::Test {
protected:
    store::batch put(std::uint64_t number) {
        store::batch b;
        b.operations = {store::put_near{make_row(number)}};
        return b;
    }
    std::size_t rows() { return faulty.load_near(shard, e, {}, 10)->rows.size(); }

    const shard_id shard{0};
    std::unique_ptr<store::due_store> memory = store::make_memory_store();
    fault_store faulty{*memory};
    store::epoch e = faulty.acquire(shard)->current;
};

TEST_F(fault_store_test, without_a_fault_every_call_goes_through) {
    EXPECT_TRUE(faulty.commit(shard, e, put(1)));
    EXPECT_EQ(rows(), 1U);
    const store::timer_key key{"default", "timer-1"};
    EXPECT_TRUE(faulty.find(shard, e, {&key, 1}));
    EXPECT_TRUE(faulty.load_far(shard, e, {}, {}, tick::max(), 1));
    EXPECT_TRUE(faulty.load_dead(shard, e, {}, 1));
    EXPECT_TRUE(faulty.release(shard, e));
    EXPECT_EQ(faulty.calls(store_call::load), 3U);
}

TEST_F(fault_store_test, failing_before_leaves_the_store_untouched) {
    faulty.fail(store_call::commit, store_code::no_space, 1);
    EXPECT_EQ(faulty.commit(shard, e, put(1)).error().code, store_code::no_space);
    EXPECT_EQ(rows(), 0U);
    EXPECT_TRUE(faulty.commit(shard, e, put(1)));  // it wore off
    EXPECT_EQ(rows(), 1U);
}

TEST_F(fault_store_test, failing_after_applies_and_denies_it) {
    faulty.fail_after(store_call::commit);
    EXPECT_EQ(faulty.commit(shard, e, put(1)).error().code, store_code::unavailable);
    EXPECT_EQ(rows(), 1U);
}

TEST_F(fault_store_test, each_kind_of_call_fails_on_its_own) {
    faulty.fail(store_call::acquire);
    faulty.fail(store_call::find);
    faulty.fail(store_call::load);
    EXPECT_FALSE(faulty.acquire(shard));
    EXPECT_FALSE(faulty.find(shard, e, {}));
    EXPECT_FALSE(faulty.load_near(shard, e, {}, 1));
    EXPECT_TRUE(faulty.commit(shard, e, put(1)));
    faulty.clear();
    EXPECT_TRUE(faulty.find(shard, e, {}));
}

TEST_F(fault_store_test, a_hanging_commit_goes_through_when_released) {
    faulty.hang(store_call::commit);
    bool committed = false;
    std::thread committer([&] { committed = faulty.commit(shard, e, put(1)).has_value(); });
    EXPECT_TRUE(faulty.wait_until_hanging(store_call::commit, 10s));
    EXPECT_EQ(rows(), 0U);
    faulty.clear();
    committer.join();
    EXPECT_TRUE(committed);
    EXPECT_EQ(rows(), 1U);
}

}  // namespace
}  // namespace foliot::test
