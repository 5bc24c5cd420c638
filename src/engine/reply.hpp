// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/command.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace foliot::engine {

enum class failure_code : std::uint8_t {
    not_found,            ///< no timer has this id
    precondition_failed,  ///< If-None-Match / If-Match did not hold; nothing was changed
    key_reused,           ///< the key was used for another set of this id; nothing was changed
    overloaded,           ///< a named limit of work in progress is reached; try later
    not_ready,            ///< the shard is being loaded (start, or after a store error); try later
    store_unavailable,    ///< the store failed or is slow; a change may or may not have been made
    stopping,             ///< the server is going down; nothing was changed
};

struct failure {
    failure_code code = failure_code::store_unavailable;
    std::string message;                 ///< a sentence that a person can act on
    std::string limit_name;              ///< for overloaded: the option, else empty
    std::uint64_t limit = 0;             ///< its value
    std::optional<sequence> generation;  ///< precondition_failed: the current one, if there is one
};

/// Acknowledged: durable before this reply is made.
struct timer_set {
    std::string id;
    sequence generation;
    std::optional<sequence> previous;  ///< absent: created
    tick due_ms;                       ///< as wall-clock time now
    bool changed = true;  ///< false: the timer there is already later (extend) or earlier (advance)
                          ///< and stands; generation, previous and due are its own
};

/// cancelled: will never be delivered. in_flight: a delivery is out; no further attempt will be
/// made. gone: no timer has this id.
enum class cancel_outcome : std::uint8_t { cancelled, in_flight, gone };

struct timer_cancelled {
    std::string id;
    cancel_outcome outcome = cancel_outcome::gone;
};

/// acked, cancelled: it has ended, and is kept for a while for those who ask.
enum class timer_state : std::uint8_t { pending, in_flight, dead, acked, cancelled };

struct timer_view {
    std::string id;
    sequence generation;
    std::string queue;
    timer_state state = timer_state::pending;
    std::uint32_t attempt = 0;  ///< deliveries begun so far
    tick due_ms;
    std::string payload;
    payload_kind kind = payload_kind::json;
    std::optional<tick> ended_ms{};  ///< wall clock; then there is no payload any more
};

struct timer_page {
    std::vector<timer_view> timers;
    std::optional<list_cursor> next;  ///< absent: this was the last page
};

struct delivery {
    delivery_token token;
    std::uint64_t fire = 1;  ///< number of the firing (1 but for recurring timers)
    tick due_ms;
    std::chrono::nanoseconds lateness{};  ///< from the due to this reply's making; never negative
    std::string payload;
    payload_kind kind = payload_kind::json;
};

struct deliveries {
    std::vector<delivery> items;
};

/// stale: the lease ran out, was given to another attempt, or the id was set again.
/// unknown: no timer has this id (acked before, cancelled, or never set).
enum class settle_outcome : std::uint8_t { acked, nacked, extended, stale, unknown };

struct settled {
    std::vector<settle_outcome> outcomes;
    std::vector<std::optional<timer_set>> next{};  ///< by token; empty: none was set
};

using reply =
    std::variant<failure, timer_set, timer_cancelled, timer_view, timer_page, deliveries, settled>;

}  // namespace foliot::engine
