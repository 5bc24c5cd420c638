// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/http.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace foliot::protocol {

// JSON is validated once (Boost.JSON) and then read in place: members are handed out as the text
// that the client wrote, so that a payload keeps its bytes and a number all its digits.

enum class json_kind { null, boolean, number, string, array, object };

/// A value as its text in the body, without the white space around it.
struct json_value {
    std::string_view raw;
    json_kind kind = json_kind::null;
};

struct json_member {
    std::string name;
    json_value value;
};

/// Nothing if `text` is one JSON object and no more, nested at most `l.json_depth` deep; else the
/// answer: empty_body, bad_utf8, bad_json, json_too_deep or wrong_type.
[[nodiscard]] std::optional<problem> check_json_object(std::string_view text, const limits& l);

/// Walks the members of an object, in order. Requires text that check_json_object() passed, or the
/// `raw` of an object in it.
class object_reader {
public:
    explicit object_reader(std::string_view object) : rest_(object) {}
    [[nodiscard]] std::optional<json_member> next();

private:
    std::string_view rest_;
    bool begun_ = false;
};

/// Walks the elements of an array, in order. Requires the `raw` of an array in validated text.
class array_reader {
public:
    explicit array_reader(std::string_view array) : rest_(array) {}
    [[nodiscard]] std::optional<json_value> next();

private:
    std::string_view rest_;
    bool begun_ = false;
};

/// What a JSON string stands for. Requires the `raw` of a string in validated text.
[[nodiscard]] std::string string_content(std::string_view raw);

/// "an object", "a number", ...: for messages.
[[nodiscard]] std::string_view name_of(json_kind kind);

/// Appends `text` as a JSON string with its quotes (see json_quote()).
void append_quoted(std::string& out, std::string_view text);

}  // namespace foliot::protocol
