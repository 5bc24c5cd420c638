// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/command.hpp"
#include "engine/options.hpp"
#include "engine/reply.hpp"
#include "engine/stats.hpp"
#include "store/due_store.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace foliot::engine {

// The durable timers of one shard as a state machine: step(now, inputs) -> outputs.
//
// It has no clock, thread, lock or socket: the caller reads the clocks, carries out the store
// requests on threads of its own, and brings the results back as inputs of a later step. The same
// inputs at the same instants give the same outputs.
//
// Time:    O(inputs + timers fired), each firing O(1); one step fires at most options.step_firings.
// Threads: none; one caller at a time.
// Memory:  5/4 of options.window_*, and two timers for each of options.max_waiting_commands,
//          whatever is pending.
// Errors:  replies carry `failure`; nothing throws but std::bad_alloc.
// Order:   commands on one id take effect in the order given. One commit is in flight at a time.

using request_id = std::uint64_t;  ///< picked by the caller, unique among open requests
using io_id = std::uint64_t;       ///< picked by the engine

/// Both clocks, read together, *after* the inputs of the step were collected (so that no delay is
/// measured from before its request came in). `steady` must not run backwards and counts suspend
/// (CLOCK_BOOTTIME); `wall` is time since 1970 and may step.
struct instant {
    std::chrono::nanoseconds steady{};
    std::chrono::nanoseconds wall{};
};

struct request {
    request_id id = 0;
    command what;
};

/// The client of this request is gone: a waiting lease is given up. Unknown ids are ignored.
struct abandon {
    request_id id = 0;
};

struct acquire_request {};
struct commit_request {
    store::epoch epoch{};
    store::batch batch;
};
struct load_near_request {
    store::epoch epoch{};
    store::sequence after;
    std::size_t limit = 0;
};
struct load_far_request {
    store::epoch epoch{};
    store::clock_kind clock{};
    store::far_position after;
    tick to;
    std::size_t limit = 0;
};
struct load_dead_request {
    store::epoch epoch{};
    store::sequence after;
    std::size_t limit = 0;
};
struct find_request {
    store::epoch epoch{};
    std::vector<store::timer_key> keys;
};
using store_request = std::variant<acquire_request, commit_request, load_near_request,
                                   load_far_request, load_dead_request, find_request>;

struct io {
    io_id id = 0;
    store_request what;
};

using store_reply = std::variant<store::store_result<store::acquired>,  // acquire
                                 store::store_result<done>,             // commit
                                 store::store_result<store::page>,      // load_*
                                 store::store_result<std::vector<std::optional<store::found>>>>;

/// The result of an `io`. Exactly one for each, in any order.
struct io_done {
    io_id id = 0;
    store_reply what;
};

/// Graceful stop: refuse new changes (`stopping`), answer waiting leases, write live leases into
/// their rows, then report `outputs::stopped`.
struct stop {};

using input = std::variant<request, abandon, io_done, stop>;

struct answer {
    request_id to = 0;
    reply what;
};

struct outputs {
    std::vector<answer> answers;
    std::vector<io> requests;  ///< commits and acquires: run in order. Loads and finds: any time
    std::optional<std::chrono::nanoseconds> wake_at;  ///< steady time at which to step again;
                                                      ///< in the past: at once
    bool stopped = false;  ///< after `stop`: everything is written, nothing is outstanding
};

class engine {
public:
    explicit engine(const options& o);
    ~engine();
    engine(engine&&) noexcept;
    engine& operator=(engine&&) noexcept;

    /// Consumes the inputs (moves from them).
    outputs step(instant now, std::span<input> inputs);

    /// Gauges and counters; O(number of queues).
    [[nodiscard]] stats snapshot() const;

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace foliot::engine
