// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/foliotd_fixture.hpp"
#include "support/process/own_mounts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/mount.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <thread>

// What a real foliotd does with a data directory that was damaged while it was down.

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class damaged_disk : public foliotd_fixture {
protected:
    static constexpr std::size_t count = 60;

    fs::path data() const { return folder.path() / "data"; }

    /// Sets t0, t1, ... one after the other, each acknowledged and so in a commit of its own; then
    /// kills foliotd and keeps a copy of what it left.
    void make_data() {
        start();
        auto server = connect();
        for (std::size_t i = 0; i < count; ++i) {
            const auto set = server.set({.id = "t" + std::to_string(i),
                                         .due = client::when::in("1h"),
                                         .payload = '"' + std::string(i * 3, 'p') + '"'});
            ASSERT_TRUE(set.has_value()) << set.error().message;
        }
        foliotd.kill_nine();
        fs::copy(data(), folder.path() / "kept", fs::copy_options::recursive);
    }

    void restore() {
        fs::remove_all(data());
        fs::copy(folder.path() / "kept", data(), fs::copy_options::recursive);
        fs::remove(folder.path() / "foliotd.log");
    }

    fs::path newest(const std::string& extension) const {
        fs::path found;
        for (const auto& entry : fs::directory_iterator(data())) {
            const auto& path = entry.path();
            if (path.extension() == extension && path.filename() > found.filename()) found = path;
        }
        return found;
    }

    /// How many of the timers are there, if those are the first ones, and nothing else; -1 if not.
    int timers_there() {
        auto server = connect();
        const auto page = server.list({.limit = 1000});
        EXPECT_TRUE(page.has_value());
        if (!page) return -1;
        std::set<std::string> ids;
        for (const auto& t : page.value().timers) ids.insert(t.id);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (!ids.contains("t" + std::to_string(i))) return -1;
        }
        return static_cast<int>(ids.size());
    }

    static std::string content(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    /// Every one of the bytes becomes another one.
    static void change(const fs::path& path, std::uintmax_t at, std::size_t bytes) {
        auto text = content(path);
        for (auto i = at; i < std::min<std::uintmax_t>(at + bytes, text.size()); ++i) {
            text[i] = static_cast<char>(~text[i]);
        }
        std::ofstream(path, std::ios::binary) << text;
    }

    /// It ended with code 1, and said what is wrong, where, and what to do.
    void expect_refusal(const std::string& failed, const fs::path& where) {
        EXPECT_THAT(failed, HasSubstr("foliotd ended with 1:"));
        EXPECT_THAT(failed, HasSubstr("the store does not open"));
        EXPECT_THAT(failed, HasSubstr(where.string()));
        EXPECT_THAT(failed, HasSubstr("docs/operating.md"));
    }

    std::mt19937_64 random;
};

TEST_F(damaged_disk, what_a_torn_write_left_behind_the_log_costs_nothing) {
    random.seed(test_seed(1));
    make_data();
    for (int trial = 0; trial < 12; ++trial) {
        restore();
        const bool zeros = trial % 2 == 0;
        const auto bytes = 1 + random() % 9000;
        SCOPED_TRACE(std::to_string(bytes) + (zeros ? " zeros" : " bytes of garbage"));
        {
            std::ofstream log(newest(".log"), std::ios::app | std::ios::binary);
            for (std::size_t i = 0; i < bytes; ++i)
                log.put(zeros ? 0 : static_cast<char>(random()));
        }
        const auto failed = foliotd.start();
        if (failed.empty()) {
            EXPECT_EQ(timers_there(), static_cast<int>(count));
        } else {
            expect_refusal(failed, newest(".log"));
        }
        EXPECT_TRUE(failed.empty() || !zeros) << failed;
        foliotd.kill_nine();
    }
}

TEST_F(damaged_disk, changed_bytes_of_the_log_are_refused_or_harmless) {
    random.seed(test_seed(2));
    make_data();
    int refused = 0;
    for (int trial = 0; trial < 20; ++trial) {
        restore();
        const auto log = newest(".log");
        const auto at = random() % fs::file_size(log);
        SCOPED_TRACE("byte " + std::to_string(at) + " of " + std::to_string(fs::file_size(log)));
        change(log, at, 1 + random() % 8);
        const auto failed = foliotd.start();
        if (failed.empty()) {
            // The length of a record in the last block of the log: it looks like a torn end.
            EXPECT_GE(timers_there(), 0) << "half a change, or a gap";
        } else {
            ++refused;
            expect_refusal(failed, log);
            // The way out that docs/operating.md tells: what was before the damage.
            ASSERT_EQ((foliotd.set_flags({"--durability", "os_cache"}), foliotd.start()), "");
            EXPECT_GE(timers_there(), 0) << "half a change, or a gap";
            foliotd.set_flags({});
        }
        foliotd.kill_nine();
    }
    std::cout << refused << " of 20 were refused" << std::endl;
    EXPECT_GE(refused, 15);
}

TEST_F(damaged_disk, a_log_that_was_cut_short_leaves_the_changes_before_the_cut_whole) {
    random.seed(test_seed(3));
    make_data();
    int last = static_cast<int>(count);
    auto size = fs::file_size(newest(".log"));
    for (int trial = 0; trial < 12 && size > 400; ++trial) {
        restore();
        size -= random() % 800;
        SCOPED_TRACE("cut at " + std::to_string(size));
        fs::resize_file(newest(".log"), size);
        ASSERT_EQ(foliotd.start(), "");
        const int there = timers_there();
        EXPECT_GE(there, 0) << "half a change, or a gap";
        EXPECT_LE(there, last);
        last = there;
        foliotd.kill_nine();
    }
    EXPECT_LT(last, static_cast<int>(count));
}

/// RocksDB's own files.
TEST_F(damaged_disk, a_damaged_manifest_or_current_file_is_refused_and_nothing_is_touched) {
    random.seed(test_seed(4));
    make_data();
    for (const std::string name : {"MANIFEST", "CURRENT"}) {
        SCOPED_TRACE(name);
        restore();
        fs::path file;
        for (const auto& entry : fs::directory_iterator(data())) {
            if (entry.path().filename().string().starts_with(name)) file = entry.path();
        }
        ASSERT_FALSE(file.empty());
        const auto bytes = content(file);
        change(file, bytes.size() / 2, 8);
        const auto failed = foliotd.start();
        expect_refusal(failed, data());
        std::ofstream(file, std::ios::binary) << bytes;  // somebody repairs it
        ASSERT_EQ(foliotd.start(), "");
        EXPECT_EQ(timers_there(), static_cast<int>(count));
        foliotd.kill_nine();
    }
}

TEST_F(damaged_disk, a_damaged_file_of_rows_turns_readiness_red_and_is_named) {
    make_data();
    ASSERT_EQ(foliotd.start(), "");  // a start writes what the log holds into files of rows
    foliotd.kill_nine();
    fs::path largest;
    for (const auto& entry : fs::directory_iterator(data())) {
        if (entry.path().extension() != ".sst") continue;
        if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
    }
    ASSERT_FALSE(largest.empty());
    const auto bytes = content(largest);
    change(largest, bytes.size() / 4, 16);
    foliotd.set_flags({"--ready-max-overdue", "500ms"});
    foliotd.launch();
    test_support::http_answer answer;
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (answer.body.find(largest.filename().string()) == std::string::npos &&
           std::chrono::steady_clock::now() < until && foliotd.running()) {
        std::this_thread::sleep_for(50ms);
        answer = test_support::plain_http(foliotd.port(), "GET", "/readyz");
    }
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.body, HasSubstr(largest.filename().string()));
    // What needs no damaged file goes on, and is kept.
    const auto port = foliotd.port();
    const auto set = test_support::plain_http(
        port, "PUT", "/v1/default/timers/t" + std::to_string(count), R"({"delay":"30s"})");
    EXPECT_EQ(set.status, 201) << set.body;
    foliotd.kill_nine();
    std::ofstream(largest, std::ios::binary) << bytes;
    ASSERT_EQ(foliotd.start(), "");
    EXPECT_EQ(timers_there(), static_cast<int>(count) + 1);
}

/// A file system of its own that can be made read-only.
class read_only_disk : public damaged_disk {
protected:
    void SetUp() override {
        fs::create_directories(data());
        test_support::may_mount();
        ASSERT_EQ(::mount("tmpfs", data().c_str(), "tmpfs", 0, "size=64m"), 0)
            << "cannot mount a tmpfs: " << std::strerror(errno)
            << "; needs root, or user namespaces";
        mounted_ = true;
    }
    void TearDown() override {
        foliotd_fixture::TearDown();
        foliotd.kill_nine();
        if (mounted_) ::umount2(data().c_str(), MNT_DETACH);
    }
    void make(unsigned long flags) {
        ASSERT_EQ(::mount("tmpfs", data().c_str(), "tmpfs", MS_REMOUNT | flags, "size=64m"), 0)
            << std::strerror(errno);
    }

private:
    bool mounted_ = false;
};

TEST_F(read_only_disk, is_refused_at_the_start_and_loses_nothing) {
    make_data();
    make(MS_RDONLY);
    expect_refusal(foliotd.start(), data());
    EXPECT_THAT(foliotd.log_text(), HasSubstr("Read-only file system"));
    make(0);
    ASSERT_EQ(foliotd.start(), "");
    EXPECT_EQ(timers_there(), static_cast<int>(count));
}

}  // namespace
}  // namespace foliot::crash_test
