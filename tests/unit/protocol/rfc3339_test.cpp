// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/rfc3339.hpp"

#include "protocol/limits.hpp"
#include "requests.hpp"

namespace foliot::protocol {
namespace {

TEST(rfc3339, good_dates) {
    const std::pair<std::string_view, std::int64_t> samples[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01T00:00:00.001Z", 1},
        {"1969-12-31T23:59:59Z", -1'000},
        {"2027-01-01T00:00:02.000Z", 1'798'761'602'000},
        {"2027-01-01T00:00:02Z", 1'798'761'602'000},
        {"2027-01-01t00:00:02z", 1'798'761'602'000},
        {"2027-01-01 00:00:02Z", 1'798'761'602'000},
        {"2027-01-01T02:00:02+02:00", 1'798'761'602'000},
        {"2026-12-31T18:30:02-05:30", 1'798'761'602'000},
        {"2027-01-01T00:00:02-00:00", 1'798'761'602'000},
        {"2027-01-01T00:00:02.0001Z", 1'798'761'602'001},  // rounded up, never early
        {"2027-01-01T00:00:01.9999999999999999999999Z", 1'798'761'602'000},
        {"2028-02-29T00:00:00Z", 1'835'395'200'000},
        {"2000-02-29T12:00:00Z", 951'825'600'000},
        {"2038-01-19T03:14:08Z", 2'147'483'648'000},
        {"9999-12-31T23:59:59.999Z", static_cast<std::int64_t>(max_due_ms)},
        {"2016-12-31T23:59:60Z", 1'483'228'800'000},  // a leap second is the second after it
        {"2016-12-31T23:59:60.5Z", 1'483'228'800'500},
        {"2017-01-01T08:59:60+09:00", 1'483'228'800'000},
        {"0000-01-01T00:00:00Z", -62'167'219'200'000},
    };
    for (const auto& [text, expected] : samples) {
        const auto got = parse_rfc3339(text);
        ASSERT_TRUE(got) << text << ": " << got.error();
        EXPECT_EQ(*got, expected) << text;
    }
}

TEST(rfc3339, bad_dates) {
    for (const std::string_view text : {"",
                                        "tomorrow",
                                        "2027-01-01",
                                        "2027-01-01T00:00Z",
                                        "2027-1-1T00:00:00Z",
                                        "27-01-01T00:00:00Z",
                                        "2027-00-01T00:00:00Z",
                                        "2027-13-01T00:00:00Z",
                                        "2027-01-00T00:00:00Z",
                                        "2027-01-32T00:00:00Z",
                                        "2027-02-29T00:00:00Z",
                                        "2100-02-29T00:00:00Z",
                                        "2027-04-31T00:00:00Z",
                                        "2027-01-01T24:00:00Z",
                                        "2027-01-01T00:60:00Z",
                                        "2027-01-01T00:00:61Z",
                                        "2027-01-01T23:59:60Z",
                                        "2027-01-31T12:59:60Z",
                                        "2027-01-01T00:00:00.Z",
                                        "2027-01-01T00:00:00,5Z",
                                        "2027-01-01T00:00:00+2:00",
                                        "2027-01-01T00:00:00+0200",
                                        "2027-01-01T00:00:00+24:00",
                                        "2027-01-01T00:00:00+02:60",
                                        "2027-01-01T00:00:00+02",
                                        "2027-01-01T00:00:00ZZ",
                                        "2027-01-01T00:00:00Z ",
                                        " 2027-01-01T00:00:00Z",
                                        "+2027-01-01T00:00:00Z",
                                        "12027-01-01T00:00:00Z",
                                        "2027-01-01_00:00:00Z",
                                        "2027/01/01T00:00:00Z",
                                        "2027-01-01T00:00:00 CET",
                                        "2027-01-01T-1:00:00Z",
                                        "2027-W01-1T00:00:00Z"}) {
        const auto got = parse_rfc3339(text);
        ASSERT_FALSE(got) << text;
        EXPECT_FALSE(got.error().empty());
    }
}

TEST(rfc3339, says_when_the_zone_is_missing) {
    for (const std::string_view text : {"2027-01-01T00:00:00", "2027-01-01T00:00:00.5"}) {
        const auto got = parse_rfc3339(text);
        ASSERT_FALSE(got);
        EXPECT_TRUE(test::has(got.error(), "without a time zone")) << got.error();
    }
}

TEST(rfc3339, every_millisecond_up_to_9999_round_trips) {
    std::mt19937_64 random{test::seed()};
    std::uniform_int_distribution<std::uint64_t> any{0, max_due_ms};
    for (int i = 0; i < 20'000; ++i) {
        const auto ms = any(random);
        const auto text = format_rfc3339(ms);
        ASSERT_EQ(text.size(), 24U);
        const auto got = parse_rfc3339(text);
        ASSERT_TRUE(got) << text;
        ASSERT_EQ(*got, static_cast<std::int64_t>(ms)) << text;
    }
    EXPECT_EQ(format_rfc3339(0), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(format_rfc3339(max_due_ms), "9999-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace foliot::protocol
