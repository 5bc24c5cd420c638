// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "requests.hpp"

namespace foliot::protocol {
namespace {

using namespace std::chrono_literals;
using test::refused;
using test::summary;

parsed_request send_batch(std::string_view body, const limits& l = {}) {
    return test::send("POST", "/v1/ns/timers:batch", body, l);
}

std::vector<batch_line> lines(std::string_view body, const limits& l = {}) {
    const auto parsed = send_batch(body, l);
    if (const auto* b = std::get_if<batch>(&parsed)) return b->lines;
    ADD_FAILURE() << refused(parsed).body;
    return {};
}

std::string only_error(std::string_view line, const limits& l = {}) {
    const auto got = lines(line, l);
    if (got.size() != 1 || !std::holds_alternative<std::string>(got[0])) return "taken";
    return std::get<std::string>(got[0]);
}

TEST(batch, sets_and_cancels_in_order) {
    const auto got = lines(
        "{\"op\":\"set\",\"id\":\"a/b\",\"delay\":\"2s\",\"payload\":1.10,"
        "\"queue\":\"q\",\"if_none_match\":\"*\"}\r\n"
        "\n  \t\r\n"
        "{\"op\":\"cancel\",\"id\":\"y\",\"if_match\":\"\\\"4711\\\"\"}");
    ASSERT_EQ(got.size(), 2U);
    const auto& set_call = std::get<call>(got[0]);
    const auto& set = std::get<engine::set_timer>(set_call.what);
    EXPECT_EQ(set.ns, "ns");
    EXPECT_EQ(set.id, "a/b");
    EXPECT_EQ(set.queue, "q");
    EXPECT_EQ(set.payload, "1.10");
    EXPECT_EQ(std::get<engine::after>(set.when).delay, 2s);
    EXPECT_EQ(set.require.require, engine::precondition::kind::absent);
    EXPECT_EQ(set_call.how.from, route::set);
    EXPECT_EQ(set_call.how.line, 1U);
    const auto& cancel_call = std::get<call>(got[1]);
    const auto& cancel = std::get<engine::cancel_timer>(cancel_call.what);
    EXPECT_EQ(cancel.ns, "ns");
    EXPECT_EQ(cancel.id, "y");
    EXPECT_EQ(cancel.require.require, engine::precondition::kind::generation);
    EXPECT_EQ(cancel.require.generation.value, 4711U);
    EXPECT_EQ(cancel_call.how.line, 4U);
}

TEST(batch, a_wrong_line_is_answered_in_its_place_and_spares_the_others) {
    const auto got = lines(R"({"op":"set","id":"a","delay":1})"
                           "\nnot json\n"
                           R"({"op":"set","id":"b","delay":-1})"
                           "\n"
                           R"({"op":"cancel","id":"c"})"
                           "\n");
    ASSERT_EQ(got.size(), 4U);
    EXPECT_TRUE(std::holds_alternative<call>(got[0]));
    const auto& bad = std::get<std::string>(got[1]);
    EXPECT_TRUE(
        bad.starts_with(R"({"op":null,"id":null,"line":2,"status":400,"error":{"code":"bad_json")"))
        << bad;
    EXPECT_EQ(std::get<std::string>(got[2]),
              R"({"op":"set","id":"b","line":3,"status":400,"error":{"code":"out_of_range",)"
              R"("message":"delay: a duration must not be negative","field":"delay"}})"
              "\n");
    EXPECT_TRUE(std::holds_alternative<call>(got[3]));
}

TEST(batch, wrong_lines_say_what_is_wrong) {
    const std::pair<std::string_view, std::string_view> samples[] = {
        {R"({"id":"a","delay":1})", R"("code":"missing_field","message":"op is required")"},
        {R"({"op":"set","delay":1})", R"("code":"missing_field","message":"id is required")"},
        {R"({"op":"set","id":"a"})", R"("code":"missing_field")"},
        {R"({"op":"move","id":"a"})", R"("code":"unknown_op")"},
        {R"({"op":1,"id":"a"})", R"("code":"wrong_type")"},
        {R"({"op":"set","id":1,"delay":1})", R"("code":"wrong_type")"},
        {R"({"op":"set","id":"","delay":1})", R"("code":"bad_id")"},
        {R"({"op":"set","id":"\u0000","delay":1})", R"("code":"bad_id")"},
        {R"({"op":"cancel","id":"a","delay":1})", R"("code":"unknown_field")"},
        {R"({"op":"cancel","id":"a","if_none_match":"*"})", R"("code":"unknown_field")"},
        {R"({"op":"set","id":"a","delay":1,"x":1})", R"("code":"unknown_field")"},
        {R"({"op":"set","id":"a","delay":1,"every":1})", R"("code":"unsupported_field")"},
        {R"({"op":"set","op":"set","id":"a","delay":1})", R"("code":"duplicate_field")"},
        {R"({"op":"set","id":"a","delay":1,"idempotency_key":""})",
         R"("code":"bad_idempotency_key")"},
        {R"({"op":"cancel","id":"a","idempotency_key":"k"})", R"("code":"unknown_field")"},
        {R"({"op":"set","id":"a","delay":1,"mode":"create","if_match":"1"})",
         R"("code":"conflicting_fields")"},
        {R"({"op":"set","id":"a","delay":1,"if_match":4711})", R"("code":"wrong_type")"},
        {R"({"op":"set","id":"a","delay":1,"if_match":"W/1"})", R"("code":"bad_precondition")"},
        {R"({"op":"set","id":"a","delay":1,"if_none_match":"1"})", R"("code":"bad_precondition")"},
        {R"({"op":"set","id":"a","delay":1,"if_match":"1","if_none_match":"*"})",
         R"("code":"conflicting_fields")"},
        {"[]", R"("code":"wrong_type")"},
        {"{\"op\":\"set\",\"id\":\"\xff\"}", R"("code":"bad_utf8")"},
        {R"({"op":"set","id":"a","delay":1}{})", R"("code":"bad_json")"},
    };
    for (const auto& [line, expected] : samples) {
        const auto got = only_error(line);
        EXPECT_TRUE(test::has(got, expected)) << got;
        EXPECT_TRUE(test::has(got, "\"status\":400")) << got;
        EXPECT_EQ(got.find('\n'), got.size() - 1);
    }
}

TEST(batch, errors_repeat_the_id_even_if_it_comes_after_the_error) {
    const auto got = only_error(R"({"x":1,"op":"set","id":"a\n\""})");
    EXPECT_TRUE(got.starts_with(R"({"op":"set","id":"a\u000a\"","line":1,)")) << got;
}

TEST(batch, limits_of_a_line_are_its_own_error) {
    limits l;
    l.body_bytes = 60;
    l.payload_bytes = 8;
    const auto got = lines(R"({"op":"set","id":"a","delay":1,"payload":"1234567"})"
                           "\n" +
                               std::string(61, 'x') + "\n" + R"({"op":"cancel","id":"c"})",
                           l);
    ASSERT_EQ(got.size(), 3U);
    EXPECT_TRUE(test::has(std::get<std::string>(got[0]), R"("status":413)"));
    EXPECT_TRUE(test::has(std::get<std::string>(got[0]), "limits.payload_bytes"));
    EXPECT_TRUE(test::has(std::get<std::string>(got[1]), "limits.body_bytes"));
    EXPECT_TRUE(std::holds_alternative<call>(got[2]));
}

TEST(batch, too_many_lines_are_refused_whole) {
    limits l;
    l.batch_lines = 2;
    EXPECT_EQ(lines("{}\n\n{}\n\n", l).size(), 2U);
    const auto r = refused(send_batch("{}\n{}\n{}", l));
    EXPECT_EQ(summary(r), "413 batch_too_large");
    EXPECT_TRUE(test::has(r.body, "3 lines; the limit is 2 (limits.batch_lines)"));
}

TEST(batch, without_a_line_is_answered_without_a_line) {
    for (const std::string_view body : {"", "\n", " \r\n\t\n"}) {
        const auto r = refused(send_batch(body));
        EXPECT_EQ(r.status, 200U);
        EXPECT_EQ(r.body, "");
        EXPECT_EQ(r.content_type, "application/x-ndjson");
    }
}

}  // namespace
}  // namespace foliot::protocol
