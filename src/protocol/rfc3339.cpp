// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/rfc3339.hpp"

#include "protocol/decimal.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>

namespace foliot::protocol {
namespace {

using namespace std::chrono;
using std::int64_t;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes pieces off the front of a text; after the first that does not fit, all are refused.
class scanner {
public:
    explicit scanner(std::string_view text) : rest_(text) {}

    int number(std::size_t digits) {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (rest_.size() <= i || !is_digit(rest_[i])) return fail();
            value = value * 10 + (rest_[i] - '0');
        }
        rest_.remove_prefix(digits);
        return value;
    }

    char one_of(std::string_view choice) {
        if (rest_.empty() || choice.find(rest_.front()) == std::string_view::npos) {
            return static_cast<char>(fail());
        }
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    std::string_view digits() {
        std::size_t n = 0;
        while (n < rest_.size() && is_digit(rest_[n])) ++n;
        const auto found = rest_.substr(0, n);
        rest_.remove_prefix(n);
        if (n == 0) fail();
        return found;
    }

    [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    [[nodiscard]] bool ok() const { return ok_; }

private:
    int fail() {
        ok_ = false;
        rest_ = {};
        return 0;
    }

    std::string_view rest_;
    bool ok_ = true;
};

std::string malformed() {
    return "not a date; write it as 2027-01-01T00:00:02Z, 2027-01-01T02:00:02.5+02:00 (RFC 3339) "
           "or as a number of milliseconds since 1970";
}

/// Minutes east of UTC.
std::optional<int> read_zone(scanner& in) {
    const char sign = in.one_of("Zz+-");
    if (!in.ok()) return std::nullopt;
    if (sign == 'Z' || sign == 'z') return 0;
    const int hour = in.number(2);
    in.one_of(":");
    const int minute = in.number(2);
    if (!in.ok() || hour > 23 || minute > 59) return std::nullopt;
    return (sign == '-' ? -1 : 1) * (hour * 60 + minute);
}

bool is_leap_second_minute(sys_time<minutes> utc) {
    const auto after = utc + minutes{1};
    const auto day = floor<days>(after);
    return after == day && year_month_day{day}.day() == std::chrono::day{1};
}

}  // namespace

result<int64_t, std::string> parse_rfc3339(std::string_view text) {
    scanner in{text};
    const int y = in.number(4);
    in.one_of("-");
    const int mo = in.number(2);
    in.one_of("-");
    const int d = in.number(2);
    in.one_of("Tt ");
    const int h = in.number(2);
    in.one_of(":");
    const int mi = in.number(2);
    in.one_of(":");
    const int s = in.number(2);
    if (!in.ok()) return malformed();

    int64_t fraction_ms = 0;
    if (in.peek() == '.') {
        in.one_of(".");
        const auto ms = scale_digits({}, in.digits(), 1'000);
        if (!in.ok() || !ms) return malformed();
        fraction_ms = static_cast<int64_t>(ms->value);
    }
    if (in.at_end()) {
        return std::string{"a date without a time zone; end it with Z or an offset such as +02:00"};
    }
    const auto zone = read_zone(in);
    if (!zone || !in.at_end()) return malformed();

    const year_month_day date{year{y}, month{static_cast<unsigned>(mo)},
                              day{static_cast<unsigned>(d)}};
    if (!date.ok()) return std::string{"a date that no calendar has"};
    if (h > 23 || mi > 59 || s > 60) return std::string{"a time that no day has"};
    const sys_time<minutes> utc = sys_days{date} + hours{h} + minutes{mi} - minutes{*zone};
    if (s == 60 && !is_leap_second_minute(utc)) {
        return std::string{"a leap second that is not at the end of a month (UTC)"};
    }
    return duration_cast<milliseconds>(utc.time_since_epoch() + seconds{s}).count() + fraction_ms;
}

std::string format_rfc3339(std::uint64_t ms) {
    const sys_time<milliseconds> at{milliseconds{static_cast<int64_t>(ms)}};
    const auto today = floor<days>(at);
    const year_month_day date{today};
    const hh_mm_ss time{at - today};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count(),
                       time.subseconds().count());
}

}  // namespace foliot::protocol
