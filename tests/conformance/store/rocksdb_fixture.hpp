// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store_rocksdb/rocksdb_store.hpp"
#include "store_rocksdb/test_access.hpp"
#include "support/store/rows.hpp"
#include "support/store/temp_directory.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace foliot::test {

/// A RocksDB store in a directory of its own, opened and acquired.
class rocksdb_fixture : public testing::Test {
protected:
    rocksdb_fixture() { options.path = directory / "data"; }

    void open() {
        store.reset();
        auto opened = store::open_rocksdb_store(options);
        ASSERT_TRUE(opened) << opened.error().message;
        store = *std::move(opened);
        acquire();
    }

    void acquire() {
        const auto taken = store->acquire(shard);
        ASSERT_TRUE(taken) << taken.error().message;
        e = taken->current;
    }

    template <class... Operations>
    store::store_result<done> try_commit(Operations... operations) {
        store::batch b;
        (b.operations.emplace_back(std::move(operations)), ...);
        return store->commit(shard, e, b);
    }

    template <class... Operations>
    void commit(Operations... operations) {
        const auto committed = try_commit(std::move(operations)...);
        ASSERT_TRUE(committed) << committed.error().message;
    }

    void flush() { ASSERT_TRUE(store::test_access::flush(*store)); }

    void compact() { ASSERT_TRUE(store::test_access::compact(*store)); }

    std::vector<store::record> near_rows() {
        auto loaded = store->load_near(shard, e, {}, 100'000);
        if (loaded) return std::move(loaded->rows);
        ADD_FAILURE() << loaded.error().message;
        return {};
    }

    temp_directory directory;
    store::rocksdb_options options;
    std::unique_ptr<store::due_store> store;
    const store::shard_id shard{0};
    store::epoch e{};
};

}  // namespace foliot::test
