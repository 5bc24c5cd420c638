// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/entry.hpp"
#include "engine/stats.hpp"
#include "store/due_store.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foliot::engine {

/// Something that the store and the memory do not agree about, so far: a change may be under way.
struct suspect {
    enum class fault : std::uint8_t {
        unknown_row,  ///< a near row that memory does not know: it would never fire
        missing_row,  ///< a near row in memory that the store does not have
        lost_row,     ///< a far row that loading has passed by: it would never fire
        wrong_id,     ///< a far row that a look-up of its id does not find
    };
    fault what{};
    store::timer_key key;
    store::far_position at;  ///< of a near row: the sequence only
    store::clock_kind clock{};
};

/// One round after the other: all rows of the store are read, a page at a time, and compared with
/// the memory; then the rows in memory with what was read; then the gauges with what was counted.
///
/// A page is older than the memory that it is compared with. So what does not agree is suspect at
/// first. When all commits that were under way are durable its row is read again, and what memory
/// does not know by then nobody can be changing.
struct self_check {
    enum class stage : std::uint8_t { resting, near, memory, far, looking_again };

    static constexpr std::size_t page_rows = 1024;
    static constexpr std::size_t ids_per_page = 16;    ///< looked up, of a page of far rows
    static constexpr std::size_t max_suspects = 4096;  ///< in a round; more are not looked at again

    stage at = stage::resting;
    bool asked = false;  ///< a page is out
    std::chrono::nanoseconds next_at{};
    std::uint8_t mark = 0;         ///< of this round: entries whose row was read
    batch_number begun_after = 0;  ///< what was durable when it began
    std::uint64_t changes_before = 0;
    store::sequence near_after;
    store::far_position far_after;
    store::clock_kind clock{};
    std::size_t next_cell = 0;
    std::uint64_t near_rows = 0;
    std::uint64_t far_rows = 0;
    std::uint64_t ended_rows = 0;  ///< of both
    std::vector<suspect> suspects;
    bool sorted = false;
    batch_number look_again_after = 0;
    std::uint64_t found = 0;  ///< in this round
    std::string first_found;
};

/// How long ago timers became due that no consumer has taken yet.
struct overdue_sweep {
    std::chrono::nanoseconds next_at{};
    std::size_t next_cell = 0;
    bool running = false;
    overdue_ages ages;
};

}  // namespace foliot::engine
