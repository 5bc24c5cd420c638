// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace foliot::protocol {

/// An RFC 3339 date-time as ms since 1970 (negative before), a fraction of a ms rounded up. The
/// error is what is wrong, as a clause.
///
/// - The zone is required: a time without one means different instants to different readers.
/// - The hour 24 is refused. A leap second, 23:59:60 UTC at a month's end, is the second after it,
///   as in Unix time.
/// - 'T' and 'Z' may be lower case, and 'T' a space. The year is 0000 .. 9999.
[[nodiscard]] result<std::int64_t, std::string> parse_rfc3339(std::string_view text);

/// "2027-01-01T00:00:02.000Z". Requires ms <= max_due_ms.
[[nodiscard]] std::string format_rfc3339(std::uint64_t ms);

}  // namespace foliot::protocol
