// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/wire.hpp"

#include "client/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unordered_map>

namespace foliot::client::detail {

namespace {

/// The members of one object by name; the views point into the text.
class object {
public:
    explicit object(std::string_view text) {
        each_member(text, [this](std::string_view key, std::string_view value) {
            members_.emplace(key, value);
        });
    }

    [[nodiscard]] std::string_view raw(std::string_view key) const {
        const auto found = members_.find(std::string(key));
        return found == members_.end() ? std::string_view{} : found->second;
    }
    [[nodiscard]] bool has(std::string_view key) const {
        return !raw(key).empty() && raw(key) != "null";
    }
    [[nodiscard]] std::string text(std::string_view key) const { return unquote(raw(key)); }

    template <class Int>
    [[nodiscard]] Int integer(std::string_view key) const {
        const auto digits = raw(key);
        Int value{};
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return value;
    }
    [[nodiscard]] double number(std::string_view key) const {
        return std::strtod(std::string(raw(key)).c_str(), nullptr);
    }

private:
    std::unordered_map<std::string, std::string_view> members_;
};

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += k <= have ? digits[group >> (18 - 6 * k) & 63] : '=';
        }
    }
    return out;
}

client_error not_json(std::string_view id) {
    return {.kind = error_kind::bad_argument,
            .status = 0,
            .code = "payload_not_json",
            .message = "the payload of '" + std::string(id) + "' is not JSON",
            .field = "payload",
            .limit = {}};
}

/// The members of a set that its body and its batch line share, each with a leading comma.
client_result<std::string> set_members(const set_request& request) {
    std::string out = std::string(",\"") + request.due.member() + "\":" + request.due.json();
    if (!request.queue.empty()) out += ",\"queue\":" + quote(request.queue);
    if (!request.mode.empty()) out += ",\"mode\":" + quote(request.mode);
    if (!request.retain.empty()) out += ",\"retain\":" + quote(request.retain);
    if (request.raw_payload) out += ",\"payload_base64\":\"" + base64(*request.raw_payload) + '"';
    if (request.payload) {
        if (!is_json(*request.payload)) return not_json(request.id);
        out += ",\"payload\":" + *request.payload;
    }
    return out;
}

std::string payload_of(const object& o, bool& binary) {
    binary = o.has("payload_base64");
    const auto raw = o.raw(binary ? "payload_base64" : "payload");
    return raw.empty() ? "null" : std::string(raw);
}

timer_view view_of(std::string_view text) {
    const object o(text);
    timer_view view{.id = o.text("id"),
                    .generation = o.text("generation"),
                    .queue = o.text("queue"),
                    .state = o.text("state"),
                    .attempt = o.integer<std::uint32_t>("attempt"),
                    .due_ms = o.integer<std::int64_t>("due_ms")};
    view.payload = payload_of(o, view.binary);
    if (o.has("ended_ms")) view.ended_ms = o.integer<std::int64_t>("ended_ms");
    return view;
}

delivery delivery_of(std::string_view text) {
    const object o(text);
    delivery d{.token = o.text("token"),
               .id = o.text("id"),
               .generation = o.text("generation"),
               .fire = o.integer<std::uint64_t>("fire"),
               .attempt = o.integer<std::uint32_t>("attempt"),
               .due_ms = o.integer<std::int64_t>("due_ms"),
               .lateness_ms = o.number("lateness_ms")};
    d.payload = payload_of(o, d.binary);
    return d;
}

client_error error_of(unsigned status, const object& o) {
    client_error e{.kind = error_kind::refused,
                   .status = status,
                   .code = o.text("code"),
                   .message = o.text("message"),
                   .field = o.text("field"),
                   .limit = {}};
    if (o.has("limit")) e.limit = o.integer<std::uint64_t>("limit");
    return e;
}

std::optional<timer_set> set_of(const object& o) {
    if (!o.has("generation") || !o.has("due_ms")) return std::nullopt;
    timer_set set{.id = o.text("id"),
                  .generation = o.text("generation"),
                  .previous_generation = {},
                  .due_ms = o.integer<std::int64_t>("due_ms")};
    if (o.has("previous_generation")) set.previous_generation = o.text("previous_generation");
    set.changed = o.raw("changed") != "false";
    return set;
}

std::optional<cancel_outcome> cancel_of(const object& o) {
    const auto outcome = o.text("outcome");
    for (const auto known :
         {cancel_outcome::cancelled, cancel_outcome::in_flight, cancel_outcome::gone}) {
        if (outcome == name(known)) return known;
    }
    return std::nullopt;
}

}  // namespace

std::string percent_encode(std::string_view text) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        if (plain.find(c) != plain.npos) {
            out += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += '%';
            out += hex[byte >> 4];
            out += hex[byte & 15];
        }
    }
    return out;
}

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
}

client_error bad_header(std::string_view what) {
    return {.kind = error_kind::bad_argument,
            .status = 0,
            .code = "bad_header",
            .message = std::string(what) + " has a control character, perhaps a line break",
            .field = {},
            .limit = {}};
}

client_result<std::string> set_body(const set_request& request) {
    auto members = set_members(request);
    if (!members) return members;
    return "{" + members->substr(1) + "}";
}

client_result<std::string> batch_body_line(const batch_request& request) {
    if (const auto* cancel = std::get_if<cancel_request>(&request)) {
        std::string line = "{\"op\":\"cancel\",\"id\":" + quote(cancel->id);
        if (!cancel->generation.empty()) line += ",\"if_match\":" + quote(cancel->generation);
        return line + "}\n";
    }
    const auto& set = std::get<set_request>(request);
    auto members = set_members(set);
    if (!members) return members;
    // A line break inside a payload would end the line; in valid JSON it is only white space.
    for (char& c : *members) {
        if (c == '\n' || c == '\r') c = ' ';
    }
    std::string line = "{\"op\":\"set\",\"id\":" + quote(set.id) + *members;
    if (set.require.create_only) line += ",\"if_none_match\":\"*\"";
    if (!set.require.generation.empty()) line += ",\"if_match\":" + quote(set.require.generation);
    if (!set.idempotency_key.empty()) {
        line += ",\"idempotency_key\":" + quote(set.idempotency_key);
    }
    return line + "}\n";
}

std::string lease_body(const lease_request& request) {
    return "{\"max\":" + std::to_string(request.max) +
           ",\"wait\":" + std::to_string(request.wait.count()) +
           ",\"lease\":" + std::to_string(request.lease.count()) + "}";
}

std::string settle_body(std::span<const std::string> tokens, std::string_view extra) {
    std::string body = "{\"tokens\":[";
    for (const auto& token : tokens) {
        if (&token != tokens.data()) body += ',';
        body += quote(token);
    }
    body += ']';
    if (!extra.empty()) body.append(",").append(extra);
    return body + "}";
}

client_result<std::string> ack_next_body(std::span<const std::string> tokens,
                                         const next_timer& next) {
    std::string members = std::string("\"") + next.due.member() + "\":" + next.due.json();
    if (!next.queue.empty()) members += ",\"queue\":" + quote(next.queue);
    if (next.payload) {
        if (!is_json(*next.payload)) return not_json("next");
        members += ",\"payload\":" + *next.payload;
    }
    std::string body = "{\"acks\":[";
    for (const auto& token : tokens) {
        if (&token != tokens.data()) body += ',';
        body += "{\"token\":" + quote(token) + ",\"next\":{" + members + "}}";
    }
    return body + "]}";
}

client_error bad_reply(std::string_view what, std::string_view body) {
    std::string message = "the answer is not ";
    message.append(what).append(": ").append(body.substr(0, 200));
    return {.kind = error_kind::bad_reply,
            .status = 0,
            .code = "bad_reply",
            .message = std::move(message),
            .field = {},
            .limit = {}};
}

client_error read_error(unsigned status, std::string_view body) {
    if (is_json(body)) {
        auto e = error_of(status, object(body));
        if (!e.code.empty()) return e;
    }
    return {.kind = error_kind::refused,
            .status = status,
            .code = "http_" + std::to_string(status),
            .message = "the server answered with status " + std::to_string(status),
            .field = {},
            .limit = {}};
}

client_result<timer_set> read_set(std::string_view body) {
    if (is_json(body)) {
        if (auto set = set_of(object(body))) return *std::move(set);
    }
    return bad_reply("that of a set", body);
}

client_result<cancel_outcome> read_cancel(std::string_view body) {
    if (is_json(body)) {
        if (auto outcome = cancel_of(object(body))) return *outcome;
    }
    return bad_reply("that of a cancel", body);
}

batch_result read_batch_line(std::string_view line) {
    using success = std::variant<timer_set, cancel_outcome>;
    if (!is_json(line)) return bad_reply("a line of a batch", line);
    const object o(line);
    if (o.has("error")) return read_error(o.integer<unsigned>("status"), o.raw("error"));
    if (auto outcome = cancel_of(o)) return success(*outcome);
    if (auto set = set_of(o)) return success(*std::move(set));
    return bad_reply("a line of a batch", line);
}

client_result<timer_view> read_view(std::string_view body) {
    if (!is_json(body) || member(body, "id").empty()) return bad_reply("a timer", body);
    return view_of(body);
}

client_result<timer_page> read_page(std::string_view body) {
    if (!is_json(body) || member(body, "timers").empty()) return bad_reply("a list", body);
    timer_page page;
    each_element(member(body, "timers"),
                 [&](std::string_view timer) { page.timers.push_back(view_of(timer)); });
    page.cursor = unquote(member(body, "cursor"));
    return page;
}

client_result<std::vector<delivery>> read_deliveries(std::string_view body) {
    if (!is_json(body) || member(body, "deliveries").empty()) return bad_reply("a lease", body);
    std::vector<delivery> out;
    each_element(member(body, "deliveries"),
                 [&](std::string_view one) { out.push_back(delivery_of(one)); });
    return out;
}

client_result<std::vector<settlement>> read_settlements(std::string_view body) {
    if (!is_json(body) || member(body, "results").empty()) return bad_reply("that of an ack", body);
    std::vector<settlement> out;
    each_element(member(body, "results"), [&](std::string_view one) {
        const object o(one);
        settlement s{.token = o.text("token"), .outcome = o.text("outcome")};
        if (o.has("next")) s.next = set_of(object(o.raw("next")));
        out.push_back(std::move(s));
    });
    return out;
}

}  // namespace foliot::client::detail
