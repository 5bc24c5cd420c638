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

/// What an error inside an element of `acks` is about.
problem in_ack(std::size_t index, problem p) {
    const auto place = fmt::format("acks[{}]", index);
    p.message = fmt::format("{}: {}", place, p.message);
    p.field = p.field.empty() ? place : fmt::format("{}.{}", place, p.field);
    return p;
}

result<std::optional<engine::next_timer>, problem> read_next_of(const json_value* value,
                                                                const limits& l) {
    if (value == nullptr) return std::optional<engine::next_timer>{};
    if (value->kind != json_kind::object) return wrong_type("next", "an object", value->kind);
    const auto fields = field_set::read(value->raw, next_fields());
    auto next = fields ? read_next(*fields, l) : fields.error();
    if (next) return std::optional{std::move(*next)};
    auto bad = next.error();
    if (!bad.field.empty()) bad.field = "next." + bad.field;
    return bad;
}

/// One element of `acks`: {"token":…,"next":{…}}.
std::optional<problem> read_ack(const json_value& element, std::string_view ns, engine::settle& out,
                                std::vector<std::string>& texts, const limits& l) {
    static constexpr std::array<std::string_view, 2> allowed{"token", "next"};
    if (element.kind != json_kind::object) {
        return problem{400, "wrong_type", "must be an object", {}};
    }
    const auto fields = field_set::read(element.raw, allowed);
    if (!fields) return fields.error();
    const auto* const value = fields->find("token");
    if (value == nullptr) return missing_field("token");
    auto text = read_string("token", *value);
    if (!text) return text.error();
    auto token = decode_token(*text);
    if (!token || token->id.size() > l.id_bytes) {
        return problem{400, "bad_token", "token is not a token that a lease gave", "token"};
    }
    if (token->ns != ns) return problem{400, "bad_token", "token is of another namespace", "token"};
    auto next = read_next_of(fields->find("next"), l);
    if (!next) return next.error();
    out.tokens.push_back(std::move(*token));
    out.next.push_back(std::move(*next));
    texts.push_back(std::move(*text));
    return std::nullopt;
}

/// The elements of `acks`, after the tokens that are there already.
std::optional<problem> read_acks(const json_value& value, std::string_view ns, engine::settle& out,
                                 std::vector<std::string>& texts, const limits& l) {
    if (value.kind != json_kind::array) {
        return wrong_type("acks", "an array of objects", value.kind);
    }
    out.next.resize(out.tokens.size());
    array_reader reader{value.raw};
    for (std::size_t index = 0; auto element = reader.next(); ++index) {
        if (out.tokens.size() == l.settle_tokens) {
            return problem{400, "over_limit",
                           fmt::format("tokens and acks have more than {} elements "
                                       "(limits.settle_tokens)",
                                       l.settle_tokens),
                           "acks", l.settle_tokens};
        }
        if (auto bad = read_ack(*element, ns, out, texts, l)) return in_ack(index, std::move(*bad));
    }
    return std::nullopt;
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
        default: return {engine::settlement::ack, route::ack, {"tokens", "acks"}};
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
    const auto* const acks = fields->find("acks");
    if (list == nullptr && acks == nullptr) return missing_field("tokens");

    engine::settle out;
    out.ns = where.ns;
    out.queue = where.name;
    out.how = kind.how;
    std::vector<std::string> texts;
    if (list != nullptr) {
        auto tokens = read_tokens(*list, where.ns, l);
        if (!tokens) return tokens.error();
        out.tokens = std::move(tokens->decoded);
        texts = std::move(tokens->texts);
    }
    if (acks != nullptr) {
        if (auto bad = read_acks(*acks, where.ns, out, texts, l)) return std::move(*bad);
    }
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
    return call{std::move(out), {kind.from, {}, std::move(texts), 0}};
}

}  // namespace foliot::protocol
