// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "integration/server/raw_client.hpp"
#include "support/process/foliotd_process.hpp"
#include "support/process/own_mounts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

namespace foliot::test {
namespace {

using test_support::foliotd_process;
using test_support::temp_dir;
using testing::HasSubstr;
using namespace std::chrono_literals;

struct ended {
    int code = -1;
    std::string output;
};

/// foliotd with these flags, which are expected to make it end by itself.
ended run_foliotd(const std::string& flags) {
    const auto command = std::string{FOLIOTD_BINARY} + ' ' + flags + " 2>&1";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    ended e;
    std::array<char, 4096> part;
    while (const auto n = std::fread(part.data(), 1, part.size(), pipe)) {
        e.output.append(part.data(), n);
    }
    const int status = ::pclose(pipe);
    e.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return e;
}

class foliotd : public testing::Test {
protected:
    temp_dir dir_;

    foliotd_process::options options(std::vector<std::string> flags = {}) {
        return {.binary = FOLIOTD_BINARY,
                .data = dir_.path() / "data",
                .log = dir_.path() / "log",
                .flags = std::move(flags)};
    }
    static raw_response put(std::uint16_t port, const std::string& id, const std::string& body) {
        return ask_once(port, "PUT", "/v1/default/timers/" + id, body);
    }
};

TEST_F(foliotd, says_that_it_is_ready_where_and_with_how_many_timers) {
    foliotd_process process(options());
    ASSERT_EQ(process.start(), "");
    EXPECT_EQ(put(process.port(), "x", R"({"delay":"1h"})").status, 201);
    EXPECT_EQ(process.terminate(), 0);
    EXPECT_THAT(process.log_text(), HasSubstr("foliotd stops pending=1"));
    ASSERT_EQ(process.start(), "");
    const auto line = "foliotd is ready on " + process.url() + " (data " +
                      (dir_.path() / "data").string() + ", 1 timers pending)";
    for (int i = 0; i < 1000 && process.log_text().find(line) == std::string::npos; ++i) {
        std::this_thread::sleep_for(10ms);  // /readyz may be green a moment before the log says so
    }
    EXPECT_THAT(process.log_text(), HasSubstr(line));
}

TEST_F(foliotd, logs_json_lines_when_asked) {
    foliotd_process process(options({"--log-format", "json"}));
    ASSERT_EQ(process.start(), "");
    EXPECT_EQ(process.terminate(), 0);
    const auto log = process.log_text();
    EXPECT_EQ(log.substr(0, 9), R"({"time":")");
    EXPECT_EQ(count_of(log, "\n"), count_of(log, "}\n"));
    EXPECT_THAT(log, HasSubstr(R"("message":"foliotd stops","pending":0)"));
}

TEST_F(foliotd, a_second_one_on_the_same_data_is_refused_with_code_3) {
    foliotd_process first(options());
    ASSERT_EQ(first.start(), "");
    const auto second =
        run_foliotd("--listen 127.0.0.1:0 --data " + (dir_.path() / "data").string());
    EXPECT_EQ(second.code, 3);
    EXPECT_THAT(second.output, HasSubstr("another foliotd uses this data directory"));
    EXPECT_THAT(second.output, HasSubstr((dir_.path() / "data").string()));
    EXPECT_EQ(put(first.port(), "x", R"({"delay":"1h"})").status, 201);
}

TEST_F(foliotd, a_public_address_without_a_token_is_refused_with_code_2) {
    const auto data = (dir_.path() / "data").string();
    const auto refused = run_foliotd("--listen 0.0.0.0:0 --data " + data);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.output, HasSubstr("--auth-token-file"));
    EXPECT_FALSE(std::filesystem::exists(data));
}

TEST_F(foliotd, what_cannot_be_started_ends_with_a_reason) {
    EXPECT_EQ(run_foliotd("--data /proc/nowhere --listen 127.0.0.1:0").code, 1);
    EXPECT_EQ(run_foliotd("--no-such-flag").code, 2);
    EXPECT_EQ(run_foliotd("--config /nowhere.toml").code, 2);
    EXPECT_EQ(run_foliotd("--auth-token-file /nowhere").code, 2);
    EXPECT_EQ(run_foliotd("--listen nonsense").code, 2);
    foliotd_process first(options());
    ASSERT_EQ(first.start(), "");
    const auto taken = run_foliotd("--data " + (dir_.path() / "other").string() +
                                   " --listen 127.0.0.1:" + std::to_string(first.port()));
    EXPECT_EQ(taken.code, 1);
    EXPECT_THAT(taken.output, HasSubstr("cannot listen"));
}

TEST_F(foliotd, a_second_stop_signal_ends_it_at_once) {
    foliotd_process process(options({"--stop-timeout", "1h"}));
    ASSERT_EQ(process.start(), "");
    // A body that never comes keeps the graceful stop waiting.
    raw_client slow(process.port());
    slow.send("PUT /v1/default/timers/x HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n");
    std::this_thread::sleep_for(100ms);
    ::kill(process.pid(), SIGINT);
    std::this_thread::sleep_for(300ms);
    EXPECT_TRUE(process.running());
    EXPECT_EQ(process.terminate(5s), 1);
}

/// A file system of 24 MB of its own.
class small_disk {
public:
    explicit small_disk(std::filesystem::path path) : path_(std::move(path)) {
        std::filesystem::create_directories(path_);
        test_support::may_mount();
        mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=24m") == 0;
    }
    ~small_disk() {
        if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
    }
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;
    [[nodiscard]] bool mounted() const { return mounted_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    bool mounted_ = false;
};

TEST_F(foliotd, a_full_disk_answers_503_loses_nothing_and_works_again_when_space_is_free) {
    small_disk disk(dir_.path() / "disk");
    ASSERT_TRUE(disk.mounted()) << "needs root, or user namespaces, to mount a small tmpfs";
    const auto ballast = disk.path() / "ballast";
    std::FILE* file = std::fopen(ballast.c_str(), "w");
    const std::string block(1 << 20, 'b');
    for (int i = 0; i < 12; ++i) std::fwrite(block.data(), 1, block.size(), file);
    std::fclose(file);
    auto o = options();
    o.data = disk.path() / "data";
    foliotd_process process(o);
    ASSERT_EQ(process.start(), "");
    const auto body = R"({"delay":"1h","payload":")" + std::string(60'000, 'p') + "\"}";
    std::set<std::string> acknowledged;
    raw_response last;
    for (int i = 0; i < 1000 && last.status / 100 != 5; ++i) {
        const auto id = "t" + std::to_string(i);
        last = put(process.port(), id, body);
        if (last.status == 201) acknowledged.insert(id);
    }
    EXPECT_EQ(last.status, 503) << last.body;
    EXPECT_FALSE(json_member(last.body, "message").empty());
    EXPECT_FALSE(acknowledged.empty());
    EXPECT_TRUE(process.running());
    EXPECT_EQ(ask_once(process.port(), "GET", "/readyz").status, 503);
    std::filesystem::remove(ballast);
    ASSERT_EQ(process.wait_until_ready(), "");
    EXPECT_EQ(put(process.port(), "again", R"({"delay":"1h"})").status, 201);
    const auto all_there = [&] {
        raw_client client(process.port());
        for (const auto& id : acknowledged) {
            EXPECT_EQ(client.ask("GET", "/v1/default/timers/" + id).status, 200) << id;
        }
    };
    all_there();
    process.kill_nine();
    ASSERT_EQ(process.start(), "");
    all_there();
}

}  // namespace
}  // namespace foliot::test
