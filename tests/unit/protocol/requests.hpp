// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/http.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace foliot::protocol::test {

inline parsed_request send(std::string_view method, std::string_view target,
                           std::string_view body = {}, const limits& l = {}) {
    return parse_http({method, target, body, {}, {}}, l);
}

/// The call that a request makes; fails the test with the answer if it makes none.
inline call made(const parsed_request& parsed) {
    if (const auto* c = std::get_if<call>(&parsed)) return *c;
    const auto* r = std::get_if<http_response>(&parsed);
    ADD_FAILURE() << "no call: " << (r != nullptr ? r->body : "another kind");
    return {};
}

template <class Command>
Command command_of(const parsed_request& parsed) {
    const auto c = made(parsed);
    if (const auto* command = std::get_if<Command>(&c.what)) return *command;
    ADD_FAILURE() << "a command of another kind";
    return {};
}

/// The response that a request gets at once; fails the test if it was taken.
inline http_response refused(const parsed_request& parsed) {
    if (const auto* r = std::get_if<http_response>(&parsed)) return *r;
    ADD_FAILURE() << "the request was taken";
    return {};
}

inline bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// "400 wrong_type delay": status, code and field of an error response.
inline std::string summary(const http_response& r) {
    const auto value = [&r](const std::string& key) -> std::string {
        const auto mark = "\"" + key + "\":\"";
        const auto at = r.body.find(mark);
        if (at == std::string::npos) return {};
        const auto begin = at + mark.size();
        return r.body.substr(begin, r.body.find('"', begin) - begin);
    };
    auto out = std::to_string(r.status) + " " + value("code");
    const auto field = value("field");
    return field.empty() ? out : out + " " + field;
}

inline std::string summary(const parsed_request& parsed) { return summary(refused(parsed)); }

/// The seed of a random test: FOLIOT_SEED, or a fixed one. Printed, so that a failure repeats.
inline std::uint64_t seed() {
    const char* const given = std::getenv("FOLIOT_SEED");
    const std::uint64_t value = given != nullptr ? std::strtoull(given, nullptr, 10) : 20260101;
    std::cout << "FOLIOT_SEED=" << value << '\n';
    return value;
}

}  // namespace foliot::protocol::test
