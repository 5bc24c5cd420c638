// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string_view>

namespace foliot::protocol {

// Decimal numbers as text, times a unit, exactly: no double in between, so that no delay comes out
// a nanosecond short and no integer above 2^53 changes.

struct scaled {
    std::uint64_t value = 0;
    bool exact = true;  ///< false: rounded up
};

enum class scale_error { negative, too_large };

/// `whole`.`fraction` × `unit`, rounded up. Both are decimal digits and may be empty; `unit` is
/// below 2^59. Linear in the digits.
[[nodiscard]] result<scaled, scale_error> scale_digits(std::string_view whole,
                                                       std::string_view fraction,
                                                       std::uint64_t unit);

/// The same of a JSON number (valid as such: sign, fraction, exponent). -0 is 0. A positive number
/// too small to count is rounded up to 1.
[[nodiscard]] result<scaled, scale_error> scale_number(std::string_view json_number,
                                                       std::uint64_t unit);

}  // namespace foliot::protocol
