// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/tick.hpp>
#include <foliot/wheel/timer_hook.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

// Looks into a timer queue of any model without changing it. For people and their tools (a console,
// a test): a queue is made to fire timers, not to list them, and each call visits all of them.
//
// Time:    first_due O(size * log k).
// Threads: as the queue: nothing may change it meanwhile.
// Memory:  first_due holds min(k, size) entries of 24 bytes while it runs, 8 in its result.
// Errors:  std::bad_alloc.
// Order:   first_due: by due; of equal dues, that of the queue's for_each.
namespace foliot {

/// The `k` pending hooks that are due first, or all if there are fewer, the first one first. "Due" is
/// the tick asked for: those that are late already come in the order of their dues, too.
template <timer_queue Queue>
[[nodiscard]] std::vector<timer_hook*> first_due(const Queue& queue, std::size_t k) {
    struct candidate {
        tick due;
        std::size_t visited;
        timer_hook* hook;
    };
    // A heap with the last of the best k on top, which a better one replaces.
    const auto sooner = [](const candidate& a, const candidate& b) {
        return std::pair(a.due, a.visited) < std::pair(b.due, b.visited);
    };
    std::vector<candidate> best;
    best.reserve(std::min(k, queue.size()));
    std::size_t visited = 0;
    queue.for_each([&](timer_hook& hook) {
        const candidate c{hook.due(), visited++, &hook};
        if (best.size() == k) {
            if (k == 0 || !sooner(c, best.front())) return;
            std::pop_heap(best.begin(), best.end(), sooner);
            best.back() = c;
        } else {
            best.push_back(c);
        }
        std::push_heap(best.begin(), best.end(), sooner);
    });
    std::sort_heap(best.begin(), best.end(), sooner);
    std::vector<timer_hook*> hooks;
    hooks.reserve(best.size());
    for (const candidate& c : best) hooks.push_back(c.hook);
    return hooks;
}

}  // namespace foliot
