// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "integration/server/server_fixture.hpp"
#include "support/memory.hpp"

#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

namespace foliot::test {
namespace {

using namespace std::string_literals;
using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

std::uint64_t seed() {
    const char* given = std::getenv("FOLIOT_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

class malformed : public server_fixture {
protected:
    malformed() {
        config_.http.head_timeout = 400ms;
        config_.http.body_timeout = 400ms;
        config_.http.idle_timeout = 2s;
        config_.limits.body_bytes = 100'000;
        config_.limits.batch_body_bytes = 200'000;
    }

    /// The answer to bytes on a connection of their own.
    raw_response answer_to(const std::string& bytes) {
        raw_client client(port());
        client.send(bytes);
        return client.read(10s);
    }
    void expect_error(const std::string& bytes, int status, const std::string& code) {
        const auto r = answer_to(bytes);
        EXPECT_EQ(r.status, status) << bytes.substr(0, 200) << "\n-> " << r.body;
        EXPECT_EQ(json_member(r.body, "code"), code) << r.body;
        EXPECT_FALSE(json_member(r.body, "message").empty());
    }
};

TEST_F(malformed, bytes_that_are_not_http_get_a_400_and_the_end) {
    start();
    for (const auto& bytes : {
             std::string{"hello\r\n\r\n"},
             std::string{"GET\r\n\r\n"},
             std::string{"GET /healthz\r\n\r\n"},
             std::string{"GET  /healthz HTTP/1.1\r\n\r\n"},
             std::string{"GET /healthz HTTP/9.9\r\nHost: h\r\n\r\n"},
             std::string{"GET /healthz HTTX/1.1\r\nHost: h\r\n\r\n"},
             "G\0T /healthz HTTP/1.1\r\nHost: h\r\n\r\n"s,
             "GET /hea\0thz HTTP/1.1\r\nHost: h\r\n\r\n"s,
             std::string{"GET /healthz HTTP/1.1\r\nHo st: h\r\n\r\n"},
             std::string{"GET /healthz HTTP/1.1\r\nHost: h\r\nno-colon\r\n\r\n"},
             "GET /healthz HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n"s,
             "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello\r\n\r\n"s,
         }) {
        raw_client client(port());
        client.send(bytes);
        client.finish_sending();
        const auto r = client.read(10s);
        EXPECT_THAT(r.status, AnyOf(Eq(400), Eq(505))) << bytes;
        EXPECT_FALSE(json_member(r.body, "code").empty()) << bytes;
        EXPECT_TRUE(client.closed_within(10s)) << bytes;
    }
    expect_serving();
}

TEST_F(malformed, ambiguous_lengths_are_refused) {
    start();
    const std::string put = "PUT /v1/default/timers/x HTTP/1.1\r\nHost: h\r\n";
    const std::string body = "\r\n{\"delay\":\"1h\"}";
    for (const auto* headers :
         {"Content-Length: 14\r\nContent-Length: 15\r\n", "Content-Length: -1\r\n",
          "Content-Length: 14x\r\n", "Content-Length: 99999999999999999999999\r\n",
          "Content-Length: 14\r\nTransfer-Encoding: chunked\r\n"}) {
        expect_error(put + headers + body, 400, "bad_request");
    }
    expect_error(put + "Transfer-Encoding: gzip\r\n" + body, 501, "transfer_encoding");
    expect_error("GET /healthz HTTP/1.1\r\n\r\n", 400, "bad_request");
    expect_error("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "bad_request");
    EXPECT_EQ(metric("foliot_timers_set_total"), 0);
}

TEST_F(malformed, oversized_heads_name_the_limit) {
    start();
    const std::string big(config_.http.header_bytes, 'a');
    expect_error("GET /healthz HTTP/1.1\r\nHost: h\r\nX: " + big + "\r\n\r\n", 431,
                 "header_too_large");
    expect_error("GET /" + big + " HTTP/1.1\r\nHost: h\r\n\r\n", 414, "target_too_long");
    std::string many = "GET /healthz HTTP/1.1\r\nHost: h\r\n";
    for (int i = 0; i < 2000; ++i) many += "X-" + std::to_string(i) + ": 1234567890\r\n";
    expect_error(many + "\r\n", 431, "header_too_large");
    const auto r = answer_to("GET /healthz HTTP/1.1\r\nHost: h\r\nX: " + big + "\r\n\r\n");
    EXPECT_THAT(r.body, HasSubstr("limits.header_bytes"));
    expect_serving();
}

TEST_F(malformed, a_body_may_reach_its_limit_but_not_pass_it) {
    start();
    const std::string open = "{\"delay\":\"1h\",\"payload\":1";
    std::string fits = open + std::string(config_.limits.body_bytes - open.size() - 1, ' ') + "}";
    ASSERT_EQ(fits.size(), config_.limits.body_bytes);
    EXPECT_EQ(ask("PUT", "/v1/default/timers/x", fits).status, 201);
    const auto over = ask("PUT", "/v1/default/timers/x", fits + " ");
    EXPECT_EQ(over.status, 413);
    EXPECT_THAT(over.body, HasSubstr("limits.body_bytes"));
    EXPECT_THAT(over.body, HasSubstr("100000"));
    // The same without a Content-Length to go by.
    raw_client chunked(port());
    chunked.send(
        "PUT /v1/default/timers/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 101; ++i) chunked.send("3e8\r\n" + std::string(1000, ' ') + "\r\n");
    EXPECT_EQ(chunked.read(10s).status, 413);
    // A batch has a limit of its own.
    const auto line = std::string{R"({"op":"cancel","id":"nope"})"} + "\n";
    std::string batch;
    while (batch.size() + line.size() < 150'000) batch += line;
    EXPECT_EQ(ask("POST", "/v1/default/timers:batch", batch).status, 200);
    const auto too_long = ask("POST", "/v1/default/timers:batch", std::string(200'001, '\n'));
    EXPECT_EQ(too_long.status, 413);
    EXPECT_THAT(too_long.body, HasSubstr("limits.batch_body_bytes"));
}

TEST_F(malformed, a_payload_may_reach_its_limit_but_not_pass_it) {
    start();
    const auto payload = [&](std::size_t bytes) {
        return "{\"delay\":\"1h\",\"payload\":\"" + std::string(bytes - 2, 'p') + "\"}";
    };
    const auto limit = config_.limits.payload_bytes;
    EXPECT_EQ(ask("PUT", "/v1/default/timers/x", payload(limit)).status, 201);
    const auto over = ask("PUT", "/v1/default/timers/y", payload(limit + 1));
    EXPECT_EQ(over.status, 413) << over.body;
    EXPECT_EQ(json_member(over.body, "code"), "payload_too_large");
    EXPECT_EQ(ask("GET", "/v1/default/timers/y").status, 404);
}

TEST_F(malformed, wrong_content_is_a_400_that_names_the_field_and_the_connection_goes_on) {
    start();
    raw_client client(port());
    for (const auto& body : {
             std::string{"not json"},
             std::string{"{\"delay\":\"1h\""},
             std::string{"[]"},
             std::string{"null"},
             std::string{"{\"delay\":[]}"},
             std::string{"{\"delay\":-5}"},
             std::string{"{\"delay\":1e999}"},
             std::string{"{\"delay\":\"soon\"}"},
             std::string{"{\"due\":\"2027-13-45T99:00:00Z\"}"},
             std::string{"{\"delay\":\"1h\",\"no_such_field\":1}"},
             std::string{"{\"delay\":\"1h\",\"due\":5}"},
             std::string{"{}"},
             std::string{"{\"delay\":\"1h\",\"queue\":\"\xff\xfe\"}"},
             std::string{"{\"delay\":\"1h\",\"payload_base64\":\"***\"}"},
             "{\"delay\":\"1h\0\"}"s,
             std::string(5000, '['),
         }) {
        const auto r = client.ask("PUT", "/v1/default/timers/x", body);
        EXPECT_EQ(r.status, 400) << body.substr(0, 100) << "\n-> " << r.body;
        EXPECT_FALSE(json_member(r.body, "code").empty());
    }
    for (const auto* target : {"/v1/default/timers/%zz", "/v1/default/timers/%00%ff",
                               "/v1/a%2fb/timers/", "/v1//timers/x"}) {
        const auto r = client.ask("PUT", target, R"({"delay":"1h"})");
        EXPECT_THAT(r.status, AnyOf(Eq(400), Eq(404), Eq(405))) << target << " -> " << r.body;
    }
    const auto long_id =
        client.ask("PUT", "/v1/default/timers/" + std::string(257, 'i'), R"({"delay":"1h"})");
    EXPECT_EQ(long_id.status, 400);
    EXPECT_THAT(long_id.body, HasSubstr("limits.id_bytes"));
    EXPECT_EQ(client.ask("GET", "/healthz").status, 200);
}

TEST_F(malformed, truncated_requests_change_nothing) {
    start();
    const auto whole = request_text("PUT", "/v1/default/timers/x", R"({"delay":"1h"})");
    for (std::size_t cut = 1; cut < whole.size(); ++cut) {
        raw_client client(port());
        client.send(std::string_view{whole}.substr(0, cut));
        client.finish_sending();
        EXPECT_THAT(client.read(10s).status, AnyOf(Eq(400), Eq(0))) << cut;
    }
    raw_client chunked(port());
    chunked.send(
        "PUT /v1/default/timers/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        "zz\r\n{}\r\n0\r\n\r\n");
    EXPECT_EQ(chunked.read(10s).status, 400);
    EXPECT_EQ(ask("GET", "/v1/default/timers/x").status, 404);
}

TEST_F(malformed, slow_heads_and_bodies_are_closed_in_time) {
    start();
    raw_client silent(port());
    raw_client head(port());
    raw_client body(port());
    body.send("PUT /v1/default/timers/x HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n");
    bool head_open = true;
    bool body_open = true;
    const std::string head_text = "GET /healthz HTTP/1.1\r\nHost: " + std::string(1000, 'h');
    const auto began = std::chrono::steady_clock::now();
    // A byte now and then does not buy more time.
    for (std::size_t i = 0; i < 500 && (head_open || body_open); ++i) {
        head_open = head_open && head.send(head_text.substr(i, 1)) && !head.closed_within(10ms);
        body_open = body_open && body.send(" ") && !body.closed_within(10ms);
    }
    EXPECT_FALSE(head_open);
    EXPECT_FALSE(body_open);
    EXPECT_GE(std::chrono::steady_clock::now() - began, 400ms);
    EXPECT_TRUE(silent.closed_within(10s));
    EXPECT_GE(metric("foliot_http_timeouts_total"), 2);
    expect_serving();
}

TEST_F(malformed, an_idle_connection_is_closed_and_a_slow_reader_too) {
    config_.http.idle_timeout = 300ms;
    config_.http.write_timeout = 300ms;
    start();
    raw_client idle(port());
    EXPECT_EQ(idle.ask("GET", "/healthz").status, 200);
    EXPECT_TRUE(idle.closed_within(10s));
    raw_client reader(port());
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += "GET /v1/limits HTTP/1.1\r\nHost: h\r\n\r\n";
    reader.send(many);  // fails at the latest when the server has closed
    EXPECT_TRUE(eventually([&] { return metric("foliot_http_connections") == 1; }));
    expect_serving();
}

TEST_F(malformed, too_many_connections_are_told_so_and_others_served) {
    config_.http.max_connections = 5;
    config_.http.head_timeout = 20s;
    start();
    std::vector<std::unique_ptr<raw_client>> open;
    for (int i = 0; i < 5; ++i) {
        open.push_back(std::make_unique<raw_client>(port()));
        EXPECT_EQ(open.back()->ask("GET", "/healthz").status, 200);
    }
    raw_client sixth(port());
    const auto r = sixth.read(10s);
    EXPECT_EQ(r.status, 503);
    EXPECT_EQ(r.headers.at("retry-after"), "1");
    EXPECT_EQ(json_member(r.body, "code"), "too_many_connections");
    EXPECT_THAT(r.body, HasSubstr("limits.connections"));
    EXPECT_EQ(open[2]->ask("GET", "/healthz").status, 200);
    open.clear();
    EXPECT_TRUE(eventually([&] { return ask("GET", "/healthz").status == 200; }));
}

TEST_F(malformed, conditions_that_are_empty_or_there_twice_change_nothing) {
    start();
    ASSERT_EQ(ask("PUT", "/v1/default/timers/x", R"({"delay":"1h"})").status, 201);
    for (const std::string condition :
         {"If-Match:", "If-Match: ", "If-None-Match:", "If-Match:\r\nIf-Match: \"2\"",
          "If-Match: \"1099511627777\"\r\nIf-Match: \"1099511627777\""}) {
        for (const std::string method : {"PUT", "DELETE"}) {
            raw_client client(port());
            client.send(method + " /v1/default/timers/x HTTP/1.1\r\nHost: h\r\n" + condition +
                        "\r\nContent-Length: 14\r\n\r\n" + R"({"delay":"2h"})");
            const auto r = client.read(10s);
            EXPECT_EQ(r.status, 400) << method << condition;
            EXPECT_EQ(json_member(r.body, "code"), "bad_precondition") << method << condition;
        }
    }
    EXPECT_EQ(ask("GET", "/v1/default/timers/x").status, 200);
}

TEST_F(malformed, transfer_encodings_besides_chunked_are_refused) {
    start();
    for (const std::string encoding : {"gzip, chunked", "gzip", "chunked, identity"}) {
        raw_client client(port());
        client.send("PUT /v1/default/timers/x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: " +
                    encoding + "\r\n\r\ne\r\n{\"delay\":\"1h\"}\r\n0\r\n\r\n");
        const auto r = client.read(10s);
        EXPECT_THAT(r.status, AnyOf(Eq(400), Eq(501))) << encoding;
    }
    EXPECT_EQ(ask("GET", "/v1/default/timers/x").status, 404);
}

TEST_F(malformed, slow_uploads_do_not_keep_small_requests_out) {
    config_.http.body_memory = 400'000;
    config_.http.body_timeout = 20s;
    start();
    std::vector<std::unique_ptr<raw_client>> slow;
    for (int i = 0; i < 8; ++i) {
        slow.push_back(std::make_unique<raw_client>(port()));
        slow.back()->send(
            "POST /v1/default/timers:batch HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n");
    }
    ASSERT_TRUE(eventually([&] { return metric("foliot_http_body_bytes") == 300'000; }));
    EXPECT_EQ(ask("PUT", "/v1/default/timers/x", R"({"delay":"1h"})").status, 201);
}

TEST_F(malformed, bodies_over_all_connections_are_bounded) {
    config_.http.body_memory = 150'000;
    config_.http.body_timeout = 20s;
    start();
    const std::string head =
        "PUT /v1/default/timers/x HTTP/1.1\r\nHost: h\r\nContent-Length: 90000\r\n\r\n";
    raw_client first(port());
    first.send(head);
    ASSERT_TRUE(eventually([&] { return metric("foliot_http_body_bytes") == 90'000; }));
    raw_client second(port());
    second.send(head);
    const auto r = second.read(10s);
    EXPECT_EQ(r.status, 503);
    EXPECT_THAT(r.body, HasSubstr("limits.body_memory"));
    first.close();
    EXPECT_TRUE(eventually([&] { return metric("foliot_http_body_bytes") == 0; }));
}

/// A connection's worth of bytes that may or may not look like HTTP.
std::string garbage(std::mt19937_64& random) {
    static const std::vector<std::string> parts{"GET ",
                                                "PUT ",
                                                "POST ",
                                                "/healthz",
                                                "/v1/default/timers/x",
                                                "/v1/default/timers:batch",
                                                " HTTP/1.1\r\n",
                                                "Host: h\r\n",
                                                "Content-Length: 5\r\n",
                                                "Content-Length: 99999999\r\n",
                                                "Transfer-Encoding: chunked\r\n",
                                                "\r\n",
                                                "\r\n\r\n",
                                                "{\"delay\":\"1h\"}",
                                                "0\r\n\r\n",
                                                "ffffffffffffffff\r\n",
                                                "Expect: 100-continue\r\n",
                                                "Connection: close\r\n",
                                                "\n",
                                                ":"};
    std::string out;
    const auto count = 1 + random() % 20;
    for (std::size_t i = 0; i < count; ++i) {
        if (random() % 4 != 0) {
            out += parts[random() % parts.size()];
            continue;
        }
        const auto length = random() % 200;
        for (std::size_t k = 0; k < length; ++k) out += static_cast<char>(random() & 0xff);
    }
    return out;
}

TEST_F(malformed, a_thousand_garbage_connections_leave_the_server_well_and_memory_flat) {
    const auto s = seed();
    std::cout << "FOLIOT_SEED=" << s << '\n';
    std::mt19937_64 random(s);
    start();
    const auto round = [&] {
        for (int i = 0; i < 250; ++i) {
            raw_client client(port());
            client.send(garbage(random));
            if (random() % 2 == 0) client.finish_sending();
            if (random() % 2 == 0) client.read(20ms);
        }
    };
    round();
    const auto before = resident_bytes();
    for (int i = 0; i < 3; ++i) round();
    EXPECT_LT(resident_bytes(), before + (std::size_t{64} << 20));
    EXPECT_EQ(ask("GET", "/healthz").status, 200);
    EXPECT_EQ(set("after").status, 201);
    EXPECT_TRUE(eventually([&] { return metric("foliot_http_connections") == 1; }));
}

TEST_F(malformed, large_refused_bodies_leave_memory_flat) {
    start();
    const std::string big(1 << 20, 'x');
    const auto round = [&] {
        for (int i = 0; i < 50; ++i) {
            raw_client client(port());
            client.send(request_text("POST", "/v1/default/timers:batch", big));
            EXPECT_EQ(client.read(20s).status, 413);
        }
    };
    round();
    const auto before = resident_bytes();
    round();
    round();
    EXPECT_LT(resident_bytes(), before + (std::size_t{32} << 20));
    expect_serving();
}

}  // namespace
}  // namespace foliot::test
