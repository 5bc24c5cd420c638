// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/token.hpp"

#include "requests.hpp"

namespace foliot::protocol {
namespace {

using namespace std::chrono_literals;
using test::command_of;
using test::refused;
using test::send;
using test::summary;

engine::lease_timers lease(std::string_view body) {
    return command_of<engine::lease_timers>(send("POST", "/v1/ns/queues/q:lease", body));
}

std::string error(std::string_view verb, std::string_view body, const limits& l = {}) {
    return summary(send("POST", "/v1/ns/queues/q:" + std::string{verb}, body, l));
}

std::string quoted_token(std::string_view ns = "ns", std::string_view id = "x") {
    return "\"" + encode_token({std::string{ns}, std::string{id}, {7}, 2}) + "\"";
}

TEST(lease, has_defaults_for_everything) {
    for (const std::string_view body : {"", "{}"}) {
        const auto l = lease(body);
        EXPECT_EQ(l.ns, "ns");
        EXPECT_EQ(l.queue, "q");
        EXPECT_EQ(l.max, 1U);
        EXPECT_EQ(l.wait, 0ms);
        EXPECT_EQ(l.lease, 30s);
    }
}

TEST(lease, reads_its_fields) {
    const auto l = lease(R"({"max":1000,"wait":"20s","lease":"PT12H"})");
    EXPECT_EQ(l.max, 1000U);
    EXPECT_EQ(l.wait, 20s);
    EXPECT_EQ(l.lease, 12h);
    EXPECT_EQ(lease(R"({"wait":60000})").wait, 60s);
    EXPECT_EQ(lease(R"({"lease":"0.0001ms"})").lease, 1ms);
    EXPECT_EQ(lease(R"({"max":1e1})").max, 10U);
}

TEST(lease, wrong_fields_are_named) {
    const std::pair<std::string_view, std::string_view> samples[] = {
        {R"({"max":0})", "400 out_of_range max"},
        {R"({"max":-1})", "400 out_of_range max"},
        {R"({"max":1.5})", "400 out_of_range max"},
        {R"({"max":1001})", "400 over_limit max"},
        {R"({"max":1e999})", "400 over_limit max"},
        {R"({"max":"10"})", "400 wrong_type max"},
        {R"({"wait":"60001ms"})", "400 over_limit wait"},
        {R"({"wait":60000.0001})", "400 over_limit wait"},
        {R"({"wait":-1})", "400 out_of_range wait"},
        {R"({"wait":"soon"})", "400 bad_duration wait"},
        {R"({"wait":[]})", "400 wrong_type wait"},
        {R"({"lease":0})", "400 out_of_range lease"},
        {R"({"lease":"0s"})", "400 out_of_range lease"},
        {R"({"lease":"12h1ms"})", "400 over_limit lease"},
        {R"({"limit":1})", "400 unknown_field limit"},
        {R"({"priority":1})", "400 unsupported_field priority"},
        {R"({"max":1,"max":1})", "400 duplicate_field max"},
        {R"([])", "400 wrong_type"},
        {R"({)", "400 bad_json"},
        {" ", "400 empty_body"},
    };
    for (const auto& [body, expected] : samples) EXPECT_EQ(error("lease", body), expected) << body;
    EXPECT_TRUE(test::has(refused(send("POST", "/v1/ns/queues/q:lease", R"({"wait":"2m"})")).body,
                          R"-(wait is over the limit of 1m (limits.lease_wait)","field":"wait",)-"
                          R"-("limit":60000)-"));
    EXPECT_TRUE(test::has(refused(send("POST", "/v1/ns/queues/q:lease", R"({"lease":"1d"})")).body,
                          "12h (limits.lease)"));
    EXPECT_TRUE(test::has(refused(send("POST", "/v1/ns/queues/q:lease", R"({"max":5000})")).body,
                          "1000 (limits.lease_batch)"));
}

TEST(settle, reads_tokens_in_order) {
    const auto body = R"({"tokens":[)" + quoted_token() + " , " + quoted_token("ns", "y") + "]}";
    const auto parsed = send("POST", "/v1/ns/queues/q:ack", body);
    const auto s = command_of<engine::settle>(parsed);
    EXPECT_EQ(s.how, engine::settlement::ack);
    EXPECT_EQ(s.ns, "ns");
    EXPECT_EQ(s.queue, "q");
    ASSERT_EQ(s.tokens.size(), 2U);
    EXPECT_EQ(s.tokens[0], (engine::delivery_token{"ns", "x", {7}, 2}));
    EXPECT_EQ(s.tokens[1].id, "y");
    const auto how = test::made(parsed).how;
    EXPECT_EQ(how.from, route::ack);
    ASSERT_EQ(how.tokens.size(), 2U);
    EXPECT_EQ("\"" + how.tokens[0] + "\"", quoted_token());
}

TEST(settle, nack_and_extend_have_a_field_of_their_own) {
    const auto tokens = R"({"tokens":[)" + quoted_token() + "]";
    const auto plain =
        command_of<engine::settle>(send("POST", "/v1/ns/queues/q:nack", tokens + "}"));
    EXPECT_EQ(plain.how, engine::settlement::nack);
    EXPECT_FALSE(plain.delay);
    EXPECT_EQ(command_of<engine::settle>(
                  send("POST", "/v1/ns/queues/q:nack", tokens + R"(,"delay":"5s"})"))
                  .delay,
              5s);
    const auto extend = command_of<engine::settle>(
        send("POST", "/v1/ns/queues/q:extend", tokens + R"(,"lease":"1m"})"));
    EXPECT_EQ(extend.how, engine::settlement::extend);
    EXPECT_EQ(extend.lease, 1min);
    EXPECT_EQ(
        command_of<engine::settle>(send("POST", "/v1/ns/queues/q:extend", tokens + "}")).lease,
        30s);
    EXPECT_EQ(error("ack", tokens + R"(,"delay":1})"), "400 unknown_field delay");
    EXPECT_EQ(error("ack", tokens + R"(,"next":1})"), "400 unknown_field next");
    EXPECT_EQ(error("nack", tokens + R"(,"lease":1})"), "400 unknown_field lease");
    EXPECT_EQ(error("nack", tokens + R"(,"delay":"101y"})"), "400 bad_duration delay");
    EXPECT_EQ(error("nack", tokens + R"(,"delay":"36501d"})"), "400 due_too_far delay");
    EXPECT_EQ(error("extend", tokens + R"(,"lease":"13h"})"), "400 over_limit lease");
    EXPECT_EQ(error("extend", tokens + R"(,"lease":0})"), "400 out_of_range lease");
}

TEST(settle, an_ack_may_carry_what_comes_next) {
    const auto y = quoted_token("ns", "y");
    const auto parsed =
        send("POST", "/v1/ns/queues/q:ack",
             R"({"acks":[{"token":)" + y + R"(,"next":{"delay":"5m","payload": [1] ,"queue":"o",)" +
                 R"("retain":"1d"}},{"token":)" + y + R"(},{"next":{"due":7},"token":)" + y +
                 R"(}],"tokens":[)" + quoted_token() + "]}");
    const auto s = command_of<engine::settle>(parsed);
    ASSERT_EQ(s.tokens.size(), 4U);
    ASSERT_EQ(s.next.size(), 4U);
    EXPECT_EQ(s.tokens[0].id, "x");
    EXPECT_EQ(s.tokens[1].id, "y");
    EXPECT_FALSE(s.next[0]);
    EXPECT_FALSE(s.next[2]);
    EXPECT_EQ(std::get<engine::after>(s.next[1]->when).delay, 5min);
    EXPECT_EQ(s.next[1]->payload, "[1]");
    EXPECT_EQ(s.next[1]->queue, "o");
    EXPECT_EQ(s.next[1]->retain, 24h);
    EXPECT_EQ(std::get<engine::at>(s.next[3]->when).wall_ms.count, 7U);
    EXPECT_FALSE(s.next[3]->payload);
    EXPECT_FALSE(s.next[3]->queue);
    EXPECT_FALSE(s.next[3]->retain);
    EXPECT_EQ(test::made(parsed).how.tokens.size(), 4U);
}

TEST(settle, what_is_wrong_in_an_ack_is_named_by_its_place) {
    const auto one = [](const std::string& members) {
        return error("ack", R"({"acks":[{"token":)" + quoted_token() + "}," + members + "]}");
    };
    const auto next = [&](const std::string& members) {
        return one(R"({"token":)" + quoted_token() + R"(,"next":{)" + members + "}}");
    };
    EXPECT_EQ(one("7"), "400 wrong_type acks[1]");
    EXPECT_EQ(one("{}"), "400 missing_field acks[1].token");
    EXPECT_EQ(one(R"({"token":7})"), "400 wrong_type acks[1].token");
    EXPECT_EQ(one(R"({"token":"x"})"), "400 bad_token acks[1].token");
    EXPECT_EQ(one(R"({"token":)" + quoted_token("other") + "}"), "400 bad_token acks[1].token");
    EXPECT_EQ(one(R"({"x":1})"), "400 unknown_field acks[1].x");
    EXPECT_EQ(one(R"({"token":)" + quoted_token() + R"(,"next":1})"),
              "400 wrong_type acks[1].next");
    EXPECT_EQ(next(""), "400 missing_field acks[1].next.delay");
    EXPECT_EQ(next(R"("delay":-1)"), "400 out_of_range acks[1].next.delay");
    EXPECT_EQ(next(R"("delay":1,"due":1)"), "400 conflicting_fields acks[1].next.due");
    EXPECT_EQ(next(R"("delay":1,"mode":"extend")"), "400 unknown_field acks[1].next.mode");
    EXPECT_EQ(next(R"("delay":1,"every":"1s")"), "400 unsupported_field acks[1].next.every");
    EXPECT_EQ(error("ack", R"({"acks":{}})"), "400 wrong_type acks");
    EXPECT_EQ(error("nack", R"({"acks":[]})"), "400 unknown_field acks");
    limits l;
    l.settle_tokens = 2;
    const auto good = R"({"token":)" + quoted_token() + "}";
    EXPECT_EQ(
        error("ack", R"({"tokens":[)" + quoted_token() + R"(],"acks":[)" + good + "," + good + "]}",
              l),
        "400 over_limit acks");
}

TEST(settle, wrong_tokens_are_named_by_their_place) {
    const auto good = quoted_token();
    EXPECT_EQ(error("ack", R"({"tokens":[)" + good + "," + good + "," + good + R"(,"x"]})"),
              "400 bad_token tokens[3]");
    EXPECT_EQ(error("ack", R"({"tokens":[)" + good + "," + quoted_token("other") + "]}"),
              "400 bad_token tokens[1]");
    EXPECT_EQ(error("ack", R"({"tokens":[)" + quoted_token("ns", std::string(257, 'i')) + "]}"),
              "400 bad_token tokens[0]");
    EXPECT_EQ(error("ack", R"({"tokens":[7]})"), "400 wrong_type tokens[0]");
    EXPECT_EQ(error("ack", R"({"tokens":[null]})"), "400 wrong_type tokens[0]");
    EXPECT_EQ(error("ack", R"({"tokens":"x"})"), "400 wrong_type tokens");
    EXPECT_EQ(error("ack", R"({"tokens":{}})"), "400 wrong_type tokens");
    EXPECT_EQ(error("ack", R"({})"), "400 missing_field tokens");
    EXPECT_EQ(error("ack", ""), "400 empty_body");
}

TEST(settle, number_of_tokens_is_bounded) {
    limits l;
    l.settle_tokens = 2;
    const auto good = quoted_token();
    const auto two = R"({"tokens":[)" + good + "," + good + "]}";
    EXPECT_EQ(command_of<engine::settle>(send("POST", "/v1/ns/queues/q:ack", two, l)).tokens.size(),
              2U);
    const auto three = R"({"tokens":[)" + good + "," + good + "," + good + "]}";
    EXPECT_EQ(error("ack", three, l), "400 over_limit tokens");
}

TEST(settle, no_token_is_answered_at_once) {
    const auto r = refused(send("POST", "/v1/ns/queues/q:ack", R"({"tokens":[]})"));
    EXPECT_EQ(r.status, 200U);
    EXPECT_EQ(r.body, R"({"results":[]})");
}

}  // namespace
}  // namespace foliot::protocol
