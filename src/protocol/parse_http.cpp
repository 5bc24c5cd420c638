// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/names.hpp"
#include "protocol/parse.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace foliot::protocol {
namespace {

http_response method_not_allowed(endpoint what, std::string_view method) {
    const auto methods = allowed_methods(what);
    auto out = error_response(
        {405, "method_not_allowed",
         fmt::format("{} is not a method here; use {}", method.substr(0, 32), methods)});
    out.allow = methods;
    return out;
}

std::optional<operational> own_page(endpoint what) {
    switch (what) {
        case endpoint::limits: return operational::limits;
        case endpoint::healthz: return operational::healthz;
        case endpoint::readyz: return operational::readyz;
        case endpoint::metrics: return operational::metrics;
        default: return std::nullopt;
    }
}

bool takes_query(endpoint what) { return what == endpoint::timers || what == endpoint::dead; }

std::optional<problem> check_names(const matched& where, const limits& l) {
    if (auto bad = check_name(where.ns, "ns", l)) return bad;
    if (where.what == endpoint::timer) return check_id(where.name, "id", l);
    if (where.what == endpoint::timers || where.what == endpoint::batch) return std::nullopt;
    return check_name(where.name, "queue", l);
}

/// Only a PUT has a use for a key: what else changes something may be repeated anyway.
std::optional<problem> refuse_key(const http_request& request, endpoint what) {
    const bool takes =
        request.method == "GET" || (request.method == "PUT" && what == endpoint::timer);
    if (takes || !request.idempotency_key) return std::nullopt;
    return problem{400, "bad_idempotency_key", "Idempotency-Key has no meaning for this request",
                   "Idempotency-Key"};
}

/// The precondition that the headers state. GET ignores them.
result<engine::precondition, problem> read_headers(const http_request& request, endpoint what) {
    if (request.method == "GET") return engine::precondition{};
    const bool match = request.if_match.has_value();
    const bool none_match = request.if_none_match.has_value();
    const auto unexpected = [](std::string_view header) {
        return problem{400, "bad_precondition",
                       fmt::format("{} has no meaning for this request", header),
                       std::string{header}};
    };
    if (match && what != endpoint::timer) return unexpected("If-Match");
    if (none_match && (what != endpoint::timer || request.method == "DELETE")) {
        return unexpected("If-None-Match");
    }
    if (match && none_match) {
        return problem{400, "bad_precondition", "If-Match and If-None-Match exclude each other",
                       "If-None-Match"};
    }
    if (match) return read_if_match("If-Match", *request.if_match);
    if (none_match) return read_if_none_match("If-None-Match", *request.if_none_match);
    return engine::precondition{};
}

result<call, problem> parse_put(matched where, const http_request& request,
                                engine::precondition require, const limits& l) {
    if (auto bad = check_json_object(request.body, l)) return std::move(*bad);
    const auto fields = field_set::read(request.body, set_fields());
    if (!fields) return fields.error();
    auto set = read_set(*fields, l);
    if (!set) return set.error();
    set->ns = std::move(where.ns);
    set->id = where.name;
    if (auto bad = add_condition(*set, require, "If-Match")) return std::move(*bad);
    if (request.idempotency_key) {
        auto key = read_key("Idempotency-Key", *request.idempotency_key, l);
        if (!key) return key.error();
        set->key = std::move(*key);
    }
    return call{std::move(*set), {route::set, std::move(where.name), {}, 0}};
}

result<call, problem> parse_timer(matched where, const http_request& request,
                                  engine::precondition require, const limits& l) {
    if (request.method == "PUT") return parse_put(std::move(where), request, require, l);
    if (request.method == "DELETE") {
        return call{engine::cancel_timer{std::move(where.ns), where.name, require},
                    {route::cancel, std::move(where.name), {}, 0}};
    }
    return call{engine::get_timer{std::move(where.ns), where.name},
                {route::get, std::move(where.name), {}, 0}};
}

result<call, problem> parse_call(matched where, const http_request& request,
                                 engine::precondition require, const limits& l) {
    switch (where.what) {
        case endpoint::timer: return parse_timer(std::move(where), request, require, l);
        case endpoint::timers: return parse_list(where, l);
        case endpoint::dead: return parse_dead(where, l);
        case endpoint::lease: return parse_lease(where, request.body, l);
        default: return parse_settle(where, request.body, l);
    }
}

/// Settling nothing needs no engine.
bool settles_nothing(const call& made) {
    const auto* const settle = std::get_if<engine::settle>(&made.what);
    return settle != nullptr && settle->tokens.empty();
}

}  // namespace

parsed_request parse_http(const http_request& request, const limits& l) {
    auto where = find_route(request.target);
    if (!where) return error_response(where.error());
    if (!allows(allowed_methods(where->what), request.method)) {
        return method_not_allowed(where->what, request.method);
    }
    if (!where->query.empty() && !takes_query(where->what)) {
        return error_response({400, "unknown_parameter", "this path takes no query parameters"});
    }
    if (const auto page = own_page(where->what)) return *page;
    if (const auto bad = check_names(*where, l)) return error_response(*bad);
    if (request.body.size() > body_limit(request.target, l)) {
        return body_too_large(request.target, l);
    }
    const auto require = read_headers(request, where->what);
    if (!require) return error_response(require.error());
    if (const auto bad = refuse_key(request, where->what)) return error_response(*bad);
    if (where->what == endpoint::batch) return parse_batch(*where, request.body, l);
    auto made = parse_call(std::move(*where), request, *require, l);
    if (!made) return error_response(made.error());
    if (settles_nothing(*made)) return render(made->how, engine::settled{});
    return std::move(*made);
}

}  // namespace foliot::protocol
