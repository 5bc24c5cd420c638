// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/token.hpp"

#include "protocol/base64.hpp"
#include "protocol/names.hpp"

#include <cstdint>

namespace foliot::protocol {
namespace {

constexpr char delivery_version = 1;
constexpr char list_version = 2;
constexpr char dead_version = 3;

template <class Int>
void append_int(std::string& out, Int value) {
    for (int shift = (static_cast<int>(sizeof(Int)) - 1) * 8; shift >= 0; shift -= 8) {
        out += static_cast<char>((value >> shift) & 0xff);
    }
}

/// Requires sizeof(Int) bytes at the front.
template <class Int>
Int take_int(std::string_view& rest) {
    Int value = 0;
    for (std::size_t i = 0; i < sizeof(Int); ++i) {
        value = static_cast<Int>((value << 8) | static_cast<unsigned char>(rest[i]));
    }
    rest.remove_prefix(sizeof(Int));
    return value;
}

}  // namespace

std::string encode_token(const engine::delivery_token& token) {
    std::string bytes(1, delivery_version);
    append_int(bytes, token.generation.value);
    append_int(bytes, token.attempt);
    append_int(bytes, token.owner_epoch);
    bytes += static_cast<char>(token.ns.size());
    bytes += token.ns;
    bytes += token.id;
    return base64_encode(bytes, base64_form::url);
}

std::string encode_list_cursor(const engine::list_cursor& cursor) {
    std::string bytes(1, list_version);
    append_int(bytes, cursor.due_ms.count);
    append_int(bytes, cursor.seq.value);
    return base64_encode(bytes, base64_form::url);
}

std::string encode_dead_cursor(engine::sequence after) {
    std::string bytes(1, dead_version);
    append_int(bytes, after.value);
    return base64_encode(bytes, base64_form::url);
}

std::optional<engine::delivery_token> decode_token(std::string_view text) {
    const auto bytes = base64_decode(text, base64_form::url);
    if (!bytes || bytes->size() < 18 || bytes->front() != delivery_version) return std::nullopt;
    auto rest = std::string_view{*bytes}.substr(1);
    engine::delivery_token token;
    token.generation.value = take_int<std::uint64_t>(rest);
    token.attempt = take_int<std::uint32_t>(rest);
    token.owner_epoch = take_int<std::uint32_t>(rest);
    const auto ns_bytes = take_int<std::uint8_t>(rest);
    if (token.attempt == 0 || rest.size() <= ns_bytes) return std::nullopt;  // <=: an id follows
    token.ns = rest.substr(0, ns_bytes);
    token.id = rest.substr(ns_bytes);
    if (!is_name(token.ns) || !is_id_text(token.id)) return std::nullopt;
    return token;
}

std::optional<engine::list_cursor> decode_list_cursor(std::string_view text) {
    const auto bytes = base64_decode(text, base64_form::url);
    if (!bytes || bytes->size() != 17 || bytes->front() != list_version) return std::nullopt;
    auto rest = std::string_view{*bytes}.substr(1);
    engine::list_cursor cursor;
    cursor.due_ms.count = take_int<std::uint64_t>(rest);
    cursor.seq.value = take_int<std::uint64_t>(rest);
    return cursor;
}

std::optional<engine::sequence> decode_dead_cursor(std::string_view text) {
    const auto bytes = base64_decode(text, base64_form::url);
    if (!bytes || bytes->size() != 9 || bytes->front() != dead_version) return std::nullopt;
    auto rest = std::string_view{*bytes}.substr(1);
    return engine::sequence{take_int<std::uint64_t>(rest)};
}

}  // namespace foliot::protocol
