// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "integration/server/server_fixture.hpp"

#include <future>

namespace foliot::test {
namespace {

using testing::HasSubstr;

class http : public server_fixture {};

TEST_F(http, a_timer_is_set_leased_once_and_acked) {
    start();
    const auto made =
        ask("PUT", "/v1/default/timers/x", R"({"delay":"50ms","payload":{"cart":7}})");
    EXPECT_EQ(made.status, 201) << made.body;
    const auto generation = json_member(made.body, "generation");
    EXPECT_EQ(made.headers.at("etag"), '"' + generation + '"');
    const auto given = lease(10);
    ASSERT_EQ(given.status, 200);
    EXPECT_EQ(count_of(given.body, "\"token\""), 1U);
    EXPECT_EQ(json_member(given.body, "generation"), generation);
    EXPECT_THAT(given.body, HasSubstr(R"("payload":{"cart":7})"));
    const auto token = json_member(given.body, "token");
    const auto settle = "{\"tokens\":[\"" + token + "\"]}";
    const auto acked = ask("POST", "/v1/default/queues/default:ack", settle);
    EXPECT_THAT(acked.body, HasSubstr("\"acked\""));
    const auto again = ask("POST", "/v1/default/queues/default:ack", settle);
    EXPECT_THAT(again.body, HasSubstr("\"unknown\""));
    EXPECT_EQ(ask("GET", "/v1/default/timers/x").status, 404);
    EXPECT_EQ(json_member(lease(10, "0ms").body, "deliveries"), "[");
}

TEST_F(http, a_timer_is_moved_later_only_or_earlier_only) {
    start();
    const auto put = [this](const std::string& body) {
        return ask("PUT", "/v1/default/timers/x", body);
    };
    const auto first = put(R"({"delay":"1h","mode":"create"})");
    EXPECT_EQ(first.status, 201) << first.body;
    const auto generation = json_member(first.body, "generation");
    EXPECT_EQ(put(R"({"delay":"2h","mode":"create"})").status, 412);
    const auto stands = put(R"({"delay":"30m","mode":"extend"})");
    EXPECT_EQ(stands.status, 200);
    EXPECT_THAT(stands.body, HasSubstr(R"("changed":false)"));
    EXPECT_EQ(json_member(stands.body, "generation"), generation);
    EXPECT_EQ(json_member(stands.body, "due_ms"), json_member(first.body, "due_ms"));
    const auto moved = put(R"({"delay":"2h","mode":"extend"})");
    EXPECT_EQ(json_member(moved.body, "previous_generation"), generation);
    const auto batch = ask("POST", "/v1/default/timers:batch",
                           "{\"op\":\"set\",\"id\":\"x\",\"delay\":\"3h\",\"mode\":\"advance\"}\n"
                           "{\"op\":\"set\",\"id\":\"x\",\"delay\":\"1h\",\"mode\":\"advance\"}\n");
    EXPECT_EQ(count_of(batch.body, "\"changed\":false"), 1U) << batch.body;
    EXPECT_THAT(batch.body,
                HasSubstr(R"("previous_generation":")" + json_member(moved.body, "generation")));
}

TEST_F(http, a_set_with_a_key_is_made_once_whatever_becomes_of_it) {
    start();
    const auto put = [this](const std::string& body = R"({"delay":"50ms","retain":"1h"})") {
        return ask("PUT", "/v1/default/timers/x", body, "Idempotency-Key: \"k-1\"\r\n");
    };
    const auto first = put();
    EXPECT_EQ(first.status, 201) << first.body;
    const auto expect_same = [&] {
        const auto again = put();
        EXPECT_EQ(again.status, first.status);
        EXPECT_EQ(again.body, first.body);
        EXPECT_EQ(again.headers.at("etag"), first.headers.at("etag"));
    };
    expect_same();
    EXPECT_EQ(put(R"({"delay":"60ms","retain":"1h"})").status, 422);
    const auto given = lease();
    const auto token = json_member(given.body, "token");
    expect_same();
    const auto tokens = "{\"tokens\":[\"" + token + "\"]}";
    EXPECT_THAT(ask("POST", "/v1/default/queues/default:ack", tokens).body, HasSubstr("acked"));
    expect_same();
    restart();
    expect_same();
    const auto seen = ask("GET", "/v1/default/timers/x");
    EXPECT_EQ(seen.status, 200);
    EXPECT_THAT(seen.body, HasSubstr(R"("state":"acked")"));
    EXPECT_THAT(seen.body, HasSubstr(R"("ended":")"));
    EXPECT_EQ(metric("foliot_timers_retained"), 1);
    EXPECT_EQ(metric("foliot_timers_pending"), 0);
    const auto line = R"({"op":"set","id":"y","delay":"1h","idempotency_key":"b"})";
    const auto batch =
        ask("POST", "/v1/default/timers:batch", std::string{line} + "\n" + line + "\n");
    EXPECT_EQ(count_of(batch.body, R"("status":201)"), 2U) << batch.body;
    EXPECT_EQ(ask("DELETE", "/v1/default/timers/y", {}, "Idempotency-Key: k\r\n").status, 400);
}

TEST_F(http, an_ack_sets_what_comes_next) {
    start();
    ask("PUT", "/v1/default/timers/x", R"({"delay":"1ms","payload":{"page":1}})");
    const auto token = json_member(lease().body, "token");
    const auto acks = R"({"acks":[{"token":")" + token + R"(","next":{"delay":"1ms"}}]})";
    const auto acked = ask("POST", "/v1/default/queues/default:ack", acks);
    EXPECT_EQ(acked.status, 200) << acked.body;
    EXPECT_THAT(acked.body, HasSubstr(R"("outcome":"acked","next":{"id":"x")"));
    const auto again = lease();
    EXPECT_THAT(again.body, HasSubstr(R"("payload":{"page":1})"));
    EXPECT_EQ(ask("POST", "/v1/default/queues/default:ack", acks).body, acked.body);
}

TEST_F(http, a_long_poll_ends_at_the_due_and_never_before) {
    start();
    for (const int delay_ms : {1, 7, 50, 333}) {
        // Measured from before the request was sent, so a firing before this is early.
        const auto began = std::chrono::steady_clock::now();
        auto waiting = std::async(std::launch::async, [this] { return lease(); });
        ASSERT_EQ(set("x", std::to_string(delay_ms) + "ms").status / 100, 2);
        const auto given = waiting.get();
        const auto took = std::chrono::steady_clock::now() - began;
        EXPECT_EQ(count_of(given.body, "\"token\""), 1U) << given.body;
        EXPECT_GE(took, std::chrono::milliseconds{delay_ms});
        EXPECT_GE(std::stod(json_member(given.body, "lateness_ms")), 0.0);
        ask("DELETE", "/v1/default/timers/x");
    }
}

TEST_F(http, a_lease_without_timers_waits_as_long_as_asked_and_is_empty) {
    start();
    const auto began = std::chrono::steady_clock::now();
    const auto given = lease(1, "200ms");
    EXPECT_GE(std::chrono::steady_clock::now() - began, 200ms);
    EXPECT_EQ(given.status, 200);
    EXPECT_EQ(count_of(given.body, "\"token\""), 0U);
}

TEST_F(http, a_client_that_leaves_its_long_poll_takes_no_delivery) {
    start();
    for (int i = 0; i < 20; ++i) {
        raw_client leaving(port());
        leaving.send(request_text("POST", "/v1/default/queues/default:lease", R"({"wait":"30s"})"));
        ASSERT_TRUE(eventually([&] { return metric("foliot_http_connections") >= 2; }));
    }
    ASSERT_TRUE(eventually([&] { return metric("foliot_http_connections") == 1; }));
    set("x", "1ms");
    const auto given = lease(10, "5s");
    EXPECT_EQ(count_of(given.body, "\"token\""), 1U);
    EXPECT_EQ(json_member(given.body, "attempt"), "1");
}

TEST_F(http, one_connection_serves_many_requests) {
    start();
    raw_client client(port());
    for (int i = 0; i < 200; ++i) {
        const auto r = client.ask("PUT", "/v1/default/timers/x", R"({"delay":"1h"})");
        ASSERT_EQ(r.status, i == 0 ? 201 : 200) << i;
    }
    EXPECT_EQ(metric("foliot_http_connections_total"), 2);
}

TEST_F(http, pipelined_requests_are_answered_in_order) {
    start();
    raw_client client(port());
    std::string all;
    for (int i = 0; i < 100; ++i) {
        const auto id = "p" + std::to_string(i);
        all += request_text("PUT", "/v1/default/timers/" + id, R"({"delay":"1h"})");
        all += request_text("GET", "/v1/default/timers/" + id);
    }
    ASSERT_TRUE(client.send(all));
    for (int i = 0; i < 100; ++i) {
        const auto made = client.read();
        const auto got = client.read();
        ASSERT_EQ(made.status, 201);
        ASSERT_EQ(got.status, 200);
        EXPECT_EQ(json_member(got.body, "id"), "p" + std::to_string(i));
    }
}

TEST_F(http, a_request_behind_a_long_poll_is_served_after_it) {
    start();
    raw_client client(port());
    client.send(request_text("POST", "/v1/default/queues/default:lease", R"({"wait":"300ms"})"));
    std::this_thread::sleep_for(50ms);
    client.send(request_text("GET", "/healthz"));
    EXPECT_THAT(client.read().body, HasSubstr("deliveries"));
    EXPECT_THAT(client.read().body, HasSubstr("\"ok\""));
}

TEST_F(http, old_and_closing_clients_are_served) {
    start();
    raw_client old(port());
    old.send("GET /healthz HTTP/1.0\r\n\r\n");
    const auto answer = old.read();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.at("connection"), "close");
    EXPECT_TRUE(old.closed_within(10s));
    raw_client kept(port());
    kept.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(kept.read().headers.at("connection"), "keep-alive");
    kept.send("GET /healthz HTTP/1.0\r\n\r\n");
    EXPECT_EQ(kept.read().status, 200);
    raw_client half(port());
    half.send(request_text("PUT", "/v1/default/timers/x", R"({"delay":"1h"})"));
    half.finish_sending();
    EXPECT_EQ(half.read().status, 201);
}

TEST_F(http, head_options_and_wrong_methods) {
    start();
    raw_client client(port());
    const auto head = client.ask("HEAD", "/healthz");
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.headers.at("content-length"), "16");
    const auto options = client.ask("OPTIONS", "/v1/default/timers/x");
    EXPECT_EQ(options.status, 204);
    EXPECT_THAT(options.headers.at("allow"), HasSubstr("PUT"));
    EXPECT_EQ(client.ask("OPTIONS", "*").status, 204);
    const auto wrong = client.ask("PATCH", "/v1/default/timers/x");
    EXPECT_EQ(wrong.status, 405);
    EXPECT_THAT(wrong.headers.at("allow"), HasSubstr("PUT"));
    EXPECT_EQ(client.ask("BREW", "/healthz").status, 405);
    EXPECT_EQ(client.ask("GET", "/nowhere").status, 404);
    EXPECT_EQ(client.ask("GET", "/healthz").status, 200);
}

TEST_F(http, a_chunked_body_is_a_body) {
    start();
    raw_client client(port());
    client.send(
        "PUT /v1/default/timers/c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        "8\r\n{\"delay\"\r\n6;x=y\r\n:\"1h\"}\r\n0\r\n\r\n");
    EXPECT_EQ(client.read().status, 201);
    EXPECT_EQ(client.ask("GET", "/v1/default/timers/c").status, 200);
}

TEST_F(http, a_client_that_expects_100_continue_gets_it_unless_refused) {
    start();
    raw_client client(port());
    client.send(
        "PUT /v1/default/timers/e HTTP/1.1\r\nHost: h\r\nContent-Length: 14\r\n"
        "Expect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read().status, 100);
    client.send(R"({"delay":"1h"})");
    EXPECT_EQ(client.read().status, 201);
    client.send(
        "PUT /v1/default/timers/e HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n"
        "Expect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read().status, 413);
    raw_client strange(port());
    strange.send(
        "PUT /v1/default/timers/e HTTP/1.1\r\nHost: h\r\nContent-Length: 14\r\n"
        "Expect: a-miracle\r\n\r\n");
    EXPECT_EQ(strange.read().status, 417);
}

TEST_F(http, a_batch_answers_each_line_in_order) {
    start();
    std::string lines;
    for (int i = 0; i < 500; ++i) {
        lines += R"({"op":"set","id":"b)" + std::to_string(i) + R"(","delay":"1h"})" + "\n";
    }
    lines += "{\"op\":\"set\",\"id\":\"bad\"}\nnot json\n";
    lines += "{\"op\":\"cancel\",\"id\":\"b7\"}\n";
    const auto r = ask("POST", "/v1/default/timers:batch", lines);
    ASSERT_EQ(r.status, 200) << r.body;
    EXPECT_EQ(count_of(r.body, "\n"), 503U);
    EXPECT_EQ(count_of(r.body, "\"generation\""), 500U);
    EXPECT_LT(r.body.find("\"b3\""), r.body.find("\"b4\""));
    EXPECT_THAT(r.body, HasSubstr("cancelled"));
    EXPECT_TRUE(eventually([&] { return metric("foliot_timers_pending") == 499; }));
}

TEST_F(http, limits_tell_every_setting_that_bounds) {
    config_.http.max_connections = 77;
    start();
    const auto r = ask("GET", "/v1/limits");
    EXPECT_EQ(r.status, 200);
    for (const auto& limit : server::other_limits(config_)) {
        EXPECT_THAT(r.body, HasSubstr('"' + std::string{limit.name} + '"'));
    }
    EXPECT_THAT(r.body, HasSubstr(R"("limits.connections":{"value":77,)"));
    EXPECT_THAT(r.body, HasSubstr(R"("limits.payload_bytes":{"value":65536,)"));
}

TEST_F(http, metrics_count_what_happened) {
    start();
    set("a", "1ms");
    set("b");
    set("b");
    ask("DELETE", "/v1/default/timers/b");
    lease();
    ask("GET", "/nowhere");
    ASSERT_TRUE(eventually([&] { return metric("foliot_timers_in_flight") == 1; }));
    const auto r = ask("GET", "/metrics");
    EXPECT_THAT(r.headers.at("content-type"), HasSubstr("text/plain; version=0.0.4"));
    EXPECT_EQ(test::metric(r.body, "foliot_timers_set_total"), 3);
    EXPECT_EQ(test::metric(r.body, "foliot_timers_cancelled_total"), 1);
    EXPECT_EQ(test::metric(r.body, "foliot_timers_fired_total"), 1);
    EXPECT_EQ(test::metric(r.body, "foliot_firing_lateness_seconds_count"), 1);
    EXPECT_GE(test::metric(r.body, "foliot_store_commit_duration_seconds_count"), 1);
    EXPECT_EQ(test::metric(r.body, "foliot_http_responses_total{class=\"4xx\"}"), 1);
    EXPECT_EQ(test::metric(r.body, "foliot_ready"), 1);
    EXPECT_GT(test::metric(r.body, "process_start_time_seconds"), 1.5e9);
    EXPECT_THAT(r.body, HasSubstr(R"(foliot_queue_in_flight{ns="default",queue="default"} 1)"));
}

TEST_F(http, a_relative_delay_is_the_servers_business_whatever_a_client_thinks_the_time_is) {
    start();
    const auto due = [&](const std::string& id, const std::string& date) {
        const auto r =
            ask("PUT", "/v1/default/timers/" + id, R"({"delay":"10m"})", "Date: " + date + "\r\n");
        return std::stoll(json_member(r.body, "due_ms"));
    };
    const auto ahead = due("ahead", "Sun, 06 Nov 2044 09:49:37 GMT");
    const auto behind = due("behind", "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_LT(std::abs(ahead - behind), 10'000);
}

TEST_F(http, timers_survive_a_restart_of_the_server) {
    start();
    const auto made = set("x");
    restart();
    const auto got = ask("GET", "/v1/default/timers/x");
    EXPECT_EQ(json_member(got.body, "generation"), json_member(made.body, "generation"));
    EXPECT_EQ(json_member(got.body, "due_ms"), json_member(made.body, "due_ms"));
    EXPECT_EQ(metric("foliot_timers_pending"), 1);
}

}  // namespace
}  // namespace foliot::test
