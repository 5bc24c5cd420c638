// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace foliot::protocol {

/// `text` with each %XX replaced by its byte; nothing if a % is not followed by two hex digits.
/// A '+' is a plus (RFC 3986), not a space: an RFC 3339 offset may be written as it is.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text);

/// A request target at its first '?'. Without one, the query is empty.
struct split_target {
    std::string_view path;
    std::string_view query;
};
[[nodiscard]] split_target split_query(std::string_view target);

/// Takes the first part of `rest`, up to `separator` or the end, off it.
[[nodiscard]] std::string_view take_part(std::string_view& rest, char separator);

}  // namespace foliot::protocol
