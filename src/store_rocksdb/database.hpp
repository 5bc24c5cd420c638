// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store_rocksdb/rocksdb_store.hpp"

#include <rocksdb/db.h>

#include <cstddef>
#include <memory>
#include <vector>

// Internal to store_rocksdb: an open RocksDB with Foliot's column families, and how it is tuned.

namespace foliot::store {

enum class column : std::size_t { meta, near, far, ids, dead };
inline constexpr std::size_t column_count = 5;

/// RocksDB's word for it in ours. `doing` begins the message: "cannot commit to /data: ...".
store_error to_store_error(const rocksdb::Status& status, const std::string& doing);

class database {
public:
    /// Opens the directory, makes what is missing where that is allowed, and checks its format.
    static store_result<std::unique_ptr<database>> open(const rocksdb_options& options);

    database(std::unique_ptr<rocksdb::DB> db, std::vector<rocksdb::ColumnFamilyHandle*> handles);
    ~database();
    database(const database&) = delete;
    database& operator=(const database&) = delete;

    [[nodiscard]] rocksdb::DB* operator->() const { return db_.get(); }
    [[nodiscard]] rocksdb::DB* get() const { return db_.get(); }
    [[nodiscard]] rocksdb::ColumnFamilyHandle* at(column c) const {
        return handles_[static_cast<std::size_t>(c)];
    }

private:
    std::unique_ptr<rocksdb::DB> db_;
    std::vector<rocksdb::ColumnFamilyHandle*> handles_;  // in the order of `column`
};

}  // namespace foliot::store
