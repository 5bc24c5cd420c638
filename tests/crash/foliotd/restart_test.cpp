// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/foliotd_fixture.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;

/// How much of the timers foliotd may hold in memory: all, only the next second's, hardly any.
struct window {
    const char* name;
    std::vector<std::string> flags;

    friend void PrintTo(const window& w, std::ostream* out) { *out << w.name; }
};

class acknowledged : public foliotd_fixture, public ::testing::WithParamInterface<window> {};

TEST_P(acknowledged, cancel_and_replace_hold_across_a_kill) {
    const auto& flags = GetParam().flags;
    start(flags);
    auto server = connect();
    constexpr int count = 400;
    std::vector<client::batch_request> sets;
    for (int i = 0; i < count; ++i) {
        sets.push_back(
            client::set_request{.id = std::to_string(i), .due = client::when::in(5000ms)});
    }
    send_all(server, sets);

    // Half is cancelled, a quarter put off by an hour, a quarter moved a little.
    std::map<std::string, std::string> soon;
    std::map<std::string, std::string> later;
    std::vector<client::batch_request> changes;
    for (int i = 0; i < count; ++i) {
        const auto id = std::to_string(i);
        if (i % 2 == 0) {
            changes.push_back(client::cancel_request{.id = id});
        } else {
            changes.push_back(client::set_request{
                .id = id, .due = i % 4 == 1 ? client::when::in("1h") : client::when::in(4000ms)});
        }
    }
    std::size_t cancelled = 0;
    send_all(server, changes, [&](std::size_t i, const answer& a) {
        if (const auto* set = std::get_if<client::timer_set>(&a)) {
            (i % 4 == 1 ? later : soon)[set->id] = set->generation;
        } else if (std::get<client::cancel_outcome>(a) == client::cancel_outcome::cancelled) {
            ++cancelled;
        }
    });
    kill_and_start(flags);
    ASSERT_EQ(cancelled, count / 2U) << "the test was too slow: timers fired before their cancel";

    const auto got = take(server, "default", count, 7s);  // past every due there ever was
    std::map<std::string, std::string> came;
    for (const auto& r : got) {
        EXPECT_TRUE(came.emplace(r.what.id, r.what.generation).second)
            << r.what.id << " came twice";
    }
    EXPECT_EQ(came, soon);
    for (const auto& [id, generation] : later) {
        const auto timer = server.get(id);
        ASSERT_TRUE(timer.has_value()) << id << ": " << timer.error().message;
        EXPECT_EQ(timer.value().generation, generation);
    }
    const auto page = server.list({.limit = 1000});
    ASSERT_TRUE(page.has_value());
    EXPECT_EQ(page.value().timers.size(), later.size());
}

INSTANTIATE_TEST_SUITE_P(windows, acknowledged,
                         ::testing::Values(window{"all", {}},
                                           window{"next_second", {"--window-horizon", "1s"}},
                                           window{"hardly_any", {"--window-max-timers", "10"}}),
                         [](const auto& w) { return std::string(w.param.name); });

class lowered_window : public foliotd_fixture {};

TEST_F(lowered_window, no_cancel_says_gone_of_a_timer_that_later_fires) {
    const auto seed = test_seed(7);
    std::mt19937_64 random(seed);
    start();
    constexpr int count = 4000;
    constexpr unsigned threads = 2;
    {
        auto server = connect();
        std::vector<client::batch_request> sets;
        for (int i = 0; i < count; ++i) {
            sets.push_back(client::set_request{
                .id = std::to_string(i),
                .due = client::when::in(std::chrono::milliseconds(8000 + i % 1000))});
        }
        send_all(server, sets);
    }
    kill_and_start({"--window-max-timers", "50"});

    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i) ids.push_back(std::to_string(i));
    std::shuffle(ids.begin(), ids.end(), random);
    std::atomic<int> cancelled{0};
    std::vector<std::jthread> workers;
    for (unsigned w = 0; w < threads; ++w) {
        workers.emplace_back([&, w] {
            auto server = connect();
            for (std::size_t from = w * 40; from < ids.size(); from += threads * 40) {
                std::vector<client::batch_request> batch;
                for (std::size_t i = from; i < std::min(from + 40, ids.size()); ++i) {
                    batch.push_back(client::cancel_request{.id = ids[i]});
                    // New timers push others out of the window meanwhile.
                    batch.push_back(
                        client::set_request{.id = "new " + ids[i], .due = client::when::in("1h")});
                }
                send_all(server, batch, [&](std::size_t i, const answer& a) {
                    if (i % 2 == 1) return;
                    const auto outcome = std::get<client::cancel_outcome>(a);
                    EXPECT_STREQ(client::name(outcome), "cancelled") << "batch from " << from;
                    if (outcome == client::cancel_outcome::cancelled) ++cancelled;
                });
            }
        });
    }
    workers.clear();
    EXPECT_EQ(cancelled, count);
    auto server = connect();
    const auto page = server.list({.to = std::to_string(wall_ms() + 60'000)});
    ASSERT_TRUE(page.has_value());
    EXPECT_TRUE(page.value().timers.empty()) << page.value().timers[0].id << " is still there";
    EXPECT_TRUE(take(server, "default", 1, 10s).empty()) << "a cancelled timer came";
}

}  // namespace
}  // namespace foliot::crash_test
