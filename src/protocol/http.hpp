// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/command.hpp"
#include "engine/reply.hpp"
#include "protocol/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace foliot::protocol {

// The HTTP face of Foliot without the network: a request in, commands for the engine out; the
// engine's replies in, a response out. docs/protocol.md is what clients read about it.
//
//     auto parsed = parse_http(request, limits);
//     call          -> give `what` to the engine; keep `how`; send render(how, reply)
//     batch         -> the same for each call, then join the lines in order and send
//                      batch_response(joined)
//     operational   -> the server's own pages; limits_response() is one of them
//     http_response -> send it: the request was wrong, or there is nothing to do
//
// Time:    linear in the size of the request resp. reply.
// Threads: no state; any function may be called from any thread.
// Memory:  a parsed request owns its data; nothing points into the caller's buffers afterwards.
// Errors:  every wrong input is an http_response with a 4xx and {code,message,field?,limit?};
//          nothing throws but std::bad_alloc.
// Order:   a batch keeps the order of its lines.

/// A whole request. The views must stay valid during parse_http() only. A header that is there but
/// empty is a wrong condition, not a missing one. Authentication and Content-Type are the server's business: any
/// type is taken as JSON (`curl -d` says it sends a form).
struct http_request {
    std::string_view method;  ///< upper case, as on the wire
    std::string_view target;  ///< as on the wire: path and query, still percent-encoded
    std::string_view body;
    std::optional<std::string_view> if_match{};  ///< absent: the request has no such header
    std::optional<std::string_view> if_none_match{};
    std::optional<std::string_view> idempotency_key{};
};

struct http_response {
    unsigned status = 200;
    std::string content_type = "application/json";
    std::string body;
    std::optional<unsigned> retry_after_s;  ///< header Retry-After
    std::string allow;                      ///< header Allow; empty: do not send it
    std::string etag;                       ///< header ETag with its quotes; empty: do not send it
};

/// Which endpoint a call came from.
enum class route : std::uint8_t { set, get, cancel, list, lease, ack, nack, extend, dead };

/// What render() needs to know of a request besides the reply.
struct call_context {
    route from = route::get;
    std::string id;                   ///< set, get, cancel
    std::vector<std::string> tokens;  ///< ack, nack, extend: as the client wrote them
    std::size_t line = 0;             ///< in a batch: the number of its line, from 1
};

/// One command and how to answer it.
struct call {
    engine::command what;
    call_context how;
};

/// One line of a batch: a call, or its finished output line (with its '\n') if it was wrong.
using batch_line = std::variant<call, std::string>;

/// A batch with at least one line. A line that is wrong does not touch the others.
struct batch {
    std::vector<batch_line> lines;
};

/// Pages that the server makes from its own knowledge. All are GET.
enum class operational : std::uint8_t { limits, healthz, readyz, metrics };

using parsed_request = std::variant<call, batch, operational, http_response>;

/// Total: any bytes give one of the four.
[[nodiscard]] parsed_request parse_http(const http_request& request, const limits& l);

/// The bytes of body that a request for this target may have. For the server, which must refuse a
/// longer one before it is in memory; answer then with body_too_large().
[[nodiscard]] std::size_t body_limit(std::string_view target, const limits& l);
[[nodiscard]] http_response body_too_large(std::string_view target, const limits& l);

/// The response to a call. A reply of a kind that its route cannot have is a 500.
[[nodiscard]] http_response render(const call_context& how, const engine::reply& reply);

/// The output line of one call of a batch, with its '\n'.
[[nodiscard]] std::string render_batch_line(const call_context& how, const engine::reply& reply);

/// The response to a batch: 200, with the output lines joined.
[[nodiscard]] http_response batch_response(std::string lines);

/// Everything that an error says. Where a limit was reached, the message names its setting.
struct problem {
    unsigned status = 400;
    std::string code;
    std::string message;
    std::string field{};                   ///< empty: not about a field
    std::optional<std::uint64_t> limit{};  ///< the value of that limit; durations in ms
};

/// An error of the server's own, in the same shape: e.g. {401, "unauthorized", "..."}.
[[nodiscard]] http_response error_response(const problem& p);

/// GET /v1/limits: {"limits.payload_bytes":{"value":65536,"unit":"bytes"}, ...}. `others` are the
/// limits that engine and server enforce themselves.
[[nodiscard]] http_response limits_response(const limits& l, std::span<const named_limit> others);

/// `text` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_quote(std::string_view text);

}  // namespace foliot::protocol
