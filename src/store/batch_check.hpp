// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace foliot::store {

// What callers of a store must guarantee, checked in release builds too: a store that went on
// would lose timers in silence.

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "foliot: a caller of the store broke its contract: %s\n", what);
    std::abort();
}

/// No far row may be put below the low-water mark that its own commit sets: no scan would meet it.
inline void check_batch(const batch& b) {
    for (const operation& op : b.operations) {
        const auto* far = std::get_if<put_far>(&op);
        if (far == nullptr) continue;
        const due_point next = far->row.next;
        require(next.at >= b.meta.far_low_water[static_cast<std::size_t>(next.clock)],
                "put_far below the far low-water mark");
    }
}

/// What a row counts for towards `max_page_bytes`.
inline std::size_t page_bytes(const record& row) {
    return row.ns.size() + row.id.size() + row.queue.size() + row.payload.size() + row.extra.size();
}

}  // namespace foliot::store
