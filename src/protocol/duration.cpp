// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/duration.hpp"

#include "protocol/decimal.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace foliot::protocol {
namespace {

using std::chrono::nanoseconds;
using outcome = result<nanoseconds, duration_error>;

struct unit {
    std::string_view name;
    std::uint64_t ns;
};

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::array short_units{unit{"d", 86'400 * second}, unit{"h", 3'600 * second},
                                 unit{"m", 60 * second}, unit{"s", second}, unit{"ms", 1'000'000}};
constexpr std::array iso_date_units{unit{"W", 7 * 86'400 * second}, unit{"D", 86'400 * second}};
constexpr std::array iso_time_units{unit{"H", 3'600 * second}, unit{"M", 60 * second},
                                    unit{"S", second}};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

duration_error malformed(std::string_view text) {
    return {duration_error::kind::malformed,
            fmt::format("{} is not a duration; write it as \"1500ms\", \"1h30m\", \"P1DT2H\" or a "
                        "number of milliseconds",
                        text.size() <= 64 ? fmt::format("\"{}\"", text) : "this text")};
}

duration_error too_long() {
    return {duration_error::kind::too_long, "the duration is longer than 292 years"};
}

std::string_view take_digits(std::string_view& rest) {
    std::size_t n = 0;
    while (n < rest.size() && is_digit(rest[n])) ++n;
    const auto digits = rest.substr(0, n);
    rest.remove_prefix(n);
    return digits;
}

/// Sums "<number><unit>" parts.
class part_reader {
public:
    explicit part_reader(std::string_view text) : text_(text) {}

    /// Reads parts of `rest` up to its end or a 'T'. Units must come in their order.
    [[nodiscard]] std::optional<duration_error> read(std::string_view& rest,
                                                     std::span<const unit> units) {
        while (!rest.empty() && rest.front() != 'T') {
            if (auto error = read_one(rest, units)) return error;
        }
        return std::nullopt;
    }

    [[nodiscard]] bool any() const { return any_; }
    [[nodiscard]] outcome sum() const {
        if (sum_ > static_cast<std::uint64_t>(nanoseconds::max().count())) return too_long();
        return nanoseconds{static_cast<std::int64_t>(sum_)};
    }

private:
    std::optional<duration_error> read_one(std::string_view& rest, std::span<const unit>& units) {
        if (fraction_seen_) return malformed(text_);  // only the last part may have one
        const auto whole = take_digits(rest);
        std::string_view fraction;
        if (rest.starts_with('.')) {
            rest.remove_prefix(1);
            fraction = take_digits(rest);
            if (fraction.empty()) return malformed(text_);
            fraction_seen_ = true;
        }
        if (whole.empty()) return malformed(text_);
        std::size_t letters = 0;
        while (letters < rest.size() && rest[letters] != 'T' && !is_digit(rest[letters]) &&
               rest[letters] != '.') {
            ++letters;
        }
        const auto name = rest.substr(0, letters);
        rest.remove_prefix(letters);
        while (!units.empty() && units.front().name != name) units = units.subspan(1);
        if (units.empty()) return malformed(text_);
        const auto part = scale_digits(whole, fraction, units.front().ns);
        units = units.subspan(1);
        if (!part || part->value > std::numeric_limits<std::uint64_t>::max() - sum_) {
            return too_long();
        }
        sum_ += part->value;
        any_ = true;
        return std::nullopt;
    }

    std::string_view text_;
    std::uint64_t sum_ = 0;
    bool fraction_seen_ = false;
    bool any_ = false;
};

outcome parse_iso(std::string_view text) {
    part_reader reader{text};
    auto rest = text.substr(1);
    const auto time = rest.find('T');
    if (rest.substr(0, time).find_first_of("YM") != std::string_view::npos) {
        return duration_error{duration_error::kind::malformed,
                              "years and months have no fixed length; use days"};
    }
    if (auto error = reader.read(rest, iso_date_units)) return std::move(*error);
    if (rest.starts_with('T')) {
        rest.remove_prefix(1);
        if (rest.empty()) return malformed(text);
        if (auto error = reader.read(rest, iso_time_units)) return std::move(*error);
    }
    if (!rest.empty() || !reader.any()) return malformed(text);
    return reader.sum();
}

}  // namespace

outcome parse_duration(std::string_view text) {
    if (text.size() > 1 && text.front() == '-' && (is_digit(text[1]) || text[1] == 'P')) {
        return duration_error{duration_error::kind::negative, "a duration must not be negative"};
    }
    if (text.starts_with('P')) return parse_iso(text);
    part_reader reader{text};
    auto rest = text;
    if (auto error = reader.read(rest, short_units)) return std::move(*error);
    if (!rest.empty() || !reader.any()) return malformed(text);
    return reader.sum();
}

outcome duration_from_ms(std::string_view json_number) {
    const auto ns = scale_number(json_number, 1'000'000);
    if (!ns && ns.error() == scale_error::negative) {
        return duration_error{duration_error::kind::negative, "a duration must not be negative"};
    }
    if (!ns || ns->value > static_cast<std::uint64_t>(nanoseconds::max().count())) {
        return too_long();
    }
    return nanoseconds{static_cast<std::int64_t>(ns->value)};
}

std::string format_duration(std::chrono::milliseconds d) {
    const auto ns = static_cast<std::uint64_t>(d.count()) * 1'000'000;
    for (const auto& u : short_units) {
        if (ns % u.ns == 0 && ns != 0) return fmt::format("{}{}", ns / u.ns, u.name);
    }
    return fmt::format("{}ms", d.count());
}

}  // namespace foliot::protocol
