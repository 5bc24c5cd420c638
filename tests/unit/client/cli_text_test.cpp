// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "metrics_text.hpp"
#include "output.hpp"
#include "time_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace foliot::cli {
namespace {

TEST(time_text, lengths_in_their_two_largest_units) {
    EXPECT_EQ(length_text(0), "0ms");
    EXPECT_EQ(length_text(999), "999ms");
    EXPECT_EQ(length_text(1500), "1.5s");
    EXPECT_EQ(length_text(2000), "2s");
    EXPECT_EQ(length_text(59'999), "59s");
    EXPECT_EQ(length_text(60'000), "1m");
    EXPECT_EQ(length_text(3'780'000), "1h 3m");
    EXPECT_EQ(length_text(86'400'000LL * 2 + 3'600'000 * 4), "2d 4h");
    EXPECT_EQ(length_text(86'400'000LL * (3 * 365 + 20)), "3y 20d");
}

TEST(time_text, relative_says_on_which_side_of_now) {
    EXPECT_EQ(relative(5000, 5000), "now");
    EXPECT_EQ(relative(7000, 5000), "in 2s");
    EXPECT_EQ(relative(5000, 7000), "2s ago");
}

TEST(time_text, local_time_is_in_the_zone_of_the_machine) {
    ::setenv("TZ", "UTC-1", 1);
    ::tzset();
    EXPECT_EQ(local_time(1798761602005), "2027-01-01 01:00:02.005");
    EXPECT_EQ(local_time(-1), "1970-01-01 00:59:59.999");
    ::unsetenv("TZ");
    ::tzset();
}

TEST(table, columns_are_as_wide_as_their_widest_cell) {
    table t({"ID", "N", "NAME"});
    t.add({"a", table::cell::number("10"), "x"});
    t.add({"grün", table::cell::number("7"), "long name"});
    EXPECT_EQ(t.text(false), "ID    N   NAME\na     10  x\ngrün   7  long name\n");
}

TEST(table, colours_only_when_wanted) {
    table t({});
    t.add({{"a", colour::red}, "b"});
    EXPECT_EQ(t.text(false), "a  b\n");
    EXPECT_EQ(t.text(true), "\x1b[31ma\x1b[0m  b\n");
}

TEST(table, an_id_cannot_steer_the_terminal) {
    table t({});
    t.add({"a\x1b[2Jb\n"});
    EXPECT_EQ(t.text(false), "a\\x1b[2Jb\\x0a\n");
}

TEST(json_line, stays_on_one_line) {
    EXPECT_EQ(json_line{}.text("id", "a\nb").raw("payload", "[1,\n2]").number("n", 1.5).str(),
              "{\"id\":\"a\\nb\",\"payload\":[1, 2],\"n\":1.5}\n");
}

constexpr const char* exposition =
    "# HELP x A text\n"
    "# TYPE x gauge\n"
    "x 42\n"
    "q{ns=\"a\",queue=\"b\"} 7\n"
    "h_count 100\n"
    "h_sum 1.5\n"
    "h_bucket{le=\"0.001\"} 50\n"
    "h_bucket{le=\"0.002\"} 98\n"
    "h_bucket{le=\"0.01\"} 98\n"
    "h_bucket{le=\"+Inf\"} 100\n";

TEST(metrics_text, samples_without_labels_by_name) {
    const metrics_text m(exposition);
    EXPECT_EQ(m.value("x"), 42);
    EXPECT_EQ(m.value("h_count"), 100);
    EXPECT_EQ(m.value("q"), std::nullopt);
    EXPECT_EQ(m.value("y"), std::nullopt);
}

TEST(metrics_text, quantiles_from_buckets) {
    const metrics_text m(exposition);
    EXPECT_DOUBLE_EQ(m.quantile("h", 0.25).value(), 0.0005);
    EXPECT_DOUBLE_EQ(m.quantile("h", 0.5).value(), 0.001);
    EXPECT_DOUBLE_EQ(m.quantile("h", 0.74).value(), 0.0015);
    EXPECT_DOUBLE_EQ(m.quantile("h", 0.99).value(), 0.01);  // above the last finite bound
    EXPECT_EQ(m.quantile("nothing", 0.5), std::nullopt);
    EXPECT_EQ(metrics_text("h_bucket{le=\"+Inf\"} 0\n").quantile("h", 0.5), std::nullopt);
}

}  // namespace
}  // namespace foliot::cli
