// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/subjects.hpp"
#include "service/world.hpp"
#include "support/interleaving/explore.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace foliot {

using namespace std::chrono_literals;

/// Threads, what they do, and how the orders in which they may do it are explored.
struct scenario {
    interleaving::exploration how;
    std::function<void()> run;
};
using scenarios = std::vector<scenario>;

/// All calls of a timer, two at a time, beside the pass that fires it; on a shard.
[[nodiscard]] scenarios shard_scenarios();
/// The same on a service that is polled, and what callbacks do from within.
[[nodiscard]] scenarios polled_scenarios();
/// What becomes of timers for which an executor has no room.
[[nodiscard]] scenarios overload_scenarios();
/// With a driver and workers: who is woken, and when; stops from everywhere.
[[nodiscard]] scenarios driver_scenarios();
/// reusable_timer.
[[nodiscard]] scenarios reusable_scenarios();

using shard_world = world<shard_subject>;
using service_world = world<service_subject>;
using interleaving::thread;

/// A service that does nothing by itself.
[[nodiscard]] inline service_options polled() {
    service_options o;
    o.driver = false;
    o.workers = 0;
    o.shards = 1;
    o.watchdog = 0ns;
    return o;
}

[[nodiscard]] inline interleaving::exploration all_of(std::string name) {
    return {.name = std::move(name)};
}
/// With a preemption more for each time that is deeper than usual.
[[nodiscard]] inline interleaving::exploration bounded(std::string name, unsigned preemptions) {
    return {.name = std::move(name),
            .how = interleaving::search::bounded,
            .preemptions = preemptions + interleaving::depth() - 1,
            .executions = 20'000'000};
}

/// Runs each in a thread, and returns when all have ended.
template <class... F>
void in_threads(F... each) {
    std::vector<thread> threads;
    (threads.emplace_back(std::move(each)), ...);
    for (thread& t : threads) t.join();
}

}  // namespace foliot
