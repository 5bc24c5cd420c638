// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/base64.hpp"
#include "protocol/names.hpp"
#include "protocol/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

namespace foliot::protocol {
namespace {

constexpr std::array<std::string_view, 7> names{"delay",          "due",  "queue", "payload",
                                                "payload_base64", "mode", "retain"};

problem conflict(std::string_view one, std::string_view other) {
    return {400, "conflicting_fields", fmt::format("{} and {} exclude each other", one, other),
            std::string{other}};
}

std::optional<problem> read_when(engine::set_timer& out, const field_set& fields, const limits& l) {
    const auto* const delay = fields.find("delay");
    const auto* const due = fields.find("due");
    if (delay != nullptr && due != nullptr) return conflict("delay", "due");
    if (delay != nullptr) {
        const auto span =
            read_duration("delay", *delay, l.max_delay, "limits.max_delay", "due_too_far");
        if (!span) return span.error();
        out.when = engine::after{*span};
        return std::nullopt;
    }
    if (due != nullptr) {
        const auto date = read_date("due", *due);
        if (!date) return date.error();
        out.when = engine::at{*date};
        return std::nullopt;
    }
    return problem{400, "missing_field", "delay or due is required", "delay"};
}

problem payload_too_large(std::string_view field, std::size_t bytes, const limits& l) {
    return {413, "payload_too_large",
            fmt::format("payload is {} bytes; the limit is {} (limits.payload_bytes)", bytes,
                        l.payload_bytes),
            std::string{field}, l.payload_bytes};
}

std::optional<problem> read_payload(engine::set_timer& out, const field_set& fields,
                                    const limits& l) {
    const auto* const json = fields.find("payload");
    const auto* const binary = fields.find("payload_base64");
    if (json != nullptr && binary != nullptr) return conflict("payload", "payload_base64");
    if (json != nullptr && json->raw.size() > l.payload_bytes) {
        return payload_too_large("payload", json->raw.size(), l);
    }
    if (binary == nullptr) {
        out.payload = json != nullptr ? json->raw : "null";
        out.kind = engine::payload_kind::json;
        return std::nullopt;
    }
    const auto text = read_string("payload_base64", *binary);
    if (!text) return text.error();
    const auto bytes = base64_decoded_size(*text);
    if (bytes > l.payload_bytes) return payload_too_large("payload_base64", bytes, l);
    auto decoded = base64_decode(*text, base64_form::standard);
    if (!decoded) {
        return problem{400, "bad_base64",
                       "payload_base64 must be standard base64 with its padding (RFC 4648)",
                       "payload_base64"};
    }
    out.payload = std::move(*decoded);
    out.kind = engine::payload_kind::binary;
    return std::nullopt;
}

std::optional<problem> read_mode(engine::set_timer& out, const field_set& fields) {
    const auto* const mode = fields.find("mode");
    if (mode == nullptr) return std::nullopt;
    const auto name = read_string("mode", *mode);
    if (!name) return name.error();
    using engine::set_mode;
    constexpr std::array<std::pair<std::string_view, set_mode>, 4> modes{
        {{"replace", set_mode::replace},
         {"create", set_mode::create},
         {"extend", set_mode::extend},
         {"advance", set_mode::advance}}};
    for (const auto& [known, value] : modes) {
        if (*name != known) continue;
        out.mode = value;
        return std::nullopt;
    }
    return problem{400, "bad_mode", "mode must be replace, create, extend or advance", "mode"};
}

}  // namespace

std::span<const std::string_view> next_fields() {
    static constexpr std::array<std::string_view, 6> next{
        "delay", "due", "queue", "payload", "payload_base64", "retain"};
    return next;
}

result<engine::next_timer, problem> read_next(const field_set& fields, const limits& l) {
    auto set = read_set(fields, l);
    if (!set) return set.error();
    engine::next_timer out;
    out.when = set->when;
    out.retain = set->retain;
    if (fields.find("queue") != nullptr) out.queue = std::move(set->queue);
    if (fields.find("payload") != nullptr || fields.find("payload_base64") != nullptr) {
        out.payload = std::move(set->payload);
        out.kind = set->kind;
    }
    return out;
}

result<std::string, problem> read_key(std::string_view field, std::string_view text,
                                      const limits& l) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
    }
    if (text.size() > l.idempotency_key_bytes) {
        return problem{400, "bad_idempotency_key",
                       fmt::format("{} is {} bytes; the limit is {} (limits.idempotency_key_bytes)",
                                   field, text.size(), l.idempotency_key_bytes),
                       std::string{field}, l.idempotency_key_bytes};
    }
    if (text.empty() || !is_id_text(text)) {
        return problem{
            400, "bad_idempotency_key",
            fmt::format("{} must be UTF-8 without control characters, and not empty", field),
            std::string{field}};
    }
    return std::string{text};
}

std::span<const std::string_view> set_fields() { return names; }

result<engine::set_timer, problem> read_set(const field_set& fields, const limits& l) {
    engine::set_timer out;
    out.queue = "default";
    if (const auto* const queue = fields.find("queue")) {
        auto name = read_string("queue", *queue);
        if (!name) return name.error();
        if (auto bad = check_name(*name, "queue", l)) return std::move(*bad);
        out.queue = std::move(*name);
    }
    if (auto bad = read_when(out, fields, l)) return std::move(*bad);
    if (auto bad = read_payload(out, fields, l)) return std::move(*bad);
    if (auto bad = read_mode(out, fields)) return std::move(*bad);
    if (const auto* const retain = fields.find("retain")) {
        const auto span =
            read_duration("retain", *retain, l.max_retain, "limits.max_retain", "over_limit");
        if (!span) return span.error();
        out.retain = std::chrono::ceil<std::chrono::milliseconds>(*span);
    }
    return out;
}

std::optional<problem> add_condition(engine::set_timer& set, const engine::precondition& require,
                                     std::string_view field) {
    const bool wants_one = require.require == engine::precondition::kind::generation;
    if (wants_one && set.mode == engine::set_mode::create) {
        return problem{400, "conflicting_fields",
                       fmt::format("mode create and {} exclude each other", field), "mode"};
    }
    set.require = require;
    return std::nullopt;
}

result<engine::precondition, problem> read_if_match(std::string_view field, std::string_view text) {
    auto digits = text;
    if (digits.size() >= 2 && digits.front() == '"' && digits.back() == '"') {
        digits = digits.substr(1, digits.size() - 2);
    }
    engine::precondition out{engine::precondition::kind::generation, {}};
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, out.generation.value);
    if (parsed.ec != std::errc{} || parsed.ptr != end) {
        return problem{400, "bad_precondition",
                       fmt::format("{} must be one generation, such as \"4711\"", field),
                       std::string{field}};
    }
    return out;
}

result<engine::precondition, problem> read_if_none_match(std::string_view field,
                                                         std::string_view text) {
    if (text != "*") {
        return problem{400, "bad_precondition",
                       fmt::format("{} must be *: set only if there is no timer", field),
                       std::string{field}};
    }
    return engine::precondition{engine::precondition::kind::absent, {}};
}

}  // namespace foliot::protocol
