// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "require.hpp"

#include "protocol/http.hpp"
#include "protocol/json.hpp"
#include "protocol/token.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

// Any request gives a command that renders, or a 4xx in the one error form. The input is
//   METHOD SP target LF If-Match LF If-None-Match LF body
// and its bytes are also read as a token and as cursors, which must come out as they went in.

namespace {

using namespace foliot;
using namespace foliot::protocol;
using foliot::fuzz::require;

std::string_view take(std::string_view& rest, char separator) {
    const auto end = rest.find(separator);
    const auto part = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return part;
}

/// A reply of the kind that the command gets, with the client's own texts in it.
struct replier {
    engine::reply operator()(const engine::set_timer& c) const {
        return engine::timer_set{c.id, {4711}, engine::sequence{4710}, tick::max()};
    }
    engine::reply operator()(const engine::cancel_timer& c) const {
        return engine::timer_cancelled{c.id, engine::cancel_outcome::in_flight};
    }
    engine::reply operator()(const engine::get_timer& c) const {
        return engine::timer_view{c.id, {4711}, "q",    engine::timer_state::dead,
                                  1,    {0},    "\xff", engine::payload_kind::binary};
    }
    engine::reply operator()(const engine::list_timers& c) const {
        return engine::timer_page{{}, c.cursor};
    }
    engine::reply operator()(const engine::list_dead& c) const {
        return engine::timer_page{{}, engine::list_cursor{{0}, c.after}};
    }
    engine::reply operator()(const engine::lease_timers& c) const {
        engine::delivery d;
        d.token = {c.ns, "x", {4711}, 1};
        d.payload = "null";
        return engine::deliveries{{d}};
    }
    engine::reply operator()(const engine::settle& c) const {
        return engine::settled{{c.tokens.size(), engine::settle_outcome::stale}};
    }
};

void check_renders(const call& made) {
    const auto response = render(made.how, std::visit(replier{}, made.what));
    require(response.status == 200 || response.status == 201, "a fitting reply is a success");
    require(!check_json_object(response.body, {}), "a response is JSON");
    const engine::failure failure{engine::failure_code::overloaded, "\xff\"\n", "limits.x", 1, {}};
    require(!check_json_object(render(made.how, failure).body, {}), "an error is JSON");
    if (made.how.line == 0) return;
    const auto line = render_batch_line(made.how, std::visit(replier{}, made.what));
    require(!check_json_object(line, {}) && line.find('\n') == line.size() - 1, "a line is a line");
}

void check_payload(const call& made) {
    const auto* const set = std::get_if<engine::set_timer>(&made.what);
    if (set == nullptr || set->kind == engine::payload_kind::binary) return;
    require(!check_json_object("{\"payload\":" + set->payload + "}", {}), "a payload is JSON");
}

void check_request(std::string_view input) {
    http_request request;
    request.method = take(input, ' ');
    request.target = take(input, '\n');
    if (const auto match = take(input, '\n'); !match.empty()) request.if_match = match;
    if (const auto none = take(input, '\n'); !none.empty()) request.if_none_match = none;
    request.body = input;
    const auto parsed = parse_http(request, limits{});
    if (const auto* response = std::get_if<http_response>(&parsed)) {
        require(response->status == 200 || (response->status >= 400 && response->status < 500),
                "a refusal is a 4xx");
        require(response->body.empty() || !check_json_object(response->body, {}),
                "a refusal is JSON");
    } else if (const auto* made = std::get_if<call>(&parsed)) {
        check_renders(*made);
        check_payload(*made);
    } else if (const auto* lines = std::get_if<batch>(&parsed)) {
        for (const auto& line : lines->lines) {
            if (const auto* one = std::get_if<call>(&line)) {
                check_renders(*one);
                check_payload(*one);
            } else {
                require(!check_json_object(std::get<std::string>(line), {}), "a line is JSON");
            }
        }
    }
}

void check_tokens(std::string_view text) {
    if (const auto token = decode_token(text)) {
        require(encode_token(*token) == text, "a token has one spelling");
    }
    if (const auto cursor = decode_list_cursor(text)) {
        require(encode_list_cursor(*cursor) == text, "a cursor has one spelling");
    }
    if (const auto after = decode_dead_cursor(text)) {
        require(encode_dead_cursor(*after) == text, "a dead cursor has one spelling");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    check_request(input);
    check_tokens(input);
    return 0;
}
