// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace foliot::client {

// What the client says and hears. Names are those of the wire (docs/protocol.md); generations and
// tokens are opaque strings, handed back as they came.

enum class error_kind : std::uint8_t {
    bad_argument,     ///< not sent: the request could not be written (bad url, token or payload)
    cannot_connect,   ///< not sent: nobody answered at the address
    connection_lost,  ///< sent, but the connection ended before the whole reply: outcome unknown
    timed_out,        ///< as connection_lost, after options.request_timeout
    bad_reply,        ///< the answer is not one of Foliot's: outcome unknown
    refused,          ///< the server answered with an error; `status` and `code` say which
};

struct client_error {
    error_kind kind = error_kind::bad_reply;
    unsigned status = 0;                 ///< HTTP status for `refused`, else 0
    std::string code;                    ///< the server's code ("not_found"), or the kind's name
    std::string message;                 ///< a sentence that a person can act on
    std::string field;                   ///< of the request, if the server named one
    std::optional<std::uint64_t> limit;  ///< if the server named one

    /// The server is there but cannot take this now; the same request may work later.
    [[nodiscard]] bool try_later() const { return status == 429 || status == 503; }

    /// A change may have been made. False: it certainly was not.
    [[nodiscard]] bool outcome_unknown() const;
};

template <class T>
using client_result = result<T, client_error>;

/// When a timer is due.
class when {
public:
    /// After a delay, counted by the server from the moment it takes the command.
    static when in(std::chrono::milliseconds delay);
    /// The same in words: "1500ms", "2h", "P1DT2H".
    static when in(std::string_view delay);
    /// At a wall-clock time, in ms since 1970.
    static when at_ms(std::int64_t unix_ms);
    /// At an RFC 3339 time with a zone.
    static when at(std::string_view rfc3339);

    [[nodiscard]] const char* member() const { return member_; }     ///< "delay" or "due"
    [[nodiscard]] const std::string& json() const { return json_; }  ///< its value

private:
    when(const char* member, std::string json) : member_(member), json_(std::move(json)) {}
    const char* member_;
    std::string json_;
};

/// What must hold of the timer that has the id now. At most one of the two.
struct condition {
    bool create_only = false;  ///< no timer has this id (If-None-Match: *)
    std::string generation;    ///< it has this generation (If-Match); empty: any
};

struct set_request {
    std::string id;
    when due = when::in(std::chrono::milliseconds{0});
    std::string queue = {};                       ///< empty: the server's default
    std::optional<std::string> payload = {};      ///< JSON text
    std::optional<std::string> raw_payload = {};  ///< bytes, instead of `payload`
    condition require = {};
    std::string mode = {};             ///< "create", "extend", "advance"; empty: replace
    std::string retain = {};           ///< how long its end is kept: "10m"; empty: the default
    std::string idempotency_key = {};  ///< with one, a repeated set makes one timer
};

struct cancel_request {
    std::string id;
    std::string generation = {};  ///< If-Match; empty: any
};

using batch_request = std::variant<set_request, cancel_request>;

struct timer_set {
    std::string id;
    std::string generation;
    std::optional<std::string> previous_generation;  ///< absent: created
    std::int64_t due_ms = 0;
    bool changed = true;  ///< false: the mode left the timer that is there
};

/// cancelled: will never be delivered. in_flight: a delivery is out, no further attempt will be
/// made. gone: no timer has this id.
enum class cancel_outcome : std::uint8_t { cancelled, in_flight, gone };

using batch_result = client_result<std::variant<timer_set, cancel_outcome>>;

struct timer_view {
    std::string id;
    std::string generation;
    std::string queue;
    std::string state;  ///< "pending", "in_flight", "dead"; "acked", "cancelled": it has ended
    std::uint32_t attempt = 0;
    std::int64_t due_ms = 0;
    std::string payload = "null";  ///< JSON text; of binary payloads the base64 as a JSON string
    bool binary = false;
    std::optional<std::int64_t> ended_ms = {};
};

struct list_request {
    std::string prefix = {};
    std::string from = {};  ///< due >= from; RFC 3339 or unix ms; empty: no bound
    std::string to = {};    ///< due < to
    std::size_t limit = 0;  ///< 0: the server's default
    std::string cursor = {};
};

struct timer_page {
    std::vector<timer_view> timers;
    std::string cursor;  ///< empty: this was the last page
};

struct lease_request {
    std::string queue = "default";
    std::size_t max = 1;
    std::chrono::milliseconds wait{0};
    std::chrono::milliseconds lease{30000};
};

struct delivery {
    std::string token;
    std::string id;
    std::string generation;
    std::uint64_t fire = 1;
    std::uint32_t attempt = 1;
    std::int64_t due_ms = 0;
    double lateness_ms = 0;
    std::string payload = "null";  ///< as in timer_view
    bool binary = false;
};

struct settlement {
    std::string token;
    std::string outcome;                 ///< "acked", "nacked", "extended", "stale" or "unknown"
    std::optional<timer_set> next = {};  ///< what an ack with `next` has set
};

/// What an ack sets for the same id, in the same commit. What is empty stays as it was.
struct next_timer {
    when due = when::in(std::chrono::milliseconds{0});
    std::string queue = {};
    std::optional<std::string> payload = {};  ///< JSON text
};

struct readiness {
    bool ready = false;
    std::string body;  ///< what the server said, for people
};

const char* name(cancel_outcome outcome);

}  // namespace foliot::client
