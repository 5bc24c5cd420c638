// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/names.hpp"
#include "protocol/parse.hpp"
#include "protocol/render.hpp"
#include "protocol/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foliot::protocol {
namespace {

std::vector<std::string_view> all_fields() {
    std::vector<std::string_view> out{"op", "id", "if_match", "if_none_match", "idempotency_key"};
    out.insert(out.end(), set_fields().begin(), set_fields().end());
    return out;
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

result<std::string, problem> read_required(const field_set& fields, std::string_view name) {
    const auto* const value = fields.find(name);
    if (value == nullptr) return missing_field(name);
    return read_string(name, *value);
}

result<engine::precondition, problem> read_precondition(const field_set& fields) {
    const auto* const match = fields.find("if_match");
    const auto* const none_match = fields.find("if_none_match");
    if (match != nullptr && none_match != nullptr) {
        return problem{400, "conflicting_fields", "if_match and if_none_match exclude each other",
                       "if_none_match"};
    }
    if (match == nullptr && none_match == nullptr) return engine::precondition{};
    const std::string_view name = match != nullptr ? "if_match" : "if_none_match";
    const auto text = read_string(name, match != nullptr ? *match : *none_match);
    if (!text) return text.error();
    return match != nullptr ? read_if_match(name, *text) : read_if_none_match(name, *text);
}

std::optional<problem> only_cancel_fields(const field_set& fields) {
    for (const auto& member : fields.members()) {
        if (member.name != "op" && member.name != "id" && member.name != "if_match") {
            return unknown_field(member.name);
        }
    }
    return std::nullopt;
}

result<call, problem> parse_line(std::string_view ns, std::string_view line, std::size_t number,
                                 const limits& l) {
    static const auto allowed = all_fields();
    const auto fields = field_set::read(line, allowed);
    if (!fields) return fields.error();
    const auto op = read_required(*fields, "op");
    if (!op) return op.error();
    if (*op != "set" && *op != "cancel") {
        return problem{400, "unknown_op", "op must be set or cancel", "op"};
    }
    auto id = read_required(*fields, "id");
    if (!id) return id.error();
    if (auto bad = check_id(*id, "id", l)) return std::move(*bad);
    const auto require = read_precondition(*fields);
    if (!require) return require.error();

    if (*op == "cancel") {
        if (auto bad = only_cancel_fields(*fields)) return std::move(*bad);
        return call{engine::cancel_timer{std::string{ns}, *id, *require},
                    {route::cancel, *id, {}, number}};
    }
    auto set = read_set(*fields, l);
    if (!set) return set.error();
    set->ns = ns;
    set->id = *id;
    if (auto bad = add_condition(*set, *require, "if_match")) return std::move(*bad);
    if (const auto* const key = fields->find("idempotency_key")) {
        const auto text = read_string("idempotency_key", *key);
        if (!text) return text.error();
        auto checked = read_key("idempotency_key", *text, l);
        if (!checked) return checked.error();
        set->key = std::move(*checked);
    }
    return call{std::move(*set), {route::set, std::move(*id), {}, number}};
}

/// What a wrong line says of itself, as far as it can be read.
line_label label_of(std::string_view line, std::size_t number) {
    line_label out{{}, {}, number};
    object_reader reader{line};
    while (auto member = reader.next()) {
        if (member->value.kind != json_kind::string) continue;
        if (member->name == "op") out.op = string_content(member->value.raw);
        if (member->name == "id") out.id = string_content(member->value.raw);
    }
    return out;
}

batch_line read_line(std::string_view ns, std::string_view line, std::size_t number,
                     const limits& l) {
    if (line.size() > l.body_bytes) {
        return error_line({{}, {}, number},
                          {413,
                           "body_too_large",
                           fmt::format("the line is {} bytes; the limit is {} (limits.body_bytes)",
                                       line.size(), l.body_bytes),
                           {},
                           l.body_bytes});
    }
    if (const auto bad = check_json_object(line, l)) return error_line({{}, {}, number}, *bad);
    auto made = parse_line(ns, line, number, l);
    if (!made) return error_line(label_of(line, number), made.error());
    return std::move(*made);
}

}  // namespace

parsed_request parse_batch(const matched& where, std::string_view body, const limits& l) {
    std::size_t count = 0;
    for (auto rest = body; !rest.empty();) count += is_blank(take_part(rest, '\n')) ? 0 : 1;
    if (count == 0) return batch_response({});
    if (count > l.batch_lines) {
        return error_response({413,
                               "batch_too_large",
                               fmt::format("the batch has {} lines; the limit is {} "
                                           "(limits.batch_lines)",
                                           count, l.batch_lines),
                               {},
                               l.batch_lines});
    }
    batch out;
    out.lines.reserve(count);
    std::size_t number = 0;
    while (!body.empty()) {
        const auto line = take_part(body, '\n');
        ++number;
        if (!is_blank(line)) out.lines.push_back(read_line(where.ns, line, number, l));
    }
    return out;
}

}  // namespace foliot::protocol
