// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/base64.hpp"

#include <array>
#include <cstdint>

namespace foliot::protocol {
namespace {

constexpr std::string_view letters(base64_form form) {
    return form == base64_form::standard
               ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
               : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
}

constexpr std::uint8_t no_value = 0xff;

constexpr std::array<std::uint8_t, 256> values(base64_form form) {
    std::array<std::uint8_t, 256> out{};
    out.fill(no_value);
    for (std::uint8_t i = 0; i < 64; ++i) {
        out[static_cast<unsigned char>(letters(form)[i])] = i;
    }
    return out;
}

constexpr auto standard_values = values(base64_form::standard);
constexpr auto url_values = values(base64_form::url);

}  // namespace

std::string base64_encode(std::string_view bytes, base64_form form) {
    const auto alphabet = letters(form);
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : bytes) {
        bits = (bits << 8) | static_cast<unsigned char>(c);
        for (held += 8; held >= 6; held -= 6) out += alphabet[(bits >> (held - 6)) & 63];
    }
    if (held > 0) out += alphabet[(bits << (6 - held)) & 63];
    while (form == base64_form::standard && out.size() % 4 != 0) out += '=';
    return out;
}

std::optional<std::string> base64_decode(std::string_view text, base64_form form) {
    if (form == base64_form::standard) {
        if (text.size() % 4 != 0) return std::nullopt;
        for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    }
    if (text.size() % 4 == 1) return std::nullopt;
    const auto& value_of = form == base64_form::standard ? standard_values : url_values;
    std::string out;
    out.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text) {
        const auto value = value_of[static_cast<unsigned char>(c)];
        if (value == no_value) return std::nullopt;
        bits = (bits << 6) | value;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out += static_cast<char>((bits >> held) & 0xff);
    }
    if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
    return out;
}

std::size_t base64_decoded_size(std::string_view text) {
    while (text.ends_with('=')) text.remove_suffix(1);
    return text.size() / 4 * 3 + text.size() % 4 * 3 / 4;
}

}  // namespace foliot::protocol
