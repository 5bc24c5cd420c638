// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace foliot::cli {

/// "2027-01-01 01:00:02.000" in the local time zone.
[[nodiscard]] std::string local_time(std::int64_t unix_ms);

/// A length in its two largest units: "250ms", "1.5s", "59s", "1h 3m", "2d 4h", "3y 20d".
/// Precondition: ms >= 0.
[[nodiscard]] std::string length_text(std::int64_t ms);

/// "in 1h 3m", "2m 5s ago", "now": `at_ms` seen from `now_ms`.
[[nodiscard]] std::string relative(std::int64_t at_ms, std::int64_t now_ms);

/// A lateness for people: "0.6 ms", "12 ms", "1.5s".
[[nodiscard]] std::string lateness_text(double ms);

}  // namespace foliot::cli
