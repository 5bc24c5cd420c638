// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/crash_clients.hpp"
#include "crash/foliotd/crash_ledger.hpp"
#include "crash/foliotd/foliotd_fixture.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <thread>

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;

unsigned rounds_wanted() {
    const char* given = std::getenv("FOLIOT_CRASH_ROUNDS");
    return given == nullptr ? 200 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

class kill_nine : public foliotd_fixture {
protected:
    /// Quick retries, no dead letters; sometimes a window so small or so short that most timers go
    /// through the disk.
    std::vector<std::string> random_flags() {
        const auto window = pick({1'000'000, 200, 40});
        const auto horizon = pick({900'000, 1000});
        return {"--retry-min-backoff",  "20ms",
                "--retry-max-backoff",  "200ms",
                "--retry-max-attempts", "1000000",
                "--window-max-timers",  std::to_string(window),
                "--window-horizon",     std::to_string(horizon) + "ms"};
    }

    std::int64_t pick(std::initializer_list<std::int64_t> values) {
        return *(values.begin() + between(0, static_cast<std::int64_t>(values.size()) - 1));
    }

    std::int64_t between(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    }

    /// Kills foliotd at some moment of its work or, now and then, of its start.
    void kill_at_random(arena& a) {
        std::this_thread::sleep_for(std::chrono::milliseconds(between(10, 400)));
        ASSERT_TRUE(foliotd.running()) << "foliotd ended by itself";
        ++a.life;
        foliotd.kill_nine();
        foliotd.set_flags(random_flags());
        while (between(0, 99) < 15) {
            foliotd.launch();
            std::this_thread::sleep_for(std::chrono::milliseconds(between(0, 80)));
            ++a.life;
            foliotd.kill_nine();
        }
        foliotd.launch();
        ASSERT_EQ(foliotd.wait_until_ready(), "");
    }

    /// Until the server holds nothing that is due, or for too long.
    std::size_t drain(std::chrono::milliseconds patience) {
        auto server = connect();
        const auto end = std::chrono::steady_clock::now() + patience;
        std::size_t left = 1;
        while (left > 0 && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(100ms);
            const auto page =
                server.list({.to = std::to_string(wall_ms() + 60'000), .limit = 1000});
            if (page) left = page.value().timers.size();
        }
        return left;
    }

    /// What is far away is still there, unchanged, and nothing else is.
    void expect_listed(const std::vector<crash_ledger::live_timer>& live) {
        auto server = connect();
        std::map<std::string, client::timer_view> listed;
        client::list_request request{.limit = 1000};
        do {
            const auto page = server.list(request);
            ASSERT_TRUE(page.has_value()) << page.error().message;
            for (const auto& t : page.value().timers) listed.emplace(t.id, t);
            request.cursor = page.value().cursor;
        } while (!request.cursor.empty());
        for (const auto& timer : live) {
            const auto found = listed.find(timer.id);
            ASSERT_NE(found, listed.end()) << timer.id << " is not listed";
            EXPECT_EQ(found->second.generation, std::to_string(timer.gen)) << timer.id;
            EXPECT_EQ(found->second.due_ms, timer.due_ms) << timer.id;
            EXPECT_EQ(found->second.state, "pending") << timer.id;
            const auto got = server.get(timer.id);
            ASSERT_TRUE(got.has_value()) << timer.id << ": " << got.error().message;
            EXPECT_EQ(got.value().generation, std::to_string(timer.gen)) << timer.id;
            EXPECT_EQ(got.value().payload, "\"" + timer.id + "\"");
        }
        EXPECT_EQ(listed.size(), live.size());
    }

    std::mt19937_64 random;
};

TEST_F(kill_nine, kill_nine_keeps_the_ledger) {
    const auto seed = test_seed(1);
    random.seed(seed);
    start(random_flags());
    arena a(foliotd.url(), seed);
    std::vector<std::jthread> writers;
    std::vector<std::jthread> consumers;
    for (unsigned i = 0; i < 3; ++i) writers.emplace_back([&a, i] { write_timers(a, i); });
    for (unsigned i = 0; i < 3; ++i) consumers.emplace_back([&a, i] { consume_timers(a, i); });

    const auto rounds = rounds_wanted();
    for (unsigned round = 0; round < rounds && !HasFatalFailure(); ++round) {
        kill_at_random(a);
        if (!a.failures().empty()) break;
    }
    a.stop_writing = true;
    if (HasFatalFailure()) a.fail("the server is gone");  // or the writers would try for ever
    writers.clear();
    a.draining = true;
    const auto left = HasFatalFailure() ? 0 : drain(30s);
    a.stop_consuming = true;
    consumers.clear();

    EXPECT_EQ(left, 0U) << "timers that are due and that nobody gets";
    for (const auto& failure : a.failures()) ADD_FAILURE() << failure;
    const auto totals = a.ledger.totals();
    std::cout << rounds << " kills; " << totals.sets << " sets, " << totals.cancels << " cancels ("
              << totals.repeated << " of both repeated), " << totals.receipts << " deliveries, "
              << totals.acks << " acks, " << totals.nacks << " nacks" << std::endl;
    const auto breaches = a.ledger.judge(wall_ms());
    for (std::size_t i = 0; i < std::min<std::size_t>(breaches.size(), 20); ++i) {
        ADD_FAILURE() << breaches[i];
    }
    EXPECT_EQ(breaches.size(), 0U);
    expect_listed(a.ledger.live());

    // A test that did nothing shows nothing.
    EXPECT_GT(totals.sets, rounds * 20U);
    EXPECT_GT(totals.acks, rounds * 5U);
    EXPECT_GT(totals.repeated, 0U);
}

}  // namespace
}  // namespace foliot::crash_test
