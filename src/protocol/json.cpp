// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/json.hpp"

#include "protocol/utf8.hpp"

#include <fmt/format.h>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace foliot::protocol {
namespace {

namespace bj = boost::json;
using error_code = bj::error_code;

/// Takes every event and keeps nothing: the parser only says whether the text is JSON.
struct check_only {
    static constexpr std::size_t max_object_size = std::size_t(-1);
    static constexpr std::size_t max_array_size = std::size_t(-1);
    static constexpr std::size_t max_key_size = std::size_t(-1);
    static constexpr std::size_t max_string_size = std::size_t(-1);

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) { return true; }
    bool on_object_end(std::size_t, error_code&) { return true; }
    bool on_array_begin(error_code&) { return true; }
    bool on_array_end(std::size_t, error_code&) { return true; }
    bool on_key_part(bj::string_view, std::size_t, error_code&) { return true; }
    bool on_key(bj::string_view, std::size_t, error_code&) { return true; }
    bool on_string_part(bj::string_view, std::size_t, error_code&) { return true; }
    bool on_string(bj::string_view, std::size_t, error_code&) { return true; }
    bool on_number_part(bj::string_view, error_code&) { return true; }
    bool on_int64(std::int64_t, bj::string_view, error_code&) { return true; }
    bool on_uint64(std::uint64_t, bj::string_view, error_code&) { return true; }
    bool on_double(double, bj::string_view, error_code&) { return true; }
    bool on_bool(bool, error_code&) { return true; }
    bool on_null(error_code&) { return true; }
    bool on_comment_part(bj::string_view, error_code&) { return true; }
    bool on_comment(bj::string_view, error_code&) { return true; }
};

constexpr std::string_view white = " \t\r\n";

void skip_white(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(white), rest.size()));
}

/// The length of the string at the front, quotes included.
std::size_t string_length(std::string_view text) {
    std::size_t at = 1;
    while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return at + 1;
}

/// The length of the object or array at the front. Its text is valid, so brackets match.
std::size_t nested_length(std::string_view text) {
    std::size_t depth = 0;
    std::size_t at = 0;
    do {
        at = text.find_first_of("\"{}[]", at);
        const char c = text[at];
        if (c == '"') {
            at += string_length(text.substr(at));
            continue;
        }
        depth += c == '{' || c == '[' ? 1 : std::size_t(-1);
        ++at;
    } while (depth > 0);
    return at;
}

json_kind kind_at(char c) {
    switch (c) {
        case '"': return json_kind::string;
        case '{': return json_kind::object;
        case '[': return json_kind::array;
        case 'n': return json_kind::null;
        case 't':
        case 'f': return json_kind::boolean;
        default: return json_kind::number;
    }
}

json_value take_value(std::string_view& rest) {
    const auto kind = kind_at(rest.front());
    std::size_t length = 0;
    if (kind == json_kind::string) {
        length = string_length(rest);
    } else if (kind == json_kind::object || kind == json_kind::array) {
        length = nested_length(rest);
    } else {
        length = std::min(rest.find_first_of(",]} \t\r\n"), rest.size());
    }
    const json_value value{rest.substr(0, length), kind};
    rest.remove_prefix(length);
    return value;
}

/// Moves to the next member or element; false at the closing bracket.
bool step_to_next(std::string_view& rest, bool& begun, char close) {
    skip_white(rest);
    if (!begun || rest.front() == ',') {
        rest.remove_prefix(1);
        skip_white(rest);
    }
    begun = true;
    return rest.front() != close;
}

problem bad_json(std::size_t offset, std::string_view why) {
    return {400, "bad_json", fmt::format("not JSON: {} at byte {}", why, offset)};
}

}  // namespace

std::optional<problem> check_json_object(std::string_view text, const limits& l) {
    if (text.find_first_not_of(white) == std::string_view::npos) {
        return problem{400, "empty_body", "a JSON object is expected; the body is empty"};
    }
    if (const auto bad = find_bad_utf8(text)) {
        return problem{400, "bad_utf8", fmt::format("not UTF-8 at byte {}", *bad)};
    }
    bj::parse_options options;
    options.max_depth = l.json_depth;
    bj::basic_parser<check_only> parser{options};
    error_code error;
    const auto read = parser.write_some(false, text.data(), text.size(), error);
    if (error == bj::error::too_deep) {
        return problem{
            400,
            "json_too_deep",
            fmt::format("objects and arrays nest deeper than {} (limits.json_depth)", l.json_depth),
            {},
            l.json_depth};
    }
    if (error) return bad_json(read, error.message());
    const auto after = text.substr(read).find_first_not_of(white);
    if (after != std::string_view::npos) return bad_json(read + after, "more than one value");
    const auto kind = kind_at(text[text.find_first_not_of(white)]);
    if (kind != json_kind::object) {
        return problem{400, "wrong_type",
                       fmt::format("a JSON object is expected; this is {}", name_of(kind))};
    }
    return std::nullopt;
}

std::optional<json_member> object_reader::next() {
    if (!step_to_next(rest_, begun_, '}')) return std::nullopt;
    const auto name = take_value(rest_);
    skip_white(rest_);
    rest_.remove_prefix(1);  // the colon
    skip_white(rest_);
    return json_member{string_content(name.raw), take_value(rest_)};
}

std::optional<json_value> array_reader::next() {
    if (!step_to_next(rest_, begun_, ']')) return std::nullopt;
    return take_value(rest_);
}

std::string string_content(std::string_view raw) {
    const auto inside = raw.substr(1, raw.size() - 2);
    if (inside.find('\\') == std::string_view::npos) return std::string{inside};
    const auto value = bj::parse(raw);
    return std::string{std::string_view{value.get_string()}};
}

std::string_view name_of(json_kind kind) {
    switch (kind) {
        case json_kind::null: return "null";
        case json_kind::boolean: return "a boolean";
        case json_kind::number: return "a number";
        case json_kind::string: return "a string";
        case json_kind::array: return "an array";
        case json_kind::object: return "an object";
    }
    return "a value";
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const auto c = decode_utf8(text);
        if (!c) {
            out += "\xef\xbf\xbd";  // U+FFFD
        } else if (c->value == '"' || c->value == '\\') {
            out += '\\';
            out += static_cast<char>(c->value);
        } else if (c->value < 0x20) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", c->value);
        } else {
            out += text.substr(0, c->bytes);
        }
        text.remove_prefix(c ? c->bytes : 1);
    }
    out += '"';
}

std::string json_quote(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 2);
    append_quoted(out, text);
    return out;
}

}  // namespace foliot::protocol
