// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace foliot::protocol {

/// One code point and the bytes it took.
struct code_point {
    std::uint32_t value = 0;
    std::size_t bytes = 1;
};

/// The code point at the start of `text` (not empty); nothing if the bytes are not UTF-8
/// (over-long forms, surrogates and values above U+10FFFF are not).
[[nodiscard]] std::optional<code_point> decode_utf8(std::string_view text);

/// The offset of the first byte that is not UTF-8.
[[nodiscard]] std::optional<std::size_t> find_bad_utf8(std::string_view text);

/// U+0000..U+001F, U+007F..U+009F.
[[nodiscard]] constexpr bool is_control(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c <= 0x9f);
}

}  // namespace foliot::protocol
