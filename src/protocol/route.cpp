// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/route.hpp"

#include "protocol/url.hpp"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace foliot::protocol {
namespace {

problem no_such_route() {
    return {404, "no_such_route", "no resource has this path; docs/protocol.md lists them all"};
}

/// The decoded parts of a path. Of a longer one than any resource has, only the first ones.
std::optional<std::vector<std::string>> split_path(std::string_view path) {
    constexpr std::size_t enough = 6;
    std::vector<std::string> parts;
    path.remove_prefix(1);
    bool more = true;
    while (more && parts.size() < enough) {
        more = path.find('/') != std::string_view::npos;
        auto part = percent_decode(take_part(path, '/'));
        if (!part) return std::nullopt;
        parts.push_back(std::move(*part));
    }
    return parts;
}

std::optional<endpoint> find_verb(std::string_view verb) {
    static constexpr std::array<std::pair<std::string_view, endpoint>, 4> verbs{{
        {"lease", endpoint::lease},
        {"ack", endpoint::ack},
        {"nack", endpoint::nack},
        {"extend", endpoint::extend},
    }};
    for (const auto& [name, what] : verbs) {
        if (name == verb) return what;
    }
    return std::nullopt;
}

std::optional<endpoint> find_page(const std::vector<std::string>& parts) {
    if (parts.size() == 2 && parts[0] == "v1" && parts[1] == "limits") return endpoint::limits;
    if (parts.size() != 1) return std::nullopt;
    if (parts[0] == "healthz") return endpoint::healthz;
    if (parts[0] == "readyz") return endpoint::readyz;
    if (parts[0] == "metrics") return endpoint::metrics;
    return std::nullopt;
}

/// What stands below /v1/{ns}/.
std::optional<matched> find_resource(std::vector<std::string> parts) {
    if (parts.size() < 3 || parts[0] != "v1") return std::nullopt;
    matched out;
    out.ns = std::move(parts[1]);
    const auto& kind = parts[2];
    if (parts.size() == 3 && kind == "timers") {
        out.what = endpoint::timers;
    } else if (parts.size() == 3 && kind == "timers:batch") {
        out.what = endpoint::batch;
    } else if (parts.size() == 4 && kind == "timers") {
        out.what = endpoint::timer;
        out.name = std::move(parts[3]);
    } else if (parts.size() == 5 && kind == "queues" && parts[4] == "dead") {
        out.what = endpoint::dead;
        out.name = std::move(parts[3]);
    } else if (parts.size() == 4 && kind == "queues") {
        const auto colon = parts[3].rfind(':');
        if (colon == std::string::npos) return std::nullopt;
        const auto verb = find_verb(std::string_view{parts[3]}.substr(colon + 1));
        if (!verb) return std::nullopt;
        out.what = *verb;
        out.name = parts[3].substr(0, colon);
    } else {
        return std::nullopt;
    }
    return out;
}

}  // namespace

result<matched, problem> find_route(std::string_view target) {
    const auto [path, query] = split_query(target);
    if (!path.starts_with('/')) return no_such_route();
    auto parts = split_path(path);
    if (!parts) {
        return problem{400, "bad_encoding", "a % in the path is not followed by two hex digits"};
    }
    if (const auto page = find_page(*parts)) return matched{*page, {}, {}, query};
    auto found = find_resource(std::move(*parts));
    if (!found) return no_such_route();
    found->query = query;
    return std::move(*found);
}

std::string_view allowed_methods(endpoint what) {
    switch (what) {
        case endpoint::timer: return "GET, PUT, DELETE";
        case endpoint::batch:
        case endpoint::lease:
        case endpoint::ack:
        case endpoint::nack:
        case endpoint::extend: return "POST";
        case endpoint::timers:
        case endpoint::dead:
        case endpoint::limits:
        case endpoint::healthz:
        case endpoint::readyz:
        case endpoint::metrics: return "GET";
    }
    return "GET";
}

bool allows(std::string_view methods, std::string_view method) {
    while (!methods.empty()) {
        auto one = take_part(methods, ',');
        if (one.starts_with(' ')) one.remove_prefix(1);
        if (one == method) return true;
    }
    return false;
}

}  // namespace foliot::protocol
