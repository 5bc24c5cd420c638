// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/names.hpp"
#include "protocol/parse.hpp"
#include "protocol/token.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foliot::protocol {
namespace {

using std::chrono::milliseconds;

/// `lease` and `wait`: whole milliseconds, rounded up.
result<milliseconds, problem> read_ms(std::string_view field, const json_value& value,
                                      milliseconds max, std::string_view limit_name) {
    const auto span = read_duration(field, value, max, limit_name, "over_limit");
    if (!span) return span.error();
    return std::chrono::ceil<milliseconds>(*span);
}

result<milliseconds, problem> read_lease(const json_value& value, const limits& l) {
    auto span = read_ms("lease", value, l.lease, "limits.lease");
    if (span && *span < milliseconds{1}) return out_of_range("lease", "must be at least 1 ms");
    return span;
}

struct token_list {
    std::vector<engine::delivery_token> decoded;
    std::vector<std::string> texts;
};

problem bad_token(std::size_t index, std::string_view why) {
    auto field = fmt::format("tokens[{}]", index);
    return {400, "bad_token", fmt::format("{} {}", field, why), field};
}

result<token_list, problem> read_tokens(const json_value& value, std::string_view ns,
                                        const limits& l) {
    if (value.kind != json_kind::array) {
        return wrong_type("tokens", "an array of strings", value.kind);
    }
    token_list out;
    array_reader reader{value.raw};
    for (std::size_t index = 0; auto element = reader.next(); ++index) {
        if (index == l.settle_tokens) {
            return problem{400, "over_limit",
                           fmt::format("tokens has more than {} elements (limits.settle_tokens)",
                                       l.settle_tokens),
                           "tokens", l.settle_tokens};
        }
        auto text = read_string(fmt::format("tokens[{}]", index), *element);
        if (!text) return text.error();
        auto token = decode_token(*text);
        if (!token || token->id.size() > l.id_bytes) {
            return bad_token(index, "is not a token that a lease gave");
        }
        if (token->ns != ns) return bad_token(index, "is of another namespace");
        out.decoded.push_back(std::move(*token));
        out.texts.push_back(std::move(*text));
    }
    return out;
}

struct settle_kind {
    engine::settlement how;
    route from;
    std::array<std::string_view, 2> fields;
};

settle_kind kind_of(endpoint what) {
    switch (what) {
        case endpoint::nack: return {engine::settlement::nack, route::nack, {"tokens", "delay"}};
        case endpoint::extend:
            return {engine::settlement::extend, route::extend, {"tokens", "lease"}};
        default: return {engine::settlement::ack, route::ack, {"tokens", "tokens"}};
    }
}

}  // namespace

result<call, problem> parse_lease(const matched& where, std::string_view body, const limits& l) {
    static constexpr std::array<std::string_view, 3> allowed{"max", "wait", "lease"};
    engine::lease_timers out;
    out.ns = where.ns;
    out.queue = where.name;
    call made{{}, {route::lease, {}, {}, 0}};
    if (!body.empty()) {  // without a body, all is as by default
        if (auto bad = check_json_object(body, l)) return std::move(*bad);
        const auto fields = field_set::read(body, allowed);
        if (!fields) return fields.error();
        if (const auto* const max = fields->find("max")) {
            const auto count = read_count("max", *max, {l.lease_batch, "limits.lease_batch"});
            if (!count) return count.error();
            out.max = *count;
        }
        if (const auto* const wait = fields->find("wait")) {
            const auto span = read_ms("wait", *wait, l.lease_wait, "limits.lease_wait");
            if (!span) return span.error();
            out.wait = *span;
        }
        if (const auto* const lease = fields->find("lease")) {
            const auto span = read_lease(*lease, l);
            if (!span) return span.error();
            out.lease = *span;
        }
    }
    made.what = std::move(out);
    return made;
}

result<call, problem> parse_settle(const matched& where, std::string_view body, const limits& l) {
    const auto kind = kind_of(where.what);
    if (auto bad = check_json_object(body, l)) return std::move(*bad);
    const auto fields = field_set::read(body, kind.fields);
    if (!fields) return fields.error();
    const auto* const list = fields->find("tokens");
    if (list == nullptr) return missing_field("tokens");
    auto tokens = read_tokens(*list, where.ns, l);
    if (!tokens) return tokens.error();

    engine::settle out;
    out.ns = where.ns;
    out.queue = where.name;
    out.how = kind.how;
    out.tokens = std::move(tokens->decoded);
    if (const auto* const delay = fields->find("delay")) {
        const auto span =
            read_duration("delay", *delay, l.max_delay, "limits.max_delay", "due_too_far");
        if (!span) return span.error();
        out.delay = *span;
    }
    if (const auto* const lease = fields->find("lease")) {
        const auto span = read_lease(*lease, l);
        if (!span) return span.error();
        out.lease = *span;
    }
    return call{std::move(out), {kind.from, {}, std::move(tokens->texts), 0}};
}

}  // namespace foliot::protocol
