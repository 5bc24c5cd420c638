// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "protocol/errors.hpp"
#include "protocol/json.hpp"

#include <foliot/time/tick.hpp>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foliot::protocol {

/// The fields of one object. None may be unknown or come twice: a misspelt field that was ignored
/// would be a timer at the wrong time.
class field_set {
public:
    /// Requires text that check_json_object() passed. Errors: unknown_field, unsupported_field (a
    /// name that a later version of the protocol knows), duplicate_field.
    [[nodiscard]] static result<field_set, problem> read(std::string_view object,
                                                         std::span<const std::string_view> allowed);

    /// Null if the object has no such field.
    [[nodiscard]] const json_value* find(std::string_view name) const;

    [[nodiscard]] const std::vector<json_member>& members() const { return members_; }

private:
    std::vector<json_member> members_;
};

[[nodiscard]] problem unknown_field(std::string_view name);

[[nodiscard]] result<std::string, problem> read_string(std::string_view field,
                                                       const json_value& value);

/// A limit by its setting's name.
struct bound {
    std::uint64_t value = 0;
    std::string_view name;
};

/// A whole number, 1 .. max. Errors: wrong_type, out_of_range, over_limit.
[[nodiscard]] result<std::uint64_t, problem> read_count(std::string_view field,
                                                        const json_value& value, bound max);
/// The same of a query parameter, in decimal digits.
[[nodiscard]] result<std::uint64_t, problem> read_count_text(std::string_view field,
                                                             std::string_view text, bound max);

/// A duration, 0 .. max. `code` is the error above it. Other errors: wrong_type, bad_duration,
/// out_of_range (negative).
[[nodiscard]] result<std::chrono::nanoseconds, problem> read_duration(std::string_view field,
                                                                      const json_value& value,
                                                                      std::chrono::milliseconds max,
                                                                      std::string_view limit_name,
                                                                      std::string_view code);

/// A time point: RFC 3339 or ms since 1970, 0 .. max_due_ms; a fraction of a ms rounds up. Errors:
/// wrong_type, bad_date, out_of_range (before 1970), due_too_far.
[[nodiscard]] result<tick, problem> read_date(std::string_view field, const json_value& value);
/// The same of a query parameter: digits are ms.
[[nodiscard]] result<tick, problem> read_date_text(std::string_view field, std::string_view text);

}  // namespace foliot::protocol
