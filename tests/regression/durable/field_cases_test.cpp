// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/foliotd_fixture.hpp"
#include "support/environment.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

// Faults that users of timer services really met: disks filled by duplicates, by timers that are
// moved again and again, by timers that were cancelled long ago. Short by default; FOLIOT_FIELD_TIMERS
// gives the number of timers, FOLIOT_FIELD_ROUNDS how often each is moved, FOLIOT_FIELD_SLOW_MS how
// slow the consumer is.

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

class durable_cases : public foliotd_fixture {
protected:
    std::uint64_t disk_bytes() const {
        std::uint64_t bytes = 0;
        std::error_code gone;  // RocksDB deletes files meanwhile
        for (const auto& entry : fs::directory_iterator(folder.path() / "data", gone)) {
            const auto size = entry.file_size(gone);
            if (!gone) bytes += size;
        }
        return bytes;
    }

    /// Sets id 0 to count - 1, in batches, each with this due and payload.
    void set_all(std::uint64_t count, const client::when& due, const std::string& payload) {
        auto server = connect();
        std::vector<client::batch_request> part;
        for (std::uint64_t i = 0; i < count; ++i) {
            part.push_back(
                client::set_request{.id = std::to_string(i), .due = due, .payload = payload});
            if (part.size() < 5000 && i + 1 < count) continue;
            send_all(server, part);
            part.clear();
        }
    }

    void cancel_all(std::uint64_t count) {
        auto server = connect();
        std::vector<client::batch_request> part;
        for (std::uint64_t i = 0; i < count; ++i) {
            part.push_back(client::cancel_request{.id = std::to_string(i)});
            if (part.size() < 5000 && i + 1 < count) continue;
            send_all(server, part, [](std::size_t, const answer& a) {
                EXPECT_EQ(std::get<client::cancel_outcome>(a), client::cancel_outcome::cancelled);
            });
            part.clear();
        }
    }

    /// True once it holds; false after too long.
    template <class Condition>
    static bool eventually(std::chrono::seconds patience, Condition holds) {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(100ms);
        }
        return true;
    }
};

TEST_F(durable_cases, many_due_in_one_millisecond_and_a_slow_consumer_make_no_duplicates) {
    const auto count = count_or("FOLIOT_FIELD_TIMERS", 5000);
    const auto slow = std::chrono::milliseconds(count_or("FOLIOT_FIELD_SLOW_MS", 300));
    start();
    const auto due = wall_ms() + 2000 + static_cast<std::int64_t>(count / 5);
    set_all(count, client::when::at_ms(due), "null");
    const auto before = disk_bytes();
    auto server = connect();
    std::set<std::string> seen;
    while (seen.size() < count) {
        const auto got = server.lease({.max = 1000, .wait = 30000ms, .lease = 600000ms});
        ASSERT_TRUE(got.has_value()) << got.error().message;
        ASSERT_FALSE(got.value().empty()) << seen.size() << " of " << count << " came";
        std::vector<std::string> tokens;
        for (const auto& d : got.value()) {
            EXPECT_TRUE(seen.insert(d.id).second) << d.id << " is out twice";
            EXPECT_EQ(d.attempt, 1U);
            tokens.push_back(d.token);
        }
        std::this_thread::sleep_for(slow / std::max<std::uint64_t>(1, count / 1000));
        ASSERT_TRUE(server.ack("default", tokens).has_value());
    }
    const auto after = disk_bytes();
    std::cout << count << " timers, each delivered once; disk " << before / mib << " -> "
              << after / mib << " MiB" << std::endl;
    EXPECT_TRUE(take(server, "default", 1, 300ms).empty()) << "something came again";
    EXPECT_LE(after, before + count * 256 + 16 * mib) << "the log grew by more than the acks";
}

TEST_F(durable_cases, timers_that_are_moved_again_and_again_do_not_fill_the_disk) {
    const auto count = count_or("FOLIOT_FIELD_TIMERS", 2000);
    const auto rounds = count_or("FOLIOT_FIELD_ROUNDS", 10);
    const std::string payload = '"' + std::string(1000, 'p') + '"';
    start();
    std::uint64_t most = 0;
    for (std::uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
        // Half near and half far, as an idle time-out and a renewed subscription are.
        set_all(count, client::when::in(round % 2 == 0 ? 600'000ms : 86'400'000ms), payload);
        most = std::max(most, disk_bytes());
    }
    const auto live = count * 1100;
    std::cout << count << " timers moved " << rounds << " times, " << live / mib
              << " MiB live; at most " << most / mib << " MiB on disk" << std::endl;
    EXPECT_LE(most, 2 * live + 256 * mib);
    auto server = connect();
    const auto one = server.get("0");
    ASSERT_TRUE(one.has_value());
    EXPECT_TRUE(take(server, "default", 1, 300ms).empty()) << "a timer of an earlier round came";
}

TEST_F(durable_cases, far_timers_that_were_cancelled_give_the_disk_back) {
    const auto count = count_or("FOLIOT_FIELD_TIMERS", 8000);
    start();
    const auto base = disk_bytes();
    set_all(count, client::when::in(90 * 86'400'000ms), '"' + std::string(2000, 'p') + '"');
    const auto full = disk_bytes();
    EXPECT_GT(full, base + 10 * mib) << "this test has nothing to look at";
    cancel_all(count);
    const auto cancelled = disk_bytes();
    ASSERT_EQ(foliotd.terminate(), 0);
    start();
    const bool back = eventually(60s, [&] { return disk_bytes() <= base + 8 * mib; });
    std::cout << count << " timers; disk: " << base / mib << " MiB empty, " << full / mib
              << " set, " << cancelled / mib << " cancelled, " << disk_bytes() / mib
              << " after a restart" << std::endl;
    EXPECT_TRUE(back) << disk_bytes() / mib << " MiB";
    auto server = connect();
    const auto page = server.list({.limit = 10});
    ASSERT_TRUE(page.has_value());
    EXPECT_TRUE(page.value().timers.empty());
}

}  // namespace
}  // namespace foliot::crash_test
