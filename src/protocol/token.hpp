// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/command.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace foliot::protocol {

// Tokens and cursors as clients carry them: base64url of a version byte and fixed fields, integers
// big-endian. They are not secret and not signed: whoever may lease in a namespace may also settle
// in it. A text that decodes is the only spelling of its value.
//
//   delivery  1, generation 8 bytes, attempt 4, owner's epoch 4, length of ns 1, ns, id
//   list      2, due in ms 8, sequence 8
//   dead      3, sequence 8

/// Requires token.ns of at most 255 bytes.
[[nodiscard]] std::string encode_token(const engine::delivery_token& token);
[[nodiscard]] std::string encode_list_cursor(const engine::list_cursor& cursor);
[[nodiscard]] std::string encode_dead_cursor(engine::sequence after);

/// Total: nothing for whatever the encoder does not make out of a legal ns and id (lengths apart).
[[nodiscard]] std::optional<engine::delivery_token> decode_token(std::string_view text);
[[nodiscard]] std::optional<engine::list_cursor> decode_list_cursor(std::string_view text);
[[nodiscard]] std::optional<engine::sequence> decode_dead_cursor(std::string_view text);

}  // namespace foliot::protocol
