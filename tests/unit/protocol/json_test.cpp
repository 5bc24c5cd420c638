// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/json.hpp"

#include "requests.hpp"

#include <vector>

namespace foliot::protocol {
namespace {

std::string code_of(std::string_view text, const limits& l = {}) {
    const auto bad = check_json_object(text, l);
    return bad ? bad->code : "good";
}

TEST(json, takes_one_object_and_nothing_else) {
    EXPECT_EQ(code_of("{}"), "good");
    EXPECT_EQ(code_of(" \r\n\t{ \"a\" : [ ] } \n"), "good");
    EXPECT_EQ(code_of(R"({"a":1e999,"b":123456789012345678901234567890})"), "good");
    EXPECT_EQ(code_of(R"({"a":"\u0000\ud83d\ude00"})"), "good");
    for (const std::string_view bad : {"{",
                                       "}",
                                       "{]",
                                       "{\"a\"}",
                                       "{\"a\":}",
                                       "{\"a\":1,}",
                                       "{a:1}",
                                       "{'a':1}",
                                       "{\"a\":01}",
                                       "{\"a\":+1}",
                                       "{\"a\":.5}",
                                       "{\"a\":1.}",
                                       "{\"a\":NaN}",
                                       "{\"a\":Infinity}",
                                       "{\"a\":tru}",
                                       "{\"a\":\"\n\"}",
                                       "{\"a\":\"\\x\"}",
                                       "{\"a\":\"\\ud800\"}",
                                       "{\"a\":\"\\udc00\"}",
                                       "{\"a\":\"",
                                       "{} {}",
                                       "{}x",
                                       "/**/{}",
                                       "\xef\xbb\xbf{}",
                                       "{\"a\":1 \"b\":2}",
                                       "[1",
                                       "nul",
                                       "{\"a\":0x10}"}) {
        EXPECT_EQ(code_of(bad), "bad_json") << bad;
    }
    EXPECT_EQ(code_of(std::string_view{"{}\0", 3}), "bad_json");
    for (const std::string_view other : {"[]", "1", "\"a\"", "null", "true", " [ {} ] "}) {
        EXPECT_EQ(code_of(other), "wrong_type") << other;
    }
    EXPECT_EQ(code_of(""), "empty_body");
    EXPECT_EQ(code_of(" \n "), "empty_body");
}

TEST(json, tells_where_the_error_is) {
    EXPECT_TRUE(test::has(check_json_object("{\"a\":x}", {})->message, "at byte 5"));
    EXPECT_TRUE(test::has(check_json_object("{} 7", {})->message, "at byte 3"));
    EXPECT_TRUE(test::has(check_json_object("{\"a\":\"\xff\"}", {})->message, "at byte 6"));
}

TEST(json, refuses_what_is_not_utf8) {
    for (const std::string_view bad :
         {"{\"a\":\"\x80\"}", "{\"a\":\"\xc0\xaf\"}", "{\"a\":\"\xc3\"}",
          "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"\xf4\x90\x80\x80\"}", "{\"a\":\"\xe2\x82\"}",
          "{\"\xff\":1}", "\xfe"}) {
        EXPECT_EQ(code_of(bad), "bad_utf8");
    }
    EXPECT_EQ(code_of("{\"a\":\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf\"}"),
              "good");
}

TEST(json, bounds_the_nesting) {
    limits l;
    l.json_depth = 4;
    EXPECT_EQ(code_of(R"({"a":[[[1]]]})", l), "good");
    const auto bad = check_json_object(R"({"a":[[[{}]]]})", l);
    ASSERT_TRUE(bad);
    EXPECT_EQ(bad->code, "json_too_deep");
    EXPECT_EQ(bad->limit, 4U);
    EXPECT_TRUE(test::has(bad->message, "limits.json_depth"));
    EXPECT_EQ(code_of(std::string(1'000'000, '[')), "json_too_deep");
}

TEST(json, hands_out_members_as_they_were_written) {
    const std::string_view text = R"( { "n" : 1.10 , "s\u0041":"x\"}" ,"o":{"a":[ 1, "]}" ]} ,)"
                                  R"( "t" :true,"z": null, "a":[] } )";
    ASSERT_FALSE(check_json_object(text, {}));
    object_reader reader{text};
    std::vector<std::pair<std::string, std::string>> got;
    while (auto member = reader.next()) {
        got.emplace_back(member->name, std::string{member->value.raw});
    }
    const std::vector<std::pair<std::string, std::string>> expected{
        {"n", "1.10"}, {"sA", R"("x\"}")"}, {"o", R"({"a":[ 1, "]}" ]})"},
        {"t", "true"}, {"z", "null"},       {"a", "[]"}};
    EXPECT_EQ(got, expected);
}

TEST(json, walks_arrays) {
    array_reader empty{"[ ]"};
    EXPECT_FALSE(empty.next());
    array_reader reader{R"([ "a" , [1,2] ,3 ])"};
    EXPECT_EQ(reader.next()->raw, "\"a\"");
    EXPECT_EQ(reader.next()->raw, "[1,2]");
    EXPECT_EQ(reader.next()->raw, "3");
    EXPECT_FALSE(reader.next());
}

TEST(json, quotes_any_text) {
    EXPECT_EQ(json_quote("a\"b\\c\n\x01"), R"("a\"b\\c\u000a\u0001")");
    EXPECT_EQ(json_quote("\xc3\xa9\xff"), "\"\xc3\xa9\xef\xbf\xbd\"");
    EXPECT_EQ(string_content(json_quote("\"\\\t\x7f \xf0\x9f\x98\x80")),
              "\"\\\t\x7f \xf0\x9f\x98\x80");
}

}  // namespace
}  // namespace foliot::protocol
