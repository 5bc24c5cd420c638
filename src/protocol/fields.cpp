// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/fields.hpp"

#include "protocol/decimal.hpp"
#include "protocol/duration.hpp"
#include "protocol/rfc3339.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace foliot::protocol {
namespace {

/// Names that the protocol will give a meaning to. Told apart from misspelt ones.
constexpr std::array<std::string_view, 9> later_fields{
    "every", "cron", "tz", "webhook", "retry", "priority", "tag", "spread", "missed"};

problem unknown_or_unsupported(std::string_view name) {
    if (std::find(later_fields.begin(), later_fields.end(), name) == later_fields.end()) {
        return unknown_field(name);
    }
    return {400, "unsupported_field",
            fmt::format("{} is not supported by this version of the server", name),
            std::string{name}};
}

problem over_limit(std::string_view field, bound max) {
    return {400, "over_limit",
            fmt::format("{} is over the limit of {} ({})", field, max.value, max.name),
            std::string{field}, max.value};
}

result<std::uint64_t, problem> check_count(std::string_view field,
                                           const result<scaled, scale_error>& number, bound max) {
    if (!number && number.error() == scale_error::too_large) return over_limit(field, max);
    if (!number || !number->exact || number->value == 0) {
        return out_of_range(field, "must be a whole number of at least 1");
    }
    if (number->value > max.value) return over_limit(field, max);
    return number->value;
}

problem date_too_far(std::string_view field) {
    return {400, "due_too_far",
            fmt::format("{} is after the year 9999; the limit is {} (limits.max_due)", field,
                        max_due_ms),
            std::string{field}, max_due_ms};
}

result<tick, problem> date_from_number(std::string_view field,
                                       const result<scaled, scale_error>& ms) {
    if (!ms && ms.error() == scale_error::negative) {
        return out_of_range(field, "must not be negative");
    }
    if (!ms || ms->value > max_due_ms) return date_too_far(field);
    return tick{ms->value};
}

result<tick, problem> date_from_text(std::string_view field, std::string_view text) {
    const auto ms = parse_rfc3339(text);
    if (!ms) {
        return problem{400, "bad_date", fmt::format("{} is {}", field, ms.error()),
                       std::string{field}};
    }
    if (*ms < 0) return out_of_range(field, "must not be before 1970");
    if (static_cast<std::uint64_t>(*ms) > max_due_ms) return date_too_far(field);
    return tick{static_cast<std::uint64_t>(*ms)};
}

constexpr std::string_view digits = "0123456789";

bool all_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

}  // namespace

problem unknown_field(std::string_view name) {
    const std::string shown{name.substr(0, 64)};  // cut inside a character: quoting mends it
    return {400, "unknown_field", fmt::format("{} is not a field here", shown), shown};
}

result<field_set, problem> field_set::read(std::string_view object,
                                           std::span<const std::string_view> allowed) {
    field_set out;
    object_reader reader{object};
    while (auto member = reader.next()) {
        if (std::find(allowed.begin(), allowed.end(), member->name) == allowed.end()) {
            return unknown_or_unsupported(member->name);
        }
        if (out.find(member->name) != nullptr) {
            return problem{400, "duplicate_field", fmt::format("{} comes twice", member->name),
                           member->name};
        }
        out.members_.push_back(std::move(*member));
    }
    return out;
}

const json_value* field_set::find(std::string_view name) const {
    for (const auto& member : members_) {
        if (member.name == name) return &member.value;
    }
    return nullptr;
}

result<std::string, problem> read_string(std::string_view field, const json_value& value) {
    if (value.kind != json_kind::string) return wrong_type(field, "a string", value.kind);
    return string_content(value.raw);
}

result<std::uint64_t, problem> read_count(std::string_view field, const json_value& value,
                                          bound max) {
    if (value.kind != json_kind::number) return wrong_type(field, "a whole number", value.kind);
    return check_count(field, scale_number(value.raw, 1), max);
}

result<std::uint64_t, problem> read_count_text(std::string_view field, std::string_view text,
                                               bound max) {
    if (!all_digits(text)) return out_of_range(field, "must be a whole number of at least 1");
    return check_count(field, scale_digits(text, {}, 1), max);
}

result<std::chrono::nanoseconds, problem> read_duration(std::string_view field,
                                                        const json_value& value,
                                                        std::chrono::milliseconds max,
                                                        std::string_view limit_name,
                                                        std::string_view code) {
    if (value.kind != json_kind::number && value.kind != json_kind::string) {
        return wrong_type(field, "a duration (a string, or a number of milliseconds)", value.kind);
    }
    auto parsed = value.kind == json_kind::number ? duration_from_ms(value.raw)
                                                  : parse_duration(string_content(value.raw));
    using kind = duration_error::kind;
    if (!parsed && parsed.error().why != kind::too_long) {
        const bool negative = parsed.error().why == kind::negative;
        return problem{400, negative ? "out_of_range" : "bad_duration",
                       fmt::format("{}: {}", field, parsed.error().message), std::string{field}};
    }
    if (!parsed || *parsed > max) {
        return problem{
            400, std::string{code},
            fmt::format("{} is over the limit of {} ({})", field, format_duration(max), limit_name),
            std::string{field}, static_cast<std::uint64_t>(max.count())};
    }
    return *parsed;
}

result<tick, problem> read_date(std::string_view field, const json_value& value) {
    if (value.kind == json_kind::number) {
        return date_from_number(field, scale_number(value.raw, 1));
    }
    if (value.kind == json_kind::string) return date_from_text(field, string_content(value.raw));
    return wrong_type(field, "a date (a string, or milliseconds since 1970)", value.kind);
}

result<tick, problem> read_date_text(std::string_view field, std::string_view text) {
    const bool negative = text.starts_with('-');
    if (all_digits(text.substr(negative ? 1 : 0))) {
        return date_from_number(field, scale_number(text, 1));
    }
    return date_from_text(field, text);
}

}  // namespace foliot::protocol
