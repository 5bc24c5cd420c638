// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/log.hpp"

#include <gtest/gtest.h>

namespace foliot::server {
namespace {

TEST(log, text_has_key_value_pairs_and_quotes_what_needs_it) {
    EXPECT_EQ(format_log_body(
                  log_format::text, "the store failed",
                  {{"code", "no_space"}, {"error", "disk is full"}, {"tries", std::uint64_t{3}}}),
              "the store failed code=no_space error=\"disk is full\" tries=3");
    EXPECT_EQ(format_log_body(log_format::text, "m", {{"k", ""}, {"q", "a\"b"}, {"e", "a=b"}}),
              "m k=\"\" q=\"a\\\"b\" e=\"a=b\"");
}

TEST(log, json_is_one_object_body) {
    EXPECT_EQ(format_log_body(log_format::json, "say \"hi\"",
                              {{"path", "a\\b"}, {"n", std::int64_t{-1}}}),
              R"("message":"say \"hi\"","path":"a\\b","n":-1)");
}

TEST(log, text_from_outside_starts_no_line_of_its_own) {
    const auto text = format_log_body(log_format::text, "a\nb", {{"k", "c\nd"}});
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const auto json = format_log_body(log_format::json, "a\nb\x01", {{"k", "c\nd"}});
    EXPECT_EQ(json, R"("message":"a\u000ab\u0001","k":"c\u000ad")");
}

}  // namespace
}  // namespace foliot::server
