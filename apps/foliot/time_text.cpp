// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "time_text.hpp"

#include <fmt/format.h>
#include <ctime>

namespace foliot::cli {

namespace {

constexpr std::int64_t second = 1000;
constexpr std::int64_t minute = 60 * second;
constexpr std::int64_t hour = 60 * minute;
constexpr std::int64_t day = 24 * hour;
constexpr std::int64_t year = 365 * day;

std::string two_units(std::int64_t ms, std::int64_t large, char large_name, std::int64_t small,
                      char small_name) {
    const auto rest = ms % large / small;
    if (rest == 0) return fmt::format("{}{}", ms / large, large_name);
    return fmt::format("{}{} {}{}", ms / large, large_name, rest, small_name);
}

}  // namespace

std::string local_time(std::int64_t unix_ms) {
    const auto ms = (unix_ms % 1000 + 1000) % 1000;
    const std::time_t seconds = (unix_ms - ms) / 1000;
    std::tm parts{};
    if (::localtime_r(&seconds, &parts) == nullptr) return fmt::format("{} ms", unix_ms);
    char text[64];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return fmt::format("{}.{:03}", text, ms);
}

std::string length_text(std::int64_t ms) {
    if (ms < second) return fmt::format("{}ms", ms);
    if (ms < 10 * second) {
        const std::int64_t tenths = ms / 100;
        return fmt::format("{:g}s", static_cast<double>(tenths) / 10);
    }
    if (ms < minute) return fmt::format("{}s", ms / second);
    if (ms < hour) return two_units(ms, minute, 'm', second, 's');
    if (ms < day) return two_units(ms, hour, 'h', minute, 'm');
    if (ms < year) return two_units(ms, day, 'd', hour, 'h');
    return two_units(ms, year, 'y', day, 'd');
}

std::string relative(std::int64_t at_ms, std::int64_t now_ms) {
    if (at_ms == now_ms) return "now";
    if (at_ms > now_ms) return "in " + length_text(at_ms - now_ms);
    return length_text(now_ms - at_ms) + " ago";
}

std::string lateness_text(double ms) {
    if (ms < 10) return fmt::format("{:.1f} ms", ms);
    if (ms < 1000) return fmt::format("{:.0f} ms", ms);
    return length_text(static_cast<std::int64_t>(ms));
}

}  // namespace foliot::cli
