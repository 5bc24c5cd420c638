// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/names.hpp"

#include "protocol/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace foliot::protocol {
namespace {

constexpr bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

}  // namespace

bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_name_char);
}

bool is_id_text(std::string_view text) {
    while (!text.empty()) {
        const auto c = decode_utf8(text);
        if (!c || is_control(c->value)) return false;
        text.remove_prefix(c->bytes);
    }
    return true;
}

std::optional<problem> check_name(std::string_view text, std::string_view field, const limits& l) {
    if (text.size() > l.name_bytes) {
        return problem{400, "name_too_long",
                       fmt::format("{} is {} bytes; the limit is {} (limits.name_bytes)", field,
                                   text.size(), l.name_bytes),
                       std::string{field}, l.name_bytes};
    }
    if (!is_name(text)) {
        return problem{
            400, "bad_name",
            fmt::format("{} must be 1 to {} characters of A-Z a-z 0-9 . _ -", field, l.name_bytes),
            std::string{field}};
    }
    return std::nullopt;
}

std::optional<problem> check_id(std::string_view text, std::string_view field, const limits& l) {
    if (text.empty()) {
        return problem{400, "bad_id", fmt::format("{} is empty", field), std::string{field}};
    }
    return check_prefix(text, field, l);
}

std::optional<problem> check_prefix(std::string_view text, std::string_view field,
                                    const limits& l) {
    if (text.size() > l.id_bytes) {
        return problem{400, "id_too_long",
                       fmt::format("{} is {} bytes; the limit is {} (limits.id_bytes)", field,
                                   text.size(), l.id_bytes),
                       std::string{field}, l.id_bytes};
    }
    if (!is_id_text(text)) {
        return problem{400, "bad_id",
                       fmt::format("{} must be UTF-8 without control characters", field),
                       std::string{field}};
    }
    return std::nullopt;
}

}  // namespace foliot::protocol
