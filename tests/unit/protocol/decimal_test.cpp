// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/decimal.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace foliot::protocol {
namespace {

struct sample {
    std::string_view text;
    std::uint64_t unit;
    std::uint64_t value;
    bool exact;
};

TEST(decimal, numbers_scale_exactly_or_round_up) {
    const sample samples[] = {
        {"0", 1, 0, true},
        {"-0", 1, 0, true},
        {"-0.0e5", 1, 0, true},
        {"0e999999999999", 1, 0, true},
        {"15", 1'000'000, 15'000'000, true},
        {"1.5", 1, 2, false},
        {"1.0", 1, 1, true},
        {"1.5", 1'000'000, 1'500'000, true},
        {"1e3", 1, 1'000, true},
        {"1E+3", 1, 1'000, true},
        {"12.34e1", 1, 124, false},
        {"12.34e2", 1, 1'234, true},
        {"1234e-2", 1, 13, false},
        {"1200e-2", 1, 12, true},
        {"0.0001e4", 1, 1, true},
        {"1e-400", 1'000'000, 1, false},
        {"1e-999999999999", 1'000'000, 1, false},
        {"0.0000001", 1'000'000, 1, false},
        {"9007199254740993", 1, 9007199254740993U, true},  // 2^53 + 1
        {"18446744073709551615", 1, 18446744073709551615U, true},
        {"0.1", 1'000'000, 100'000, true},
        {"0.3", 10, 3, true},
    };
    for (const auto& s : samples) {
        const auto got = scale_number(s.text, s.unit);
        ASSERT_TRUE(got) << s.text;
        EXPECT_EQ(got->value, s.value) << s.text;
        EXPECT_EQ(got->exact, s.exact) << s.text;
    }
}

TEST(decimal, refuses_negative_and_too_large_numbers) {
    for (const std::string_view text : {"-1", "-0.1", "-1e-400", "-1e999"}) {
        const auto got = scale_number(text, 1);
        ASSERT_FALSE(got) << text;
        EXPECT_EQ(got.error(), scale_error::negative) << text;
    }
    for (const std::string_view text :
         {"18446744073709551616", "18446744073709551615.1", "1e20", "1e999", "1e999999999999999",
          "100000000000000000000000000000"}) {
        const auto got = scale_number(text, 1);
        ASSERT_FALSE(got) << text;
        EXPECT_EQ(got.error(), scale_error::too_large) << text;
    }
    EXPECT_FALSE(scale_number("18446744073709551615", 2));
}

TEST(decimal, many_digits_are_all_counted) {
    const std::string trace = "1." + std::string(10'000, '0') + "1";
    const auto up = scale_number(trace, 1);
    ASSERT_TRUE(up);
    EXPECT_EQ(up->value, 2U);
    const auto shifted = scale_number("0." + std::string(50, '0') + "1e51", 1);
    ASSERT_TRUE(shifted);
    EXPECT_EQ(shifted->value, 1U);
    EXPECT_TRUE(shifted->exact);
}

}  // namespace
}  // namespace foliot::protocol
