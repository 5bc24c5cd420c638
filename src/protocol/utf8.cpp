// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/utf8.hpp"

namespace foliot::protocol {

std::optional<code_point> decode_utf8(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return code_point{first, 1};
    std::size_t bytes = 0;
    std::uint32_t value = 0;
    std::uint32_t smallest = 0;
    if (first >= 0xc2 && first <= 0xdf) {
        bytes = 2, value = first & 0x1fU, smallest = 0x80;
    } else if (first >= 0xe0 && first <= 0xef) {
        bytes = 3, value = first & 0x0fU, smallest = 0x800;
    } else if (first >= 0xf0 && first <= 0xf4) {
        bytes = 4, value = first & 0x07U, smallest = 0x10000;
    }
    if (bytes == 0 || text.size() < bytes) return std::nullopt;
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0U) != 0x80) return std::nullopt;
        value = (value << 6) | (next & 0x3fU);
    }
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    if (value < smallest || value > 0x10ffff || surrogate) return std::nullopt;
    return code_point{value, bytes};
}

std::optional<std::size_t> find_bad_utf8(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const auto c = decode_utf8(text.substr(at));
        if (!c) return at;
        at += c->bytes;
    }
    return std::nullopt;
}

}  // namespace foliot::protocol
