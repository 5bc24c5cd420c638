// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

#include <cstdint>
#include <string>

namespace foliot::store {

// The errors that every store words the same way.

inline store_error fenced_off(shard_id shard, epoch e) {
    return {store_code::fenced, "epoch " + std::to_string(static_cast<std::uint32_t>(e)) +
                                    " of shard " + std::to_string(static_cast<unsigned>(shard)) +
                                    " is no longer current"};
}

inline store_error epochs_ran_out(shard_id shard) {
    return {store_code::unavailable,
            "shard " + std::to_string(static_cast<unsigned>(shard)) +
                " has used all 16777215 epochs; its timers must move to a new data directory"};
}

inline store_error id_without_row(shard_id shard, const timer_key& key) {
    return {store_code::corrupt, "shard " + std::to_string(static_cast<unsigned>(shard)) +
                                     ": the id row of " + key.ns + "/" + key.id +
                                     " points to a row that is not there"};
}

}  // namespace foliot::store
