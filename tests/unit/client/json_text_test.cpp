// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/json_text.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace foliot::client {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> members_of(std::string_view json) {
    std::vector<std::pair<std::string, std::string>> out;
    each_member(json, [&](std::string_view k, std::string_view v) { out.emplace_back(k, v); });
    return out;
}

std::vector<std::string> elements_of(std::string_view json) {
    std::vector<std::string> out;
    each_element(json, [&](std::string_view v) { out.emplace_back(v); });
    return out;
}

TEST(json_text, is_json_takes_one_complete_value_only) {
    for (const char* good : {"1", " [1, 2] ", "{\"a\":null}", "\"x\"", "true", "1e400"}) {
        EXPECT_TRUE(is_json(good)) << good;
    }
    for (const char* bad : {"", " ", "{", "x", "1 2", "{\"a\":1}x", "'a'", "[1,]", "\"\x01\""}) {
        EXPECT_FALSE(is_json(bad)) << bad;
    }
}

TEST(json_text, members_keep_their_own_text) {
    EXPECT_THAT(members_of(R"( { "a" : 1.50 , "b":{"c":[1,{"}":"]"}]}, "d":"x\"},{" , "e":[] } )"),
                ElementsAre(Pair("a", "1.50"), Pair("b", R"({"c":[1,{"}":"]"}]})"),
                            Pair("d", R"("x\"},{")"), Pair("e", "[]")));
    EXPECT_TRUE(members_of("{}").empty());
    EXPECT_TRUE(members_of("[1]").empty());
}

TEST(json_text, member_names_are_unescaped) {
    EXPECT_THAT(members_of(R"({"a\u0062":1,"\"":2})"),
                ElementsAre(Pair("ab", "1"), Pair("\"", "2")));
}

TEST(json_text, elements_keep_their_own_text) {
    EXPECT_THAT(elements_of(R"([ 1 , "a,b", [2,3],{"x":"]"},null])"),
                ElementsAre("1", "\"a,b\"", "[2,3]", R"({"x":"]"})", "null"));
    EXPECT_TRUE(elements_of(" [ ] ").empty());
}

TEST(json_text, member_finds_the_first_of_a_name_on_the_top_level) {
    EXPECT_EQ(member(R"({"x":{"k":1},"k":2,"k":3})", "k"), "2");
    EXPECT_EQ(member(R"({"x":{"k":1}})", "k"), "");
}

TEST(json_text, quote_and_unquote_are_inverse) {
    for (const std::string text : {"", "plain", "q\"b\\s/\n\t\x01", "grüße €"}) {
        EXPECT_TRUE(is_json(quote(text)));
        EXPECT_EQ(unquote(quote(text)), text);
    }
    EXPECT_EQ(unquote("12"), "");
}

}  // namespace
}  // namespace foliot::client
