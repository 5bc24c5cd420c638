// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "require.hpp"

#include "protocol/duration.hpp"
#include "protocol/rfc3339.hpp"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

// Any text is a duration, a date, a number of milliseconds, or refused. Durations are compared with
// a plain sum in floating point, dates with what they are written as again.

namespace {

using namespace foliot::protocol;
using foliot::fuzz::require;
using real = long double;

/// Not below the exact value, and above it by less than a nanosecond and what `real` rounds off.
void require_rounded_up(std::chrono::nanoseconds got, real exact, const char* what) {
    const real slack = 1 + std::fabs(exact) * 1e-17L;
    const auto ns = static_cast<real>(got.count());
    require(ns >= exact - (slack - 1) * 2 && ns <= exact + slack * 2, what);
}

real seconds_of(std::string_view unit) {
    if (unit == "d") return 86400;
    if (unit == "h") return 3600;
    if (unit == "m") return 60;
    if (unit == "s") return 1;
    require(unit == "ms", "an accepted unit is one of five");
    return 0.001L;
}

/// "1h30m" as nanoseconds, by another way than the parser's.
real plain_sum(const std::string& text) {
    real sum = 0;
    for (const char* at = text.c_str(); *at != '\0';) {
        char* unit = nullptr;
        const real number = std::strtold(at, &unit);
        require(unit != at, "an accepted duration is numbers with units");
        const char* end = unit;
        while (*end >= 'a' && *end <= 'z') ++end;
        sum += number * seconds_of({unit, static_cast<std::size_t>(end - unit)}) * 1e9L;
        at = end;
    }
    return sum;
}

void check_duration(std::string_view text) {
    const auto parsed = parse_duration(text);
    if (!parsed) {
        require(!parsed.error().message.empty(), "a refusal says why");
        return;
    }
    require(parsed->count() >= 0, "a duration is not negative");
    if (text.front() != 'P') {
        require_rounded_up(*parsed, plain_sum(std::string(text)), "a duration is its sum");
    }
    const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(*parsed);
    const auto again = parse_duration(format_duration(whole));
    require(again && *again == whole, "a duration that was written is read as the same");
}

void check_date(std::string_view text) {
    const auto ms = parse_rfc3339(text);
    if (!ms || *ms < 0) return;
    constexpr std::int64_t last = 253'402'300'799'999;  // 9999-12-31T23:59:59.999Z
    if (*ms > last) return;
    const auto again = parse_rfc3339(format_rfc3339(static_cast<std::uint64_t>(*ms)));
    require(again && *again == *ms, "a date that was written is read as the same");
}

/// `text` as a JSON number, if it is one.
std::optional<real> json_number(const std::string& text) {
    std::size_t at = 0;
    const auto digits = [&] {
        const auto from = at;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
        return at - from;
    };
    if (text.size() > 1000) return std::nullopt;
    if (at < text.size() && text[at] == '-') ++at;
    const auto first = at;
    const auto whole = digits();
    if (whole == 0 || (whole > 1 && text[first] == '0')) return std::nullopt;
    if (at < text.size() && text[at] == '.') {
        ++at;
        if (digits() == 0) return std::nullopt;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        if (digits() == 0) return std::nullopt;
    }
    if (at != text.size()) return std::nullopt;
    return std::strtold(text.c_str(), nullptr);
}

void check_number(const std::string& text) {
    const auto ms = json_number(text);
    if (!ms) return;
    const auto parsed = duration_from_ms(text);
    if (parsed) {
        require_rounded_up(*parsed, *ms * 1e6L, "a number of milliseconds is that");
        return;
    }
    // By the sign, since the value of "-1e-9999" is 0.
    const bool fits = text.front() != '-' && *ms * 1e6L < 9.2e18L;
    require(!fits, "a number that fits is taken");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    check_duration(input);
    check_date(input);
    check_number(std::string(input));
    return 0;
}
