// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/ledger_fixture.hpp"

#include "crash/foliotd/crash_ledger.hpp"

#include <algorithm>
#include <iostream>
#include <map>

namespace foliot::crash_test {

using namespace std::chrono_literals;

void ledger_fixture::begin(std::uint64_t seed) {
    arena_ = std::make_unique<arena>(foliotd.url(), seed);
    auto& a = clients();
    for (unsigned i = 0; i < 3; ++i) writers_.emplace_back([&a, i] { write_timers(a, i); });
    for (unsigned i = 0; i < 3; ++i) consumers_.emplace_back([&a, i] { consume_timers(a, i); });
}

void ledger_fixture::finish() {
    auto& a = clients();
    a.stop_writing = true;
    if (HasFatalFailure()) a.fail("the server is gone");  // or the writers would try for ever
    writers_.clear();
    a.draining = true;
    const auto left = HasFatalFailure() ? 0 : drain(30s);
    a.stop_consuming = true;
    consumers_.clear();

    EXPECT_EQ(left, 0U) << "timers that are due and that nobody gets";
    for (const auto& failure : a.failures()) ADD_FAILURE() << failure;
    const auto totals = a.ledger.totals();
    std::cout << totals.sets << " sets, " << totals.cancels << " cancels (" << totals.repeated
              << " of both repeated), " << totals.receipts << " deliveries, " << totals.acks
              << " acks, " << totals.nacks << " nacks" << std::endl;
    const auto breaches = a.ledger.judge(wall_ms());
    for (std::size_t i = 0; i < std::min<std::size_t>(breaches.size(), 20); ++i) {
        ADD_FAILURE() << breaches[i];
    }
    EXPECT_EQ(breaches.size(), 0U);
    if (!HasFatalFailure()) expect_listed(a.ledger.live());
}

std::vector<std::string> ledger_fixture::random_flags() {
    const auto window = pick({1'000'000, 200, 40});
    const auto horizon = pick({900'000, 1000});
    return {"--retry-min-backoff",  "20ms",
            "--retry-max-backoff",  "200ms",
            "--retry-max-attempts", "1000000",
            "--window-max-timers",  std::to_string(window),
            "--window-horizon",     std::to_string(horizon) + "ms"};
}

/// Until the server holds nothing that is due, or for too long.
std::size_t ledger_fixture::drain(std::chrono::milliseconds patience) {
    auto server = connect();
    const auto end = std::chrono::steady_clock::now() + patience;
    std::size_t left = 1;
    while (left > 0 && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(100ms);
        const auto page = server.list({.to = std::to_string(wall_ms() + 60'000), .limit = 1000});
        if (page) left = page.value().timers.size();
    }
    return left;
}

/// What is far away is still there, unchanged, and nothing else is.
void ledger_fixture::expect_listed(const std::vector<crash_ledger::live_timer>& live) {
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

}  // namespace foliot::crash_test
