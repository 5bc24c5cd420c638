// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace foliot::protocol {

struct duration_error {
    enum class kind { malformed, negative, too_long };
    kind why = kind::malformed;
    std::string message;  ///< what is wrong, without the name of the field
};

/// A duration as text, exact to the nanosecond and rounded up below it:
/// - "1500ms", "1.5s", "1h30m", "7d": units d, h, m, s, ms, each at most once, largest first, a
///   fraction on the last one only;
/// - ISO 8601 "P1DT2H", "PT0.5S", "P2W": no years or months, which have no fixed length.
/// `too_long` means more than 2^63 ns, some 292 years.
[[nodiscard]] result<std::chrono::nanoseconds, duration_error> parse_duration(
    std::string_view text);

/// A JSON number of milliseconds as a duration; a fraction of a nanosecond rounds up.
[[nodiscard]] result<std::chrono::nanoseconds, duration_error> duration_from_ms(
    std::string_view json_number);

/// "1500ms", "60s", "12h", "36500d": the largest unit that divides it, for messages.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds d);

}  // namespace foliot::protocol
