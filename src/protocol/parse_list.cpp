// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/names.hpp"
#include "protocol/parse.hpp"
#include "protocol/token.hpp"
#include "protocol/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foliot::protocol {
namespace {

/// The parameters of a query, decoded. One without a value is as if it were not there.
class query_parameters {
public:
    static result<query_parameters, problem> read(std::string_view query,
                                                  std::span<const std::string_view> allowed);

    [[nodiscard]] const std::string* find(std::string_view name) const {
        for (const auto& [key, value] : values_) {
            if (key == name && !value.empty()) return &value;
        }
        return nullptr;
    }

private:
    std::vector<std::pair<std::string, std::string>> values_;
};

problem bad_cursor() {
    return {400, "bad_cursor", "cursor is not one that a page of this list gave", "cursor"};
}

}  // namespace

result<query_parameters, problem> query_parameters::read(
    std::string_view query, std::span<const std::string_view> allowed) {
    query_parameters out;
    while (!query.empty()) {
        auto pair = take_part(query, '&');
        if (pair.empty()) continue;
        auto name = percent_decode(take_part(pair, '='));
        auto value = percent_decode(pair);
        if (!name || !value) {
            return problem{400, "bad_encoding",
                           "a % in the query is not followed by two hex digits"};
        }
        if (std::find(allowed.begin(), allowed.end(), *name) == allowed.end()) {
            name->resize(std::min<std::size_t>(name->size(), 64));
            return problem{400, "unknown_parameter",
                           fmt::format("{} is not a query parameter here", *name), *name};
        }
        const auto same = [&name](const auto& have) { return have.first == *name; };
        if (std::any_of(out.values_.begin(), out.values_.end(), same)) {
            return problem{400, "duplicate_parameter", fmt::format("{} comes twice", *name), *name};
        }
        out.values_.emplace_back(std::move(*name), std::move(*value));
    }
    return out;
}

result<call, problem> parse_list(const matched& where, const limits& l) {
    static constexpr std::array<std::string_view, 5> allowed{"prefix", "from", "to", "limit",
                                                             "cursor"};
    const auto query = query_parameters::read(where.query, allowed);
    if (!query) return query.error();
    engine::list_timers out;
    out.ns = where.ns;
    out.limit = std::min<std::size_t>(100, l.list_page);
    if (const auto* const prefix = query->find("prefix")) {
        if (auto bad = check_prefix(*prefix, "prefix", l)) return std::move(*bad);
        out.prefix = *prefix;
    }
    if (const auto* const from = query->find("from")) {
        const auto date = read_date_text("from", *from);
        if (!date) return date.error();
        out.from_ms = *date;
    }
    if (const auto* const to = query->find("to")) {
        const auto date = read_date_text("to", *to);
        if (!date) return date.error();
        out.to_ms = *date;
    }
    if (const auto* const limit = query->find("limit")) {
        const auto count = read_count_text("limit", *limit, {l.list_page, "limits.list_page"});
        if (!count) return count.error();
        out.limit = *count;
    }
    if (const auto* const cursor = query->find("cursor")) {
        out.cursor = decode_list_cursor(*cursor);
        if (!out.cursor) return bad_cursor();
    }
    return call{std::move(out), {route::list, {}, {}, 0}};
}

result<call, problem> parse_dead(const matched& where, const limits& l) {
    static constexpr std::array<std::string_view, 2> allowed{"limit", "cursor"};
    const auto query = query_parameters::read(where.query, allowed);
    if (!query) return query.error();
    engine::list_dead out;
    out.ns = where.ns;
    out.queue = where.name;
    out.limit = std::min<std::size_t>(100, l.list_page);
    if (const auto* const limit = query->find("limit")) {
        const auto count = read_count_text("limit", *limit, {l.list_page, "limits.list_page"});
        if (!count) return count.error();
        out.limit = *count;
    }
    if (const auto* const cursor = query->find("cursor")) {
        const auto after = decode_dead_cursor(*cursor);
        if (!after) return bad_cursor();
        out.after = *after;
    }
    return call{std::move(out), {route::dead, {}, {}, 0}};
}

}  // namespace foliot::protocol
