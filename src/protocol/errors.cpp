// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/errors.hpp"

#include "protocol/route.hpp"

#include <fmt/format.h>

#include <iterator>

namespace foliot::protocol {

problem wrong_type(std::string_view field, std::string_view expected, json_kind found) {
    return {400, "wrong_type",
            fmt::format("{} must be {}; it is {}", field, expected, name_of(found)),
            std::string{field}};
}

problem out_of_range(std::string_view field, std::string_view what) {
    return {400, "out_of_range", fmt::format("{} {}", field, what), std::string{field}};
}

problem missing_field(std::string_view field) {
    return {400, "missing_field", fmt::format("{} is required", field), std::string{field}};
}

std::string error_json(const problem& p) {
    std::string out = "{\"code\":";
    append_quoted(out, p.code);
    out += ",\"message\":";
    append_quoted(out, p.message);
    if (!p.field.empty()) {
        out += ",\"field\":";
        append_quoted(out, p.field);
    }
    if (p.limit) fmt::format_to(std::back_inserter(out), ",\"limit\":{}", *p.limit);
    out += '}';
    return out;
}

http_response error_response(const problem& p) {
    http_response out;
    out.status = p.status;
    out.body = error_json(p);
    if (p.status == 503) out.retry_after_s = 1;
    return out;
}

http_response limits_response(const limits& l, std::span<const named_limit> others) {
    http_response out;
    out.body += '{';
    const auto add = [&out](const named_limit& limit) {
        if (out.body.size() > 1) out.body += ',';
        append_quoted(out.body, limit.name);
        fmt::format_to(std::back_inserter(out.body), ":{{\"value\":{},\"unit\":", limit.value);
        append_quoted(out.body, limit.unit);
        out.body += '}';
    };
    for (const auto& limit : describe(l)) add(limit);
    for (const auto& limit : others) add(limit);
    out.body += '}';
    return out;
}

std::size_t body_limit(std::string_view target, const limits& l) {
    const auto found = find_route(target);
    return found && found->what == endpoint::batch ? l.batch_body_bytes : l.body_bytes;
}

http_response body_too_large(std::string_view target, const limits& l) {
    const auto limit = body_limit(target, l);
    const auto found = find_route(target);
    const bool is_batch = found && found->what == endpoint::batch;
    return error_response({413,
                           "body_too_large",
                           fmt::format("the body is over the limit of {} bytes ({})", limit,
                                       is_batch ? "limits.batch_body_bytes" : "limits.body_bytes"),
                           {},
                           limit});
}

}  // namespace foliot::protocol
