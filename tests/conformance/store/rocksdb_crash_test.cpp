// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "conformance/store/rocksdb_fixture.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <random>
#include <thread>

// A process that dies with the store open; another one finds all that was acknowledged.

namespace foliot::store {
namespace {

using test::make_row;

/// A rocksdb_crash_child and the pipe it talks through.
class crash_child {
public:
    crash_child(const std::string& path, std::uint64_t first, std::uint64_t last) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        std::string program = ROCKSDB_CRASH_CHILD;
        std::string from = std::to_string(first);
        std::string to = std::to_string(last);
        std::string directory = path;
        char* arguments[] = {program.data(), directory.data(), from.data(), to.data(), nullptr};
        const int failed =
            ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, ::environ);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(ends[1]);
        out_ = ::fdopen(ends[0], "r");
        if (failed != 0) throw std::runtime_error("cannot start " + program);
    }
    ~crash_child() {
        kill();
        std::fclose(out_);
    }
    crash_child(const crash_child&) = delete;
    crash_child& operator=(const crash_child&) = delete;

    /// The next line; empty at the end.
    std::string line() {
        char buffer[64];
        if (std::fgets(buffer, sizeof buffer, out_) == nullptr) return {};
        std::string text = buffer;
        while (!text.empty() && text.back() == '\n') text.pop_back();
        return text;
    }

    /// SIGKILL, if it is still there; returns its wait status.
    int kill() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, &status_, 0);
            pid_ = -1;
        }
        return status_;
    }

    /// Waits until it ended by itself.
    int wait() {
        ::waitpid(pid_, &status_, 0);
        pid_ = -1;
        return status_;
    }

private:
    pid_t pid_ = -1;
    int status_ = 0;
    std::FILE* out_ = nullptr;
};

class rocksdb_crash : public test::rocksdb_fixture {
protected:
    /// Opens what the child left and returns the number of its last commit, which is
    /// `acknowledged`, or that of the one that was under way. Checks that every commit is whole.
    std::uint64_t check(std::uint64_t acknowledged) {
        open();
        const auto taken = store->acquire(shard);
        e = taken->current;
        const std::uint64_t last = taken->meta.pending;
        EXPECT_GE(last, acknowledged);
        std::vector<record> near;
        std::size_t far = 0;
        for (std::uint64_t n = last > 5 ? last - 4 : 1; n <= last; ++n) {
            near.push_back(make_row(2 * n));
            near.push_back(make_row(2 * n + 1));
            const timer_key key{"default", make_row(n).id};
            const auto results = store->find(shard, e, {&key, 1});
            EXPECT_TRUE(results && (*results)[0]) << n;
            ++far;
        }
        EXPECT_EQ(near_rows(), near);
        const auto far_rows = store->load_far(shard, e, {}, {}, tick::max(), 1'000);
        EXPECT_EQ(far_rows->rows.size(), far);
        store.reset();
        return last;
    }
};

TEST_F(rocksdb_crash, a_process_that_exits_without_closing_loses_nothing) {
    crash_child child(options.path, 1, 40);
    ASSERT_EQ(child.line(), "open");
    ASSERT_EQ(WEXITSTATUS(child.wait()), 0);
    EXPECT_EQ(check(40), 40U);
}

TEST_F(rocksdb_crash, kill_9_at_random_moments_loses_nothing_acknowledged) {
    std::mt19937_64 random(test::seed_or(1));
    std::uint64_t last = 0;
    for (int round = 0; round < 12; ++round) {
        crash_child child(options.path, last + 1, 0);
        ASSERT_EQ(child.line(), "open") << "round " << round;
        std::uint64_t acknowledged = last;
        const std::uint64_t lines = random() % 150;
        for (std::uint64_t i = 0; i < lines; ++i) acknowledged = std::stoull(child.line());
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3'000));
        ASSERT_TRUE(WIFSIGNALED(child.kill()));
        for (std::string text = child.line(); !text.empty(); text = child.line()) {
            acknowledged = std::stoull(text);
        }
        last = check(acknowledged);
        ASSERT_LE(last, acknowledged + 1) << "round " << round;
        if (HasFailure()) return;
    }
    EXPECT_GT(last, 0U);
}

TEST_F(rocksdb_crash, a_kill_while_it_opens_leaves_a_store_that_opens) {
    std::mt19937_64 random(test::seed_or(2));
    {
        crash_child child(options.path, 1, 300);
        ASSERT_EQ(WEXITSTATUS(child.wait()), 0);
    }
    for (int round = 0; round < 12; ++round) {
        crash_child child(options.path, 301, 0);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
        child.kill();
        std::string text;
        std::uint64_t acknowledged = 300;
        while (!(text = child.line()).empty()) {
            if (text != "open") acknowledged = std::stoull(text);
        }
        const std::uint64_t last = check(acknowledged);
        if (HasFailure()) return;
        if (last > 300) break;  // the next rounds would begin with other rows
    }
}

TEST_F(rocksdb_crash, a_directory_that_another_process_has_open_is_locked) {
    crash_child child(options.path, 1, 0);
    ASSERT_EQ(child.line(), "open");
    const auto opened = open_rocksdb_store(options);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, store_code::locked);
    EXPECT_EQ(opened.error().message, "another foliotd has this data directory open: " +
                                          options.path + " (" + options.path + "/LOCK)");
    child.kill();
    open();  // the lock died with its holder
}

}  // namespace
}  // namespace foliot::store
