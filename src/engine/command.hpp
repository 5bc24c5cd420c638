// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/record.hpp"

#include <foliot/time/tick.hpp>

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace foliot::engine {

using store::payload_kind;
using store::sequence;

/// Due this long after the engine takes the command; measured on the service clock. >= 0.
struct after {
    std::chrono::nanoseconds delay{};
};

/// Due at this wall-clock time (ms since 1970). In the past means at once.
struct at {
    tick wall_ms;
};

/// What must hold of the timer that has this id now, for a change to be made.
struct precondition {
    enum class kind : std::uint8_t { none, absent, generation };
    kind require = kind::none;
    sequence generation;  ///< for kind::generation
};

/// What a set does about a timer that is there. Dues on different clocks are compared as wall-clock
/// times, by the offset of the two clocks at that moment.
enum class set_mode : std::uint8_t {
    replace,  ///< the new one takes its place
    create,   ///< failure{precondition_failed}
    extend,   ///< the new one takes its place if it is due later, else nothing is changed
    advance,  ///< the same if it is due earlier
};

/// Set or replace a timer. Replies: timer_set | failure.
struct set_timer {
    std::string ns;
    std::string id;
    std::string queue;
    std::variant<after, at> when;
    std::string payload;  ///< JSON text as the client wrote it, or raw bytes
    payload_kind kind = payload_kind::json;
    precondition require;
    set_mode mode = set_mode::replace;
    /// How its end is kept, for GET and for retries. Absent: not at all, or as retain.idempotent
    /// says where there is a key.
    std::optional<std::chrono::milliseconds> retain{};
    std::string
        key{};  ///< repeated with the same key, it is answered as the first time. Empty: none
};

/// Replies: timer_cancelled | failure (only if `require` does not hold, or try later).
struct cancel_timer {
    std::string ns;
    std::string id;
    precondition require;
};

/// Replies: timer_view | failure{not_found}.
struct get_timer {
    std::string ns;
    std::string id;
};

/// A place in the due order of a listing; a page resumes strictly after it.
struct list_cursor {
    tick due_ms;
    sequence seq;

    friend constexpr auto operator<=>(list_cursor, list_cursor) = default;
    friend constexpr bool operator==(list_cursor, list_cursor) = default;
};

/// Timers of a namespace in due order. Replies: timer_page.
struct list_timers {
    std::string ns;
    std::string prefix;        ///< of the id; a filter
    tick from_ms{0};           ///< due >= from
    tick to_ms = tick::max();  ///< due < to; the default is no bound
    std::size_t limit = 100;   ///< 1 .. limits.list_page
    std::optional<list_cursor> cursor;
};

/// Dead letters of a queue, oldest first. Replies: timer_page (cursor.seq resumes).
struct list_dead {
    std::string ns;
    std::string queue;
    std::size_t limit = 100;
    sequence after;
};

/// Ask for due timers; waits up to `wait` for the first. Replies: deliveries (may be empty).
struct lease_timers {
    std::string ns;
    std::string queue;
    std::size_t max = 1;                     ///< 1 .. limits.lease_batch
    std::chrono::milliseconds wait{0};       ///< 0 .. limits.lease_wait
    std::chrono::milliseconds lease{30000};  ///< 1 .. limits.lease
};

/// Names one delivery: this attempt of this generation of this id.
struct delivery_token {
    std::string ns;
    std::string id;
    sequence generation;
    std::uint32_t attempt = 1;
    std::uint32_t owner_epoch = 0;  ///< of the engine that leased it; part of the wire token

    friend bool operator==(const delivery_token&, const delivery_token&) = default;
};

/// The timer that takes the place of one that is acked, in the same commit. What is absent stays as
/// it was.
struct next_timer {
    std::variant<after, at> when;
    std::optional<std::string> queue{};
    std::optional<std::string> payload{};
    payload_kind kind = payload_kind::json;  ///< of `payload`
    std::optional<std::chrono::milliseconds> retain{};
};

enum class settlement : std::uint8_t { ack, nack, extend };

/// Settle deliveries. Replies: settled, one outcome a token in their order.
struct settle {
    std::string ns;
    std::string queue;
    settlement how = settlement::ack;
    std::vector<delivery_token> tokens;
    std::optional<std::chrono::nanoseconds> delay;  ///< nack: until the retry; absent = the backoff
    std::chrono::milliseconds lease{30000};         ///< extend: the lease, from now
    std::vector<std::optional<next_timer>> next{};  ///< ack: by token; empty: none has one
};

using command =
    std::variant<set_timer, cancel_timer, get_timer, list_timers, list_dead, lease_timers, settle>;

}  // namespace foliot::engine
