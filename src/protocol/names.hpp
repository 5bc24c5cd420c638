// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/http.hpp"

#include <optional>
#include <string_view>

namespace foliot::protocol {

/// [A-Za-z0-9._-]+, whatever its length.
[[nodiscard]] bool is_name(std::string_view text);

/// UTF-8 without control characters, whatever its length.
[[nodiscard]] bool is_id_text(std::string_view text);

/// Nothing if `text` may name a namespace or queue (`field`: "ns", "queue"); else name_too_long or
/// bad_name.
[[nodiscard]] std::optional<problem> check_name(std::string_view text, std::string_view field,
                                                const limits& l);

/// Nothing if `text` may be an id; else id_too_long or bad_id.
[[nodiscard]] std::optional<problem> check_id(std::string_view text, std::string_view field,
                                              const limits& l);

/// The same for a prefix of an id, which may be empty.
[[nodiscard]] std::optional<problem> check_prefix(std::string_view text, std::string_view field,
                                                  const limits& l);

}  // namespace foliot::protocol
