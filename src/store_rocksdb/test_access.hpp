// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

#include <cstdint>
#include <string_view>

// What tests do to a RocksDB store behind its interface's back. Not for foliotd.
// Each takes a store that came from open_rocksdb_store and is not broken.

namespace foliot::store::test_access {

/// Writes all rows in memory to files.
[[nodiscard]] store_result<done> flush(due_store& store);

/// Compacts every keyspace down to its last level.
[[nodiscard]] store_result<done> compact(due_store& store);

/// Bytes of all files of rows that are in use.
[[nodiscard]] std::uint64_t file_bytes(due_store& store);

/// Entries in all files, removals and overwritten ones included. O(rows).
[[nodiscard]] std::uint64_t file_entries(due_store& store);

/// Writes raw bytes into the column family of that name.
[[nodiscard]] store_result<done> put_raw(due_store& store, std::string_view column,
                                         std::string_view key, std::string_view value);

/// Makes a column family of that name, as a newer format might have.
[[nodiscard]] store_result<done> add_column(due_store& store, const char* column);

/// As if a write had failed: the next acquire reopens the store.
void mark_broken(due_store& store);

}  // namespace foliot::store::test_access
