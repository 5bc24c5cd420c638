// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.hpp"
#include "engine/entry.hpp"

#include <foliot/wheel/timer_hook.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>

namespace foliot::engine {

/// A consumer that waits for deliveries; its hook sits in the wheel of time-outs.
struct waiter : timer_hook {
    request_id request = 0;
    queue_state* queue = nullptr;
    std::size_t max = 1;
    std::chrono::milliseconds lease{};
    std::list<waiter>::iterator self;
};

/// Due timers whose entries were given up for room, read again when a consumer asks.
struct queue_backlog {
    std::optional<store::far_position> resume[2];  ///< by clock: read on strictly after this
    tick until[2];                                 ///< by clock: nothing later was put aside
    std::uint64_t count = 0;                       ///< how many were put aside (not yet read again)
    bool loading = false;

    [[nodiscard]] bool any() const { return resume[0] || resume[1]; }

    /// A row at `at` was put aside.
    void add(store::clock_kind clock, store::far_position at) {
        const auto i = static_cast<std::size_t>(clock);
        const store::far_position before{at.next, {at.seq.value - 1}};
        if (!resume[i]) until[i] = at.next;
        if (!resume[i] || before < *resume[i]) resume[i] = before;
        until[i] = std::max(until[i], at.next);
        ++count;
    }
};

/// One queue of one namespace: what is due, what is leased, who waits.
struct queue_state {
    std::string ns;
    std::string name;
    entry* first_ready = nullptr;  ///< in the order in which they fired
    entry* last_ready = nullptr;
    std::size_t ready = 0;
    std::size_t in_flight = 0;
    std::size_t members = 0;  ///< entries that point here; with none of anything it is dropped
    std::list<waiter> waiters;
    queue_backlog backlog;
    bool marked = false;  ///< to be matched at the end of this step

    void push_ready(entry& e) {
        e.previous_ready = last_ready;
        e.next_ready = nullptr;
        (last_ready ? last_ready->next_ready : first_ready) = &e;
        last_ready = &e;
        ++ready;
    }

    void remove_ready(entry& e) {
        (e.previous_ready ? e.previous_ready->next_ready : first_ready) = e.next_ready;
        (e.next_ready ? e.next_ready->previous_ready : last_ready) = e.previous_ready;
        e.previous_ready = e.next_ready = nullptr;
        --ready;
    }

    [[nodiscard]] bool idle() const {
        return members == 0 && waiters.empty() && !backlog.any() && !backlog.loading;
    }
};

}  // namespace foliot::engine
