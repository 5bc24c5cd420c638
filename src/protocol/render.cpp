// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/render.hpp"

#include "protocol/base64.hpp"
#include "protocol/errors.hpp"
#include "protocol/rfc3339.hpp"
#include "protocol/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace foliot::protocol {
namespace {

using std::back_inserter;

/// The members of an object without its braces, and the status: what a response and a line of a
/// batch have in common.
struct answer {
    unsigned status = 200;
    std::string members;
    std::optional<engine::sequence> generation{};  ///< for ETag
    std::optional<problem> error{};
    std::optional<engine::sequence> current{};  ///< with an error: the generation there is
};

std::string_view name_of(engine::cancel_outcome o) {
    switch (o) {
        case engine::cancel_outcome::cancelled: return "cancelled";
        case engine::cancel_outcome::in_flight: return "in_flight";
        case engine::cancel_outcome::gone: return "gone";
    }
    return "gone";
}

std::string_view name_of(engine::timer_state s) {
    switch (s) {
        case engine::timer_state::pending: return "pending";
        case engine::timer_state::in_flight: return "in_flight";
        case engine::timer_state::dead: return "dead";
        case engine::timer_state::acked: return "acked";
        case engine::timer_state::cancelled: return "cancelled";
    }
    return "pending";
}

std::string_view name_of(engine::settle_outcome o) {
    switch (o) {
        case engine::settle_outcome::acked: return "acked";
        case engine::settle_outcome::nacked: return "nacked";
        case engine::settle_outcome::extended: return "extended";
        case engine::settle_outcome::stale: return "stale";
        case engine::settle_outcome::unknown: return "unknown";
    }
    return "unknown";
}

problem describe(const engine::failure& f) {
    problem out;
    out.message = f.message;
    switch (f.code) {
        case engine::failure_code::not_found: out.status = 404, out.code = "not_found"; break;
        case engine::failure_code::precondition_failed:
            out.status = 412, out.code = "precondition_failed";
            break;
        case engine::failure_code::key_reused:
            out.status = 422, out.code = "idempotency_key_reused";
            break;
        case engine::failure_code::overloaded: out.status = 503, out.code = "overloaded"; break;
        case engine::failure_code::not_ready: out.status = 503, out.code = "not_ready"; break;
        case engine::failure_code::store_unavailable:
            out.status = 503, out.code = "store_unavailable";
            break;
        case engine::failure_code::stopping: out.status = 503, out.code = "stopping"; break;
    }
    if (!f.limit_name.empty()) {
        out.limit = f.limit;
        if (out.message.find(f.limit_name) == std::string::npos) {
            out.message += fmt::format(" ({})", f.limit_name);
        }
    }
    return out;
}

/// "due":"…","due_ms":…, or by another name.
void append_date(std::string& out, std::string_view name, tick due_ms) {
    // A due that is past the year 9999 has no RFC 3339 form.
    if (due_ms.count > max_due_ms) {
        fmt::format_to(back_inserter(out), "\"{}\":null", name);
    } else {
        fmt::format_to(back_inserter(out), "\"{}\":\"{}\"", name, format_rfc3339(due_ms.count));
    }
    fmt::format_to(back_inserter(out), ",\"{}_ms\":{}", name, due_ms.count);
}

void append_due(std::string& out, tick due_ms) { append_date(out, "due", due_ms); }

void append_payload(std::string& out, std::string_view payload, engine::payload_kind kind) {
    if (kind == engine::payload_kind::json) {
        out += "\"payload\":";
        out += payload;
    } else {
        out += "\"payload_base64\":\"";
        out += base64_encode(payload, base64_form::standard);
        out += '"';
    }
}

std::string set_members(const engine::timer_set& set) {
    std::string out = "\"id\":";
    append_quoted(out, set.id);
    fmt::format_to(back_inserter(out),
                   ",\"generation\":\"{}\",\"previous_generation\":", set.generation.value);
    if (set.previous) {
        fmt::format_to(back_inserter(out), "\"{}\",", set.previous->value);
    } else {
        out += "null,";
    }
    append_due(out, set.due_ms);
    if (!set.changed) out += ",\"changed\":false";
    return out;
}

void append_view(std::string& out, const engine::timer_view& view) {
    out += "\"id\":";
    append_quoted(out, view.id);
    fmt::format_to(back_inserter(out), ",\"generation\":\"{}\",\"queue\":", view.generation.value);
    append_quoted(out, view.queue);
    out += ',';
    append_due(out, view.due_ms);
    fmt::format_to(back_inserter(out), ",\"state\":\"{}\",\"attempt\":{},", name_of(view.state),
                   view.attempt);
    if (view.ended_ms) return append_date(out, "ended", *view.ended_ms);
    append_payload(out, view.payload, view.kind);
}

std::string page_members(route from, const engine::timer_page& page) {
    std::string out = "\"timers\":[";
    for (const auto& view : page.timers) {
        out += &view == page.timers.data() ? "{" : ",{";
        append_view(out, view);
        out += '}';
    }
    out += "],\"cursor\":";
    if (!page.next) return out + "null";
    const auto cursor =
        from == route::dead ? encode_dead_cursor(page.next->seq) : encode_list_cursor(*page.next);
    append_quoted(out, cursor);
    return out;
}

/// Milliseconds with at most three decimals: 0.6, 12, 1500.25.
void append_ms(std::string& out, std::chrono::nanoseconds d) {
    const auto us = std::max<std::int64_t>(d.count(), 0) / 1'000;
    fmt::format_to(back_inserter(out), "{}", us / 1'000);
    if (us % 1'000 == 0) return;
    fmt::format_to(back_inserter(out), ".{:03}", us % 1'000);
    while (out.back() == '0') out.pop_back();
}

void append_delivery(std::string& out, const engine::delivery& d) {
    out += "{\"token\":";
    append_quoted(out, encode_token(d.token));
    out += ",\"id\":";
    append_quoted(out, d.token.id);
    fmt::format_to(back_inserter(out), ",\"generation\":\"{}\",\"fire\":{},\"attempt\":{},",
                   d.token.generation.value, d.fire, d.token.attempt);
    append_due(out, d.due_ms);
    out += ",\"lateness_ms\":";
    append_ms(out, d.lateness);
    out += ',';
    append_payload(out, d.payload, d.kind);
    out += '}';
}

std::string delivery_members(const engine::deliveries& list) {
    std::string out = "\"deliveries\":[";
    for (const auto& d : list.items) {
        if (&d != list.items.data()) out += ',';
        append_delivery(out, d);
    }
    return out + ']';
}

std::string settled_members(const std::vector<std::string>& tokens,
                            const engine::settled& settled) {
    std::string out = "\"results\":[";
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i != 0) out += ',';
        out += "{\"token\":";
        append_quoted(out, tokens[i]);
        fmt::format_to(back_inserter(out), ",\"outcome\":\"{}\"", name_of(settled.outcomes[i]));
        if (i < settled.next.size() && settled.next[i]) {
            out += ",\"next\":{" + set_members(*settled.next[i]) + '}';
        }
        out += '}';
    }
    return out + ']';
}

/// Turns each kind of reply into an answer, if the route may have it.
struct renderer {
    const call_context& how;

    answer operator()(const engine::failure& f) const {
        answer out;
        out.error = describe(f);
        out.status = out.error->status;
        out.current = f.generation;
        return out;
    }
    answer operator()(const engine::timer_set& set) const {
        if (how.from != route::set) return unexpected();
        return {set.previous ? 200U : 201U, set_members(set), set.generation};
    }
    answer operator()(const engine::timer_cancelled& cancelled) const {
        if (how.from != route::cancel) return unexpected();
        return {200, fmt::format("\"outcome\":\"{}\"", name_of(cancelled.outcome))};
    }
    answer operator()(const engine::timer_view& view) const {
        if (how.from != route::get) return unexpected();
        answer out{200, {}, view.generation};
        append_view(out.members, view);
        return out;
    }
    answer operator()(const engine::timer_page& page) const {
        if (how.from != route::list && how.from != route::dead) return unexpected();
        return {200, page_members(how.from, page)};
    }
    answer operator()(const engine::deliveries& list) const {
        if (how.from != route::lease) return unexpected();
        return {200, delivery_members(list)};
    }
    answer operator()(const engine::settled& settled) const {
        const bool settles =
            how.from == route::ack || how.from == route::nack || how.from == route::extend;
        if (!settles || settled.outcomes.size() != how.tokens.size()) return unexpected();
        return {200, settled_members(how.tokens, settled)};
    }

    static answer unexpected() {
        answer out;
        out.status = 500;
        out.error = problem{500, "internal_error", "the engine's reply does not fit the request"};
        return out;
    }
};

/// The error's object; a failed precondition also tells the generation that there is.
std::string error_object(const answer& a) {
    auto out = error_json(*a.error);
    if (!a.current) return out;
    out.pop_back();
    return out + fmt::format(",\"generation\":\"{}\"}}", a.current->value);
}

std::string_view op_of(route from) { return from == route::cancel ? "cancel" : "set"; }

}  // namespace

http_response render(const call_context& how, const engine::reply& reply) {
    const auto a = std::visit(renderer{how}, reply);
    if (a.error) {
        auto out = error_response(*a.error);
        out.body = error_object(a);
        return out;
    }
    http_response out;
    out.status = a.status;
    out.body.reserve(a.members.size() + 2);
    out.body += '{';
    out.body += a.members;
    out.body += '}';
    if (a.generation) out.etag = fmt::format("\"{}\"", a.generation->value);
    return out;
}

std::string error_line(const line_label& label, const problem& p) {
    std::string out = "{\"op\":";
    out += label.op ? json_quote(*label.op) : "null";
    out += ",\"id\":";
    out += label.id ? json_quote(*label.id) : "null";
    fmt::format_to(back_inserter(out), ",\"line\":{},\"status\":{},\"error\":{}}}\n", label.number,
                   p.status, error_json(p));
    return out;
}

std::string render_batch_line(const call_context& how, const engine::reply& reply) {
    const auto a = std::visit(renderer{how}, reply);
    auto out = fmt::format("{{\"op\":\"{}\",", op_of(how.from));
    if (a.error || how.from == route::cancel) {  // the members of a set begin with the id
        out += "\"id\":";
        append_quoted(out, how.id);
        out += ',';
    }
    fmt::format_to(back_inserter(out), "\"line\":{},\"status\":{},", how.line, a.status);
    out += a.error ? "\"error\":" + error_object(a) : a.members;
    out += "}\n";
    return out;
}

http_response batch_response(std::string lines) {
    http_response out;
    out.content_type = "application/x-ndjson";
    out.body = std::move(lines);
    return out;
}

}  // namespace foliot::protocol
