// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace foliot::protocol {

/// RFC 4648. `standard` is padded (for payloads); `url` is not (for tokens and cursors).
enum class base64_form { standard, url };

[[nodiscard]] std::string base64_encode(std::string_view bytes, base64_form form);

/// Strict: nothing on a foreign character, white space, wrong padding, or bits set beyond the last
/// byte. So each text that decodes is the only one that decodes to its bytes.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text, base64_form form);

/// An upper bound of the decoded size, exact for standard text that decodes.
[[nodiscard]] std::size_t base64_decoded_size(std::string_view text);

}  // namespace foliot::protocol
