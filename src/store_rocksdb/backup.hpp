// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

#include <cstdint>
#include <string>

namespace foliot::store {

// Copies of an embedded store. Those that `back_up` makes are whole data directories: foliotd can
// be started on one. They hold all that was committed before the call, and of what is committed
// meanwhile whole commits only.

/// Writes the state of an open store into a directory that does not exist yet; its parent does.
/// Files of rows are shared with the store (hard links) where both are on one file system.
/// Time: writes what is in memory to files, then O(files), or O(bytes) where they are copied.
/// Threads: beside all other calls, one at a time. Errors: `unavailable` with a sentence; nothing
/// is left behind. The store must come from open_rocksdb_store.
store_result<done> back_up(due_store& store, const std::string& to);

/// How many epochs `restore` leaves out. The store that was backed up may have gone on and given
/// out generations that the copy knows nothing of, in one epoch more for each of its starts.
inline constexpr std::uint32_t epochs_skipped_by_restore = 4096;

/// Copies a backup into a directory that does not exist yet, ready for foliotd: no generation is
/// given out again. The backup stays as it is.
store_result<done> restore(const std::string& from, const std::string& to);

}  // namespace foliot::store
