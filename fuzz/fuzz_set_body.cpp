// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "require.hpp"

#include "protocol/base64.hpp"
#include "protocol/http.hpp"

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

// The body of a set. What is accepted, written out again in the plainest form, is the same command;
// a JSON payload is a part of the body, byte for byte.

namespace {

using namespace foliot;
using namespace foliot::protocol;
using foliot::fuzz::require;

std::optional<engine::set_timer> parse(std::string_view body) {
    http_request request;
    request.method = "PUT";
    request.target = "/v1/ns/timers/x";
    request.body = body;
    auto parsed = parse_http(request, limits{});
    if (const auto* refused = std::get_if<http_response>(&parsed)) {
        require(refused->status == 400 || refused->status == 413, "a wrong body is a 400 or 413");
        require(refused->body.find("\"code\"") != std::string::npos, "a refusal has a code");
        return std::nullopt;
    }
    auto* made = std::get_if<call>(&parsed);
    require(made != nullptr, "a body gives a call or a refusal");
    auto* set = std::get_if<engine::set_timer>(&made->what);
    require(set != nullptr, "a PUT is a set");
    return std::move(*set);
}

std::string written(const engine::set_timer& set) {
    char when[64];
    if (const auto* relative = std::get_if<engine::after>(&set.when)) {
        const auto ns = static_cast<std::int64_t>(relative->delay.count());
        std::snprintf(when, sizeof when, "\"delay\":%" PRId64 ".%06" PRId64, ns / 1'000'000,
                      ns % 1'000'000);
    } else {
        std::snprintf(when, sizeof when, "\"due\":%" PRIu64,
                      std::get<engine::at>(set.when).wall_ms.count);
    }
    constexpr const char* modes[] = {"replace", "create", "extend", "advance"};
    std::string body = std::string("{") + when + ",\"queue\":\"" + set.queue + "\",\"mode\":\"" +
                       modes[static_cast<std::size_t>(set.mode)] + "\",";
    if (set.kind == engine::payload_kind::json) return body + "\"payload\":" + set.payload + "}";
    return body + "\"payload_base64\":\"" + base64_encode(set.payload, base64_form::standard) +
           "\"}";
}

void require_same(const engine::set_timer& a, const engine::set_timer& b) {
    require(a.queue == b.queue && a.mode == b.mode, "the same queue and mode");
    require(a.kind == b.kind && a.payload == b.payload, "the same payload");
    require(a.when.index() == b.when.index(), "the same kind of due");
    if (const auto* delay = std::get_if<engine::after>(&a.when)) {
        require(delay->delay == std::get<engine::after>(b.when).delay, "the same delay");
        require(delay->delay.count() >= 0, "no negative delay");
    } else {
        require(std::get<engine::at>(a.when).wall_ms == std::get<engine::at>(b.when).wall_ms,
                "the same due");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view body{reinterpret_cast<const char*>(data), size};
    const auto set = parse(body);
    if (!set) return 0;
    if (set->kind == engine::payload_kind::json) {
        require(set->payload == "null" || body.find(set->payload) != std::string_view::npos,
                "a payload is as it was written");
    }
    const auto again = parse(written(*set));
    require(again.has_value(), "what is written out is accepted");
    require_same(*set, *again);
    return 0;
}
