// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/url.hpp"

#include "requests.hpp"

namespace foliot::protocol {
namespace {

using test::refused;
using test::send;
using test::summary;

TEST(route, unknown_paths_are_404) {
    for (const std::string_view target : {"/",
                                          "",
                                          "*",
                                          "v1",
                                          "/v1",
                                          "/v1/",
                                          "/v1/ns",
                                          "/v1/ns/",
                                          "/v2/ns/timers/x",
                                          "/V1/ns/timers",
                                          "/v1/ns/Timers/x",
                                          "/v1/ns/timers/x/",
                                          "/v1/ns/timers/a/b",
                                          "/v1/ns/timers:set",
                                          "/v1/ns/timers:batch/x",
                                          "/v1/ns/queues",
                                          "/v1/ns/queues/q",
                                          "/v1/ns/queues/q:steal",
                                          "/v1/ns/queues/q:",
                                          "/v1/ns/queues/q/dead/x",
                                          "/v1/ns/queues/q/alive",
                                          "/healthz/",
                                          "/v1/limits/x",
                                          "/v1/a/b/c/d/e/f/g",
                                          "//v1/ns/timers/x",
                                          "http://h/v1/ns/timers/x"}) {
        EXPECT_EQ(summary(send("GET", target)), "404 no_such_route") << target;
    }
}

TEST(route, wrong_methods_are_405_with_allow) {
    const std::pair<std::string_view, std::string_view> resources[] = {
        {"/v1/ns/timers/x", "GET, PUT, DELETE"},
        {"/v1/ns/timers", "GET"},
        {"/v1/ns/timers:batch", "POST"},
        {"/v1/ns/queues/q:lease", "POST"},
        {"/v1/ns/queues/q:ack", "POST"},
        {"/v1/ns/queues/q:nack", "POST"},
        {"/v1/ns/queues/q:extend", "POST"},
        {"/v1/ns/queues/q/dead", "GET"},
        {"/v1/limits", "GET"},
        {"/healthz", "GET"},
        {"/readyz", "GET"},
        {"/metrics", "GET"}};
    for (const auto& [target, allow] : resources) {
        for (const std::string_view method :
             {"GET", "PUT", "DELETE", "POST", "HEAD", "PATCH", "OPTIONS", "get", "", "GET,"}) {
            if (!method.empty() && test::has(std::string{allow} + ",", std::string{method} + ",") &&
                method != "GET,") {
                continue;
            }
            const auto r = refused(send(method, target));
            EXPECT_EQ(summary(r), "405 method_not_allowed") << method << ' ' << target;
            EXPECT_EQ(r.allow, allow);
        }
    }
}

TEST(route, own_pages_go_to_the_server) {
    const std::pair<std::string_view, operational> pages[] = {{"/v1/limits", operational::limits},
                                                              {"/healthz", operational::healthz},
                                                              {"/readyz", operational::readyz},
                                                              {"/metrics", operational::metrics}};
    for (const auto& [target, page] : pages) {
        const auto parsed = send("GET", target);
        ASSERT_TRUE(std::holds_alternative<operational>(parsed)) << target;
        EXPECT_EQ(std::get<operational>(parsed), page);
    }
}

TEST(route, paths_are_percent_decoded_part_by_part) {
    const auto get =
        test::command_of<engine::get_timer>(send("GET", "/v1/my-ns/timers/a%2Fb%20c+d:%c3%A9"));
    EXPECT_EQ(get.ns, "my-ns");
    EXPECT_EQ(get.id, "a/b c+d:\xc3\xa9");
    EXPECT_TRUE(std::holds_alternative<batch>(
        send("POST", "/v1/ns/timers%3Abatch", R"({"op":"cancel","id":"x"})")));
    for (const std::string_view target :
         {"/v1/ns/timers/%", "/v1/ns/timers/%2", "/v1/ns/timers/%zz", "/v1/ns/timers/%+2",
          "/v1/n%s/timers/x"}) {
        EXPECT_EQ(summary(send("GET", target)), "400 bad_encoding") << target;
    }
}

TEST(route, names_are_checked) {
    const std::string longest(64, 'n');
    EXPECT_EQ(test::command_of<engine::list_timers>(send("GET", "/v1/" + longest + "/timers")).ns,
              longest);
    const auto too_long = refused(send("GET", "/v1/" + longest + "n/timers"));
    EXPECT_EQ(summary(too_long), "400 name_too_long ns");
    EXPECT_TRUE(test::has(too_long.body, "65 bytes; the limit is 64 (limits.name_bytes)"));
    EXPECT_TRUE(test::has(too_long.body, "\"limit\":64"));
    for (const std::string_view ns : {"", "a%20b", "a%2Fb", "%c3%a9", "a:b", "a%00"}) {
        EXPECT_EQ(summary(send("GET", "/v1/" + std::string{ns} + "/timers/x")), "400 bad_name ns")
            << ns;
    }
    EXPECT_EQ(summary(send("POST", "/v1/ns/queues/:lease")), "400 bad_name queue");
    EXPECT_EQ(summary(send("POST", "/v1/ns/queues/a:b:lease")), "400 bad_name queue");
    EXPECT_EQ(summary(send("GET", "/v1/ns/queues/" + longest + "q/dead")),
              "400 name_too_long queue");
}

TEST(route, ids_are_checked) {
    const std::string longest(256, 'i');
    EXPECT_EQ(
        test::command_of<engine::get_timer>(send("GET", "/v1/ns/timers/" + longest)).id.size(),
        256U);
    const auto too_long = refused(send("GET", "/v1/ns/timers/" + longest + "i"));
    EXPECT_EQ(summary(too_long), "400 id_too_long id");
    EXPECT_TRUE(test::has(too_long.body, "limits.id_bytes"));
    for (const std::string_view id :
         {"", "%00", "a%0ab", "%7f", "%c2%80", "%ff", "%c3", "%ed%a0%80", "%c0%af"}) {
        EXPECT_EQ(summary(send("PUT", "/v1/ns/timers/" + std::string{id}, R"({"delay":1})")),
                  "400 bad_id id")
            << id;
    }
}

TEST(route, query_parameters_are_refused_where_none_is_known) {
    EXPECT_EQ(summary(send("GET", "/v1/ns/timers/x?verbose=1")), "400 unknown_parameter");
    EXPECT_EQ(summary(send("PUT", "/v1/ns/timers/x?delay=2s", "{}")), "400 unknown_parameter");
    EXPECT_EQ(summary(send("GET", "/healthz?x")), "400 unknown_parameter");
}

TEST(route, bodies_are_bounded) {
    limits l;
    l.body_bytes = 100;
    l.batch_body_bytes = 200;
    EXPECT_EQ(body_limit("/v1/ns/timers/x", l), 100U);
    EXPECT_EQ(body_limit("/v1/ns/timers:batch", l), 200U);
    EXPECT_EQ(body_limit("nonsense", l), 100U);
    const std::string fits = R"({"delay":1})" + std::string(89, ' ');
    EXPECT_TRUE(std::holds_alternative<call>(send("PUT", "/v1/ns/timers/x", fits, l)));
    const auto over = refused(send("PUT", "/v1/ns/timers/x", fits + " ", l));
    EXPECT_EQ(summary(over), "413 body_too_large");
    EXPECT_TRUE(test::has(over.body, "limits.body_bytes"));
    EXPECT_TRUE(test::has(over.body, "\"limit\":100"));
    const auto batch_over = refused(send("POST", "/v1/ns/timers:batch", std::string(201, ' '), l));
    EXPECT_EQ(summary(batch_over), "413 body_too_large");
    EXPECT_TRUE(test::has(batch_over.body, "limits.batch_body_bytes"));
}

TEST(url, percent_decoding) {
    EXPECT_EQ(percent_decode("a%41%2f+%25"), "aA/+%");
    EXPECT_EQ(percent_decode(""), "");
    EXPECT_FALSE(percent_decode("%"));
    EXPECT_FALSE(percent_decode("%4"));
    EXPECT_FALSE(percent_decode("%-1"));
}

}  // namespace
}  // namespace foliot::protocol
