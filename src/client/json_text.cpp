// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/json_text.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <cstddef>

namespace foliot::client {

namespace {

namespace json = boost::json;

constexpr std::string_view space = " \t\r\n";

std::size_t skip_space(std::string_view text, std::size_t at) {
    const auto next = text.find_first_not_of(space, at);
    return next == text.npos ? text.size() : next;
}

/// The end of the string that begins at `at` with its quote.
std::size_t skip_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return at < text.size() ? at + 1 : text.size();
}

/// The end of the value that begins at `at`. The text is valid, so counting brackets is enough.
std::size_t skip_value(std::string_view text, std::size_t at) {
    if (at >= text.size()) return text.size();
    if (text[at] == '"') return skip_string(text, at);
    if (text[at] != '{' && text[at] != '[') {
        const auto end = text.find_first_of(",]} \t\r\n", at);
        return end == text.npos ? text.size() : end;
    }
    std::size_t depth = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '"') {
            at = skip_string(text, at);
            continue;
        }
        ++at;
        if (c == '{' || c == '[') ++depth;
        if ((c == '}' || c == ']') && --depth == 0) return at;
    }
    return at;
}

}  // namespace

bool is_json(std::string_view text) {
    // Deep enough for whatever a server takes; the parser would stop at 32 on its own.
    json::parse_options deep;
    deep.max_depth = 1024;
    boost::system::error_code failed;
    json::parse({text.data(), text.size()}, failed, {}, deep);
    return !failed;
}

std::string quote(std::string_view text) {
    return json::serialize(json::string_view(text.data(), text.size()));
}

std::string unquote(std::string_view text) {
    boost::system::error_code failed;
    const auto value = json::parse({text.data(), text.size()}, failed);
    if (failed || !value.is_string()) return {};
    return std::string(value.get_string().data(), value.get_string().size());
}

void each_element(std::string_view text, const std::function<void(std::string_view)>& f) {
    std::size_t at = skip_space(text, 0);
    if (at >= text.size() || text[at] != '[') return;
    at = skip_space(text, at + 1);
    while (at < text.size() && text[at] != ']') {
        const auto end = skip_value(text, at);
        f(text.substr(at, end - at));
        at = skip_space(text, end);
        if (at < text.size() && text[at] == ',') at = skip_space(text, at + 1);
    }
}

void each_member(std::string_view text,
                 const std::function<void(std::string_view, std::string_view)>& f) {
    std::size_t at = skip_space(text, 0);
    if (at >= text.size() || text[at] != '{') return;
    at = skip_space(text, at + 1);
    while (at < text.size() && text[at] != '}') {
        const auto key_end = skip_string(text, at);
        const auto quoted = text.substr(at, key_end - at);
        const auto plain = quoted.substr(1, quoted.size() < 2 ? 0 : quoted.size() - 2);
        const auto from = skip_space(text, skip_space(text, key_end) + 1);
        const auto end = skip_value(text, from);
        if (plain.find('\\') == plain.npos) {
            f(plain, text.substr(from, end - from));
        } else {
            f(unquote(quoted), text.substr(from, end - from));
        }
        at = skip_space(text, end);
        if (at < text.size() && text[at] == ',') at = skip_space(text, at + 1);
    }
}

std::string_view member(std::string_view text, std::string_view key) {
    std::string_view found;
    each_member(text, [&](std::string_view name, std::string_view value) {
        if (found.empty() && name == key) found = value;
    });
    return found;
}

}  // namespace foliot::client
