// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/decimal.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace foliot::protocol {
namespace {

constexpr auto largest = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint64_t digit(char c) { return static_cast<std::uint64_t>(c - '0'); }

/// The value of an exponent's digits, as far as it matters.
std::int64_t read_exponent(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    std::int64_t value = 0;
    for (const char c : text) {
        value = std::min<std::int64_t>(value * 10 + (c - '0'), 1'000'000'000);
    }
    return negative ? -value : value;
}

/// Digits with the decimal point moved behind the first `point` of them.
result<scaled, scale_error> scale_shifted(std::string digits, std::int64_t point,
                                          std::uint64_t unit) {
    const auto zeros = digits.find_first_not_of('0');
    if (zeros == std::string::npos) return scaled{};
    digits.erase(0, zeros);
    point -= static_cast<std::int64_t>(zeros);
    // 2^64 has 20 digits, and a unit at most 18: what is shifted further is too large, or a trace
    // that only rounds up.
    if (point > 20) return scale_error::too_large;
    if (point <= 0) {
        const auto shift = static_cast<std::size_t>(std::min<std::int64_t>(-point, 40));
        digits.insert(0, shift, '0');
        return scale_digits({}, digits, unit);
    }
    const auto whole = static_cast<std::size_t>(point);
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    const std::string_view all = digits;
    return scale_digits(all.substr(0, whole), all.substr(whole), unit);
}

}  // namespace

result<scaled, scale_error> scale_digits(std::string_view whole, std::string_view fraction,
                                         std::uint64_t unit) {
    std::uint64_t value = 0;
    for (const char c : whole) {
        if (value > (largest - digit(c)) / 10) return scale_error::too_large;
        value = value * 10 + digit(c);
    }
    if (value > largest / unit) return scale_error::too_large;
    value *= unit;

    // From the last digit to the first: unit * 0.d1 d2 .. = (d1 unit + (d2 unit + ..) / 10) / 10.
    std::uint64_t part = 0;
    bool exact = true;
    for (auto at = fraction.rbegin(); at != fraction.rend(); ++at) {
        const std::uint64_t sum = digit(*at) * unit + part;
        exact = exact && sum % 10 == 0;
        part = sum / 10;
    }
    if (!exact) ++part;
    if (value > largest - part) return scale_error::too_large;
    return scaled{value + part, exact};
}

result<scaled, scale_error> scale_number(std::string_view text, std::uint64_t unit) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const auto mark = text.find_first_of("eE");
    const auto mantissa = text.substr(0, mark);
    const auto dot = std::min(mantissa.find('.'), mantissa.size());
    const auto whole = mantissa.substr(0, dot);
    const auto fraction = mantissa.substr(std::min(dot + 1, mantissa.size()));
    if (negative && mantissa.find_first_not_of("0.") != std::string_view::npos) {
        return scale_error::negative;
    }
    if (mark == std::string_view::npos) return scale_digits(whole, fraction, unit);
    std::string digits{whole};
    digits += fraction;
    return scale_shifted(
        std::move(digits),
        static_cast<std::int64_t>(whole.size()) + read_exponent(text.substr(mark + 1)), unit);
}

}  // namespace foliot::protocol
