// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace foliot::client {

// JSON as text: payloads pass through the client as the bytes that the other side wrote, so that
// numbers keep their digits.

/// Is `text` one complete JSON value? Linear.
[[nodiscard]] bool is_json(std::string_view text);

/// `text` as a JSON string with its quotes; `text` is UTF-8.
[[nodiscard]] std::string quote(std::string_view text);

/// The text of a JSON string value, without quotes and escapes; empty if it is not a string.
[[nodiscard]] std::string unquote(std::string_view json);

/// Calls `f(key, value)` for each member of an object resp. `f(value)` for each element of an array,
/// with the value's own text. Precondition: is_json(json); does nothing for values of other kinds.
void each_member(std::string_view json,
                 const std::function<void(std::string_view key, std::string_view value)>& f);
void each_element(std::string_view json, const std::function<void(std::string_view value)>& f);

/// The value of the first member `key`, or an empty view. Precondition: is_json(json).
[[nodiscard]] std::string_view member(std::string_view json, std::string_view key);

}  // namespace foliot::client
