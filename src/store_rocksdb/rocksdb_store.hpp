// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace foliot::store {

/// What an acknowledged commit survives.
enum class durability : std::uint8_t {
    fdatasync,  ///< a crash of the process, of the system, and a loss of power
    os_cache,   ///< a crash of the process only; many times faster on slow disks
};

struct rocksdb_options {
    /// store.path: the data directory; one process at a time.
    std::string path;

    /// store.durability: weaken it only where timers may be lost with the machine.
    store::durability durability = store::durability::fdatasync;

    /// Bytes of rows gathered in memory before they become a file. Larger: fewer files and less
    /// rewriting, a longer restart. All unwritten rows together are held to three times this, the
    /// log that a restart replays to about twice.
    std::size_t memtable_bytes = std::size_t{32} << 20;

    /// Bytes of file blocks, indexes and filters kept in memory.
    std::size_t block_cache_bytes = std::size_t{32} << 20;

    /// Compress files (LZ4, or Snappy where the library lacks it).
    bool compress = true;

    /// Make the directory, and a store in it, where there is none.
    bool create_if_missing = true;

    /// Called with each warning of RocksDB, a line at a time, from any thread. Must not call back.
    std::function<void(const std::string& line)> on_warning;
};

/// The embedded store, on RocksDB: one column family a keyspace, one synced log write a commit.
/// Pick it for one node; the memory store for tests. docs/internals/record_format.md is its layout.
///
/// Time: a commit waits for one fdatasync; a load reads forward; a find costs a bloom filter where
/// the id was never written. Threads: all calls side by side; `acquire` and `release` wait for the
/// others, and one that reopens a broken store holds them off.
/// Memory: about 3 memtables and the block cache.
/// Errors: a failed write leaves the store broken: every commit answers that first error until an
/// `acquire` has reopened it. `locked` where another process has the directory, `unsupported` where
/// a newer program wrote it, `corrupt` where a file was damaged: the message names it.
/// Order: as due_store.
store_result<std::unique_ptr<due_store>> open_rocksdb_store(const rocksdb_options& options);

}  // namespace foliot::store
