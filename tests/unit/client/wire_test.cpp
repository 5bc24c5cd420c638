// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/wire.hpp"

#include "client/client.hpp"
#include "client/duration_text.hpp"
#include "client/http_connection.hpp"
#include "client/json_text.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string>

namespace foliot::client::detail {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(wire, a_set_is_written_with_its_payload_untouched) {
    const auto body =
        set_body({.id = "x", .due = when::in(1500ms), .queue = "q\"", .payload = "{\"n\": 1.50}"});
    ASSERT_TRUE(body.has_value());
    EXPECT_EQ(body.value(), R"({"delay":1500,"queue":"q\"","payload":{"n": 1.50}})");
}

TEST(wire, modes_keys_and_what_comes_next_are_written) {
    set_request set{.id = "x", .due = when::in(5ms)};
    set.mode = "extend";
    set.retain = "10m";
    set.idempotency_key = "k\"";
    EXPECT_EQ(*set_body(set), R"({"delay":5,"mode":"extend","retain":"10m"})");
    EXPECT_EQ(*batch_body_line(set),
              R"({"op":"set","id":"x","delay":5,"mode":"extend","retain":"10m",)"
              "\"idempotency_key\":\"k\\\"\"}\n");
    const std::string tokens[]{"a", "b"};
    next_timer next{.due = when::in("5m")};
    EXPECT_EQ(*ack_next_body(tokens, next), R"({"acks":[{"token":"a","next":{"delay":"5m"}},)"
                                            R"({"token":"b","next":{"delay":"5m"}}]})");
    next.payload = "{";
    EXPECT_EQ(ack_next_body(tokens, next).error().kind, error_kind::bad_argument);
}

TEST(wire, unchanged_and_ended_timers_and_the_next_one_are_read) {
    EXPECT_FALSE(read_set(R"({"id":"x","generation":"1","due_ms":2,"changed":false})")->changed);
    EXPECT_TRUE(read_set(R"({"id":"x","generation":"1","due_ms":2})")->changed);
    const auto view = read_view(R"({"id":"x","state":"acked","due_ms":2,"ended_ms":3})");
    EXPECT_EQ(view->ended_ms, 3);
    const auto acked = read_settlements(
        R"({"results":[{"token":"a","outcome":"acked","next":{"id":"x","generation":"5",)"
        R"("previous_generation":"4","due_ms":2}},{"token":"b","outcome":"acked"}]})");
    EXPECT_EQ(acked->at(0).next->generation, "5");
    EXPECT_FALSE(acked->at(1).next);
}

TEST(wire, every_way_to_say_when) {
    EXPECT_EQ(*set_body({.id = "x", .due = when::in("2h")}), R"({"delay":"2h"})");
    EXPECT_EQ(*set_body({.id = "x", .due = when::at_ms(-5)}), R"({"due":-5})");
    EXPECT_EQ(*set_body({.id = "x", .due = when::at("2027-01-01T00:00:00Z")}),
              R"({"due":"2027-01-01T00:00:00Z"})");
}

TEST(wire, bytes_travel_as_base64) {
    const std::string bytes("\0\xff\x10", 3);
    for (const auto& [size, text] : {std::pair{0U, ""}, {1U, "AA=="}, {2U, "AP8="}, {3U, "AP8Q"}}) {
        EXPECT_EQ(
            *set_body({.id = "x", .due = when::in(0ms), .raw_payload = bytes.substr(0, size)}),
            std::string(R"({"delay":0,"payload_base64":")") + text + "\"}");
    }
}

TEST(wire, a_payload_that_is_not_json_is_not_sent) {
    const auto body = set_body({.id = "x", .payload = "1},\"x\":{\"y\":1"});
    ASSERT_FALSE(body.has_value());
    EXPECT_EQ(body.error().kind, error_kind::bad_argument);
    EXPECT_FALSE(body.error().outcome_unknown());
}

TEST(wire, a_batch_line_stays_one_line) {
    const auto line =
        batch_body_line(set_request{.id = "a\nb",
                                    .due = when::in(5ms),
                                    .payload = "[1,\r\n2]",
                                    .require = {.create_only = true, .generation = {}}});
    ASSERT_TRUE(line.has_value());
    EXPECT_EQ(*line,
              "{\"op\":\"set\",\"id\":\"a\\nb\",\"delay\":5,\"payload\":[1,  2],"
              "\"if_none_match\":\"*\"}\n");
    EXPECT_EQ(*batch_body_line(cancel_request{.id = "x", .generation = "7"}),
              "{\"op\":\"cancel\",\"id\":\"x\",\"if_match\":\"7\"}\n");
}

TEST(wire, batch_lines_are_read_as_set_cancel_or_error) {
    const auto set = read_batch_line(
        R"({"op":"set","line":1,"status":200,"id":"x","generation":"18446744073709551615",)"
        R"("previous_generation":"4","due":null,"due_ms":1798761602000})");
    ASSERT_TRUE(set.has_value());
    const auto& timer = std::get<timer_set>(set.value());
    EXPECT_EQ(timer.generation, "18446744073709551615");
    EXPECT_EQ(timer.previous_generation, "4");
    EXPECT_EQ(timer.due_ms, 1798761602000);

    const auto cancel =
        read_batch_line(R"({"op":"cancel","id":"x","line":2,"status":200,"outcome":"in_flight"})");
    ASSERT_TRUE(cancel.has_value());
    EXPECT_EQ(std::get<cancel_outcome>(cancel.value()), cancel_outcome::in_flight);

    const auto error = read_batch_line(
        R"({"op":null,"id":null,"line":3,"status":413,"error":{"code":"payload_too_large",)"
        R"("message":"too long","field":"payload","limit":65536}})");
    ASSERT_FALSE(error.has_value());
    EXPECT_EQ(error.error().status, 413U);
    EXPECT_EQ(error.error().code, "payload_too_large");
    EXPECT_EQ(error.error().field, "payload");
    EXPECT_EQ(error.error().limit, 65536U);
    EXPECT_FALSE(error.error().outcome_unknown());
}

TEST(wire, which_errors_leave_the_outcome_unknown) {
    const auto with = [](unsigned status, const std::string& code) {
        return read_error(status, R"({"code":")" + code + R"(","message":"m"})");
    };
    EXPECT_TRUE(with(503, "store_unavailable").outcome_unknown());
    EXPECT_TRUE(with(500, "internal_error").outcome_unknown());
    EXPECT_FALSE(with(503, "not_ready").outcome_unknown());
    EXPECT_FALSE(with(503, "overloaded").outcome_unknown());
    EXPECT_FALSE(with(503, "stopping").outcome_unknown());
    EXPECT_FALSE(with(412, "precondition_failed").outcome_unknown());
    EXPECT_TRUE(with(503, "not_ready").try_later());
    EXPECT_FALSE(with(404, "not_found").try_later());
    EXPECT_EQ(read_error(502, "<html>").code, "http_502");
    EXPECT_TRUE(bad_reply("x", "y").outcome_unknown());
}

TEST(wire, deliveries_are_read_with_their_payload_text) {
    const auto got = read_deliveries(
        R"({"deliveries":[{"token":"t1","id":"x","generation":"7","fire":1,"attempt":2,)"
        R"("due":"2027-01-01T00:00:02.000Z","due_ms":5,"lateness_ms":0.6,"payload":{"a":1.0}},)"
        R"({"token":"t2","id":"y","generation":"8","fire":1,"attempt":1,"due_ms":6,)"
        R"("lateness_ms":12,"payload_base64":"AA=="}]})");
    ASSERT_TRUE(got.has_value());
    ASSERT_EQ(got.value().size(), 2U);
    EXPECT_EQ(got.value()[0].token, "t1");
    EXPECT_EQ(got.value()[0].attempt, 2U);
    EXPECT_DOUBLE_EQ(got.value()[0].lateness_ms, 0.6);
    EXPECT_EQ(got.value()[0].payload, R"({"a":1.0})");
    EXPECT_TRUE(got.value()[1].binary);
    EXPECT_EQ(got.value()[1].payload, "\"AA==\"");
    EXPECT_EQ(got.value()[1].due_ms, 6);
}

TEST(wire, answers_of_another_shape_are_bad_replies) {
    for (const char* body : {"", "[]", "{}", "<html>", "{\"outcome\":\"eaten\"}"}) {
        EXPECT_EQ(read_set(body).error().kind, error_kind::bad_reply) << body;
        EXPECT_EQ(read_cancel(body).error().kind, error_kind::bad_reply) << body;
        EXPECT_EQ(read_view(body).error().kind, error_kind::bad_reply) << body;
        EXPECT_EQ(read_page(body).error().kind, error_kind::bad_reply) << body;
        EXPECT_EQ(read_deliveries(body).error().kind, error_kind::bad_reply) << body;
        EXPECT_EQ(read_settlements(body).error().kind, error_kind::bad_reply) << body;
        EXPECT_EQ(read_batch_line(body).error().kind, error_kind::bad_reply) << body;
    }
}

TEST(wire, ids_are_percent_encoded_in_paths) {
    EXPECT_EQ(percent_encode("a-Z_0.~"), "a-Z_0.~");
    EXPECT_EQ(percent_encode("a/b c%?\xc3\xbc"), "a%2Fb%20c%25%3F%C3%BC");
}

TEST(headers, what_has_a_control_character_is_not_sent) {
    for (const std::string bad : {"a\r\nX: y", "a\nb", "a\rb", "\t", "\x7f"}) {
        // Nobody listens there: a request that was sent would be cannot_connect.
        client with_token({.url = "http://127.0.0.1:1", .token = bad});
        EXPECT_EQ(with_token.get("x").error().kind, error_kind::bad_argument);
        EXPECT_EQ(with_token.get("x").error().message.find(bad), std::string::npos);
        client plain({.url = "http://127.0.0.1:1"});
        EXPECT_EQ(plain.set({.id = "x", .require = {.create_only = false, .generation = bad}})
                      .error()
                      .kind,
                  error_kind::bad_argument);
        EXPECT_EQ(plain.cancel({.id = "x", .generation = bad}).error().kind,
                  error_kind::bad_argument);
    }
    client good({.url = "http://127.0.0.1:1", .token = "plain ~\xc3\xbc"});
    EXPECT_EQ(good.get("x").error().kind, error_kind::cannot_connect);
}

TEST(url, host_and_port_and_nothing_else) {
    const auto good = [](std::string_view url) {
        const auto parsed = parse_url(url);
        return parsed ? parsed.value().host + "|" + parsed.value().port : parsed.error().message;
    };
    EXPECT_EQ(good("http://127.0.0.1:7300"), "127.0.0.1|7300");
    EXPECT_EQ(good("http://example/"), "example|7300");
    EXPECT_EQ(good("http://[::1]:80"), "::1|80");
    EXPECT_EQ(good("http://[::1]"), "::1|7300");
    for (const char* bad :
         {"", "https://a:1", "a:1", "http://", "http://:1", "http://a:", "http://a:x",
          "http://a:65536", "http://a/b", "http://u@a:1", "http://a:1?x"}) {
        const auto parsed = parse_url(bad);
        ASSERT_FALSE(parsed.has_value()) << bad;
        EXPECT_EQ(parsed.error().kind, error_kind::bad_argument);
    }
}

TEST(duration_text, words_and_plain_milliseconds) {
    EXPECT_EQ(*parse_duration("1500ms"), 1500ms);
    EXPECT_EQ(*parse_duration("2h30m"), 150min);
    EXPECT_EQ(*parse_duration("P1DT2H"), 26h);
    EXPECT_EQ(*parse_duration("250"), 250ms);
    EXPECT_EQ(*parse_duration("0.0001s"), 1ms);
    for (const char* bad : {"", "x", "-1s", "1 s", "1y"}) {
        EXPECT_FALSE(parse_duration(bad).has_value()) << bad;
    }
}

}  // namespace
}  // namespace foliot::client::detail
