// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/http_wire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foliot::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(http_wire, head_has_length_and_ends_with_an_empty_line) {
    protocol::http_response r;
    r.body = "{}";
    const auto head = response_head(r, true, false, "now");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_TRUE(head.ends_with("\r\n\r\n"));
    EXPECT_THAT(head, HasSubstr("Content-Length: 2\r\n"));
    EXPECT_THAT(head, HasSubstr("Date: now\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("Connection:")));
}

TEST(http_wire, head_tells_closing_retrying_and_authentication) {
    protocol::http_response r;
    r.status = 401;
    r.retry_after_s = 3;
    r.etag = "\"7\"";
    const auto head = response_head(r, false, true, "now");
    EXPECT_TRUE(head.starts_with("HTTP/1.0 401 Unauthorized\r\n"));
    EXPECT_THAT(head, HasSubstr("Retry-After: 3\r\n"));
    EXPECT_THAT(head, HasSubstr("WWW-Authenticate: Bearer"));
    EXPECT_THAT(head, HasSubstr("ETag: \"7\"\r\n"));
    EXPECT_THAT(head, HasSubstr("Connection: close\r\n"));
}

TEST(http_wire, a_response_without_content_has_no_length) {
    protocol::http_response r;
    r.status = 204;
    r.allow = "GET";
    const auto head = response_head(r, true, false, "now");
    EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
    EXPECT_THAT(head, HasSubstr("Allow: GET\r\n"));
}

TEST(http_wire, only_the_health_pages_need_no_token) {
    EXPECT_TRUE(needs_no_token("/healthz"));
    EXPECT_TRUE(needs_no_token("/readyz?verbose=1"));
    for (const auto* closed : {"/metrics", "/v1/limits", "/healthz/", "/healthz/../v1/limits",
                               "/readyz2", "", "*", "http://h/healthz", "/v1/a/timers/healthz"}) {
        EXPECT_FALSE(needs_no_token(closed)) << closed;
    }
}

TEST(http_wire, origin_must_name_the_host) {
    EXPECT_TRUE(same_origin("http://127.0.0.1:7300", "127.0.0.1:7300"));
    EXPECT_FALSE(same_origin("http://evil.example", "127.0.0.1:7300"));
    EXPECT_FALSE(same_origin("null", "127.0.0.1:7300"));
    EXPECT_FALSE(same_origin("http://127.0.0.1:7300.evil.example", "127.0.0.1:7300"));
}

}  // namespace
}  // namespace foliot::server
