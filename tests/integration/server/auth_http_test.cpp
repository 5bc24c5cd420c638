// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "integration/server/server_fixture.hpp"

#include <unistd.h>
#include <filesystem>
#include <fstream>

namespace foliot::test {
namespace {

using testing::HasSubstr;

class auth_http : public server_fixture {
protected:
    auth_http() {
        path_ =
            std::filesystem::temp_directory_path() / ("foliot-auth-" + std::to_string(::getpid()));
        std::ofstream(path_) << "sesame\n";
        std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
        config_.auth_token_file = path_.string();
    }
    ~auth_http() override { std::filesystem::remove(path_); }

    std::filesystem::path path_;
};

TEST_F(auth_http, all_but_the_health_pages_needs_a_token) {
    start();
    for (const auto* target : {"/metrics", "/v1/limits", "/v1/default/timers/x", "/nowhere"}) {
        const auto closed = ask("GET", target);
        EXPECT_EQ(closed.status, 401) << target;
        EXPECT_THAT(closed.headers.at("www-authenticate"), HasSubstr("Bearer"));
        EXPECT_EQ(json_member(closed.body, "code"), "unauthorized");
        EXPECT_EQ(ask("GET", target, {}, "Authorization: Bearer Sesame\r\n").status, 401);
        EXPECT_NE(ask("GET", target, {}, "Authorization: Bearer sesame\r\n").status, 401);
    }
    EXPECT_EQ(ask("GET", "/healthz").status, 200);
    EXPECT_EQ(ask("GET", "/readyz").status, 200);
    const auto body = std::string{R"({"delay":"1h"})"};
    EXPECT_EQ(ask("PUT", "/v1/default/timers/x", body).status, 401);
    const auto ok = ask("PUT", "/v1/default/timers/x", body, "Authorization: Bearer sesame\r\n");
    EXPECT_EQ(ok.status, 201);
}

TEST_F(auth_http, a_refused_request_leaves_the_connection_in_step) {
    start();
    raw_client client(port());
    EXPECT_EQ(client.ask("GET", "/metrics").status, 401);
    EXPECT_EQ(client.ask("GET", "/healthz").status, 200);
    EXPECT_EQ(client.ask("PUT", "/v1/default/timers/x", R"({"delay":"1h"})").status, 401);
    EXPECT_TRUE(client.closed_within(10s));  // its body was not read
}

TEST_F(auth_http, a_web_page_of_another_origin_is_refused) {
    config_.auth_token_file.clear();
    start();
    const auto body = std::string{R"({"delay":"1h"})"};
    EXPECT_EQ(ask("PUT", "/v1/default/timers/x", body, "Origin: http://evil.example\r\n").status,
              403);
    EXPECT_EQ(ask("PUT", "/v1/default/timers/x", body, "Origin: http://127.0.0.1\r\n").status, 201);
}

TEST_F(auth_http, a_public_address_without_a_token_is_refused) {
    config_.auth_token_file.clear();
    config_.listen = "0.0.0.0:0";
    server::server open(config_, std::make_unique<forwarding_store>(faults_), log_);
    const auto started = open.start();
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error(), HasSubstr("--auth-token-file"));
}

}  // namespace
}  // namespace foliot::test
