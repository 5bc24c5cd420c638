// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

#include <memory>

namespace foliot::store {

/// A store in memory, for tests and simulations: what it holds lives as long as the object.
///
/// It answers as the durable stores do, and is stricter where they cannot afford to be: it aborts
/// where `remove_near::written_once` is claimed for a key that was written more than once (a
/// durable store would bring the old row back one day).
///
/// Time: O(log rows) an operation. Threads: all calls, under one mutex. Memory: the rows, and
/// eight bytes and a node for every near key ever removed. Errors: `fenced`, and `unavailable`
/// where the epochs ran out. Order: as due_store.
[[nodiscard]] std::unique_ptr<due_store> make_memory_store();

}  // namespace foliot::store
