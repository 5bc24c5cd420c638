// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/duration.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace foliot::protocol {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using kind = duration_error::kind;

TEST(duration, good_texts) {
    const std::pair<std::string_view, nanoseconds> samples[] = {
        {"0s", 0ns},
        {"0ms", 0ns},
        {"1500ms", 1500ms},
        {"30m", 30min},
        {"1h30m", 90min},
        {"2s", 2s},
        {"1.5s", 1500ms},
        {"0.5d", 12h},
        {"1d2h3m4s5ms", 26h + 3min + 4s + 5ms},
        {"1m5ms", 1min + 5ms},
        {"90m", 90min},
        {"0.0000001ms", 1ns},  // rounded up, never early
        {"1.0000000001s", 1s + 1ns},
        {"P1DT2H", 26h},
        {"PT0.5S", 500ms},
        {"P2W", 336h},
        {"P1W1D", 192h},
        {"P0D", 0ns},
        {"PT1H30M", 90min},
        {"PT36H", 36h},
        {"P36500D", 36500 * 24h},
        {"9223372036.854775807s", nanoseconds::max()},
    };
    for (const auto& [text, expected] : samples) {
        const auto got = parse_duration(text);
        ASSERT_TRUE(got) << text << ": " << got.error().message;
        EXPECT_EQ(*got, expected) << text;
    }
}

TEST(duration, bad_texts) {
    for (const std::string_view text :
         {"",      " ",        "2",    "1500",    "s",     "ms",        "2 s",   " 2s",   "2s ",
          "2S",    "2sec",     "2min", "1.5h30m", "30m1h", "1h1h",      "1ms1s", ".5s",   "1.s",
          "1..5s", "1,5s",     "+2s",  "1e3s",    "NaN",   "inf",       "1h30",  "P",     "PT",
          "P1DT",  "P1",       "1D",   "P1H",     "PT1D",  "P1Y",       "P1M",   "P1Y2D", "PT1S1M",
          "P1D1W", "PT1.5H1M", "P-1D", "T1H",     "p1d",   "P1DT1HT1M", "T",     "1T",    "٢s"}) {
        const auto got = parse_duration(text);
        ASSERT_FALSE(got) << text;
        EXPECT_EQ(got.error().why, kind::malformed) << text;
        EXPECT_FALSE(got.error().message.empty());
    }
    EXPECT_FALSE(parse_duration(std::string_view{"2s\0", 3}));
}

TEST(duration, says_what_is_wrong_with_negative_long_and_calendar_texts) {
    for (const std::string_view text : {"-1s", "-P1D", "-0.5ms"}) {
        const auto got = parse_duration(text);
        ASSERT_FALSE(got) << text;
        EXPECT_EQ(got.error().why, kind::negative) << text;
    }
    for (const std::string_view text :
         {"9223372036.854775808s", "106752d", "99999999999999999999999ms", "P99999999999999W",
          "18446744073709551615ms", "106751d106751h9999999999999999ms"}) {
        const auto got = parse_duration(text);
        ASSERT_FALSE(got) << text;
        EXPECT_EQ(got.error().why, kind::too_long) << text;
    }
    const auto year = parse_duration("P1Y");
    ASSERT_FALSE(year);
    EXPECT_NE(year.error().message.find("use days"), std::string::npos);
}

TEST(duration, numbers_are_milliseconds) {
    EXPECT_EQ(*duration_from_ms("1500"), 1500ms);
    EXPECT_EQ(*duration_from_ms("0"), 0ns);
    EXPECT_EQ(*duration_from_ms("1.5"), 1500us);
    EXPECT_EQ(*duration_from_ms("0.0000001"), 1ns);
    EXPECT_EQ(*duration_from_ms("1e3"), 1s);
    EXPECT_EQ(duration_from_ms("-1").error().why, kind::negative);
    EXPECT_EQ(duration_from_ms("1e999").error().why, kind::too_long);
    EXPECT_EQ(duration_from_ms("18446744073709551616").error().why, kind::too_long);
}

TEST(duration, is_written_in_the_largest_unit_that_divides_it) {
    EXPECT_EQ(format_duration(36'500 * 24h), "36500d");
    EXPECT_EQ(format_duration(60s), "1m");
    EXPECT_EQ(format_duration(12h), "12h");
    EXPECT_EQ(format_duration(1500ms), "1500ms");
    EXPECT_EQ(format_duration(0ms), "0ms");
}

}  // namespace
}  // namespace foliot::protocol
