// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/client.hpp"
#include "support/process/foliotd_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

namespace {

using foliot::client::client;
using foliot::client::when;
using foliot::test_support::foliotd_process;
using foliot::test_support::plain_http;
using foliot::test_support::temp_dir;
using ::testing::HasSubstr;

class backup : public ::testing::Test {
protected:
    backup()
        : foliotd({.binary = FOLIOTD_BINARY,
                   .data = folder.path() / "data",
                   .log = folder.path() / "foliotd.log"}) {
        std::filesystem::create_directory(folder.path() / "backups");
    }

    void start() {
        foliotd.set_flags({"--backup-directory", (folder.path() / "backups").string()});
        ASSERT_EQ(foliotd.start(), "");
    }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder.path() / name).string();
    }

    int foliot(const std::string& arguments) const {
        const auto command = std::string(FOLIOT_BINARY) + " --url " + foliotd.url() + " " +
                             arguments + " >" + path("out") + " 2>" + path("err");
        return WEXITSTATUS(std::system(command.c_str()));
    }

    int request(const std::string& to) const {
        const auto answer =
            plain_http(foliotd.port(), "POST", "/v1/admin/backup", "{\"to\":\"" + to + "\"}");
        return answer.status;
    }

    temp_dir folder;
    foliotd_process foliotd;
};

std::uint64_t number(const std::string& generation) { return std::stoull(generation); }

TEST_F(backup, taken_under_load_holds_every_timer_acknowledged_before_it_began) {
    start();
    std::map<std::string, std::string> acknowledged;
    std::atomic<bool> enough{false};
    std::atomic<std::size_t> set{0};
    std::thread load([&] {
        client server({.url = foliotd.url()});
        for (int i = 0; !enough; ++i) {
            const auto id = "t" + std::to_string(i);
            // Some are near, some far.
            const auto due = i % 2 == 0 ? when::in("20m") : when::in("40d");
            if (const auto done = server.set({.id = id, .due = due})) {
                acknowledged[id] = done.value().generation;
                ++set;
            }
        }
    });
    while (set < 200) std::this_thread::yield();
    const std::size_t before = set;
    const int exit = foliot("backup " + path("backups/one"));
    enough = true;
    load.join();
    ASSERT_EQ(exit, 0);
    foliotd.kill_nine();

    ASSERT_EQ(foliot("restore " + path("backups/one") + " " + path("restored")), 0);
    foliotd_process copy({.binary = FOLIOTD_BINARY,
                          .data = folder.path() / "restored",
                          .log = folder.path() / "copy.log"});
    ASSERT_EQ(copy.start(), "");
    client server({.url = copy.url()});
    for (std::size_t i = 0; i < before; ++i) {
        const auto id = "t" + std::to_string(i);
        const auto there = server.get(id);
        ASSERT_TRUE(there) << id << " of " << before << ": " << there.error().message;
        EXPECT_EQ(there.value().generation, acknowledged[id]);
    }
}

TEST_F(backup, restored_copy_reuses_no_generation_that_the_original_gave_out_since) {
    start();
    ASSERT_EQ(foliot("set a --in 1h"), 0);
    ASSERT_EQ(foliot("backup " + path("backups/one")), 0);
    std::uint64_t last = 0;
    for (int restart = 0; restart < 2; ++restart) {
        foliotd.kill_nine();
        start();
        client server({.url = foliotd.url()});
        const auto set = server.set({.id = "b", .due = when::in("1h")});
        ASSERT_TRUE(set);
        last = number(set.value().generation);
    }
    foliotd.kill_nine();
    ASSERT_EQ(foliot("restore " + path("backups/one") + " " + path("restored")), 0);
    foliotd_process copy({.binary = FOLIOTD_BINARY,
                          .data = folder.path() / "restored",
                          .log = folder.path() / "copy.log"});
    ASSERT_EQ(copy.start(), "");
    client server({.url = copy.url()});
    const auto set = server.set({.id = "c", .due = when::in("1h")});
    ASSERT_TRUE(set);
    EXPECT_GT(number(set.value().generation), last);
}

TEST_F(backup, is_refused_outside_of_its_directory_and_over_what_exists) {
    start();
    EXPECT_EQ(request(path("elsewhere")), 400);
    EXPECT_EQ(request(path("backups/../elsewhere")), 400);
    EXPECT_EQ(request(path("backups")), 400);
    EXPECT_EQ(request("backups/relative"), 400);
    std::filesystem::create_directory_symlink(folder.path(), folder.path() / "backups" / "out");
    EXPECT_EQ(request(path("backups/out/elsewhere")), 400);
    EXPECT_EQ(request(path("backups/out")), 409);
    EXPECT_EQ(request(path("backups/one")), 200);
    EXPECT_EQ(request(path("backups/one")), 409);
    EXPECT_FALSE(std::filesystem::exists(path("elsewhere")));
    EXPECT_EQ(plain_http(foliotd.port(), "GET", "/v1/admin/backup").status, 405);
}

TEST_F(backup, is_off_unless_a_directory_is_set) {
    ASSERT_EQ(foliotd.start(), "");
    const auto answer =
        plain_http(foliotd.port(), "POST", "/v1/admin/backup", "{\"to\":\"/tmp/x\"}");
    EXPECT_EQ(answer.status, 403);
    EXPECT_THAT(answer.body, HasSubstr("backup.directory"));
}

TEST_F(backup, needs_a_token_where_all_requests_do) {
    std::ofstream(path("tokens")) << "secret\n";
    foliotd.set_flags({"--backup-directory", path("backups"), "--auth-token-file", path("tokens")});
    ASSERT_EQ(foliotd.start(), "");
    EXPECT_EQ(request(path("backups/one")), 401);
    EXPECT_FALSE(std::filesystem::exists(path("backups/one")));
}

}  // namespace
