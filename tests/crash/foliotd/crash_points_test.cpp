// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/ledger_fixture.hpp"
#include "support/environment.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <algorithm>
#include <csignal>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

// foliotd dies, under load, at each of the named points of src/server/crash_point.hpp: moments at
// which something is half done.

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;

enum class needs { work, a_start, a_full_window, far_timers, a_stop };

struct crash_point {
    const char* name;
    needs what;
    std::int64_t latest = 1;  ///< it dies when it comes by for the 1st to this time
};

constexpr crash_point points[] = {
    {"epoch_written", needs::a_start},
    {"near_page_read", needs::a_start},
    {"before_commit", needs::work, 60},
    {"after_commit", needs::work, 60},
    {"before_answer", needs::work, 60},
    {"after_answer", needs::work, 60},
    {"before_delivery", needs::work, 20},
    {"after_delivery", needs::work, 20},
    {"before_end", needs::work, 20},
    {"after_end", needs::work, 20},
    {"before_failure", needs::work, 20},
    {"after_failure", needs::work, 20},
    {"before_eviction", needs::a_full_window},
    {"after_eviction", needs::a_full_window},
    {"far_page_read", needs::far_timers, 3},
    {"ids_read", needs::far_timers, 20},
    {"stop_begun", needs::a_stop},
    {"before_leases", needs::a_stop},
    {"after_leases", needs::a_stop},
    {"stop_written", needs::a_stop},
};

class crash_points : public ledger_fixture {
protected:
    std::vector<std::string> flags_for(needs what) {
        auto flags = random_flags();
        const auto put = [&](const std::string& flag, const std::string& value) {
            *std::next(std::find(flags.begin(), flags.end(), flag)) = value;
        };
        if (what == needs::a_full_window) put("--window-max-timers", "40");
        if (what == needs::far_timers) put("--window-horizon", "1000ms");
        return flags;
    }

    /// More timers become near than the next window takes, so that it has to give some up.
    void fill_memory() {
        start({"--retry-min-backoff", "20ms", "--retry-max-attempts", "1000000"});
        client::client server({.url = foliotd.url(), .ns = "full"});
        std::vector<client::batch_request> sets;
        for (int i = 0; i < 200; ++i) {
            sets.push_back(
                client::set_request{.id = std::to_string(i), .due = client::when::in(600'000ms)});
        }
        send_all(server, sets);
        ++clients().life;
        foliotd.kill_nine();
    }

    /// One lease is out, so that a stop has something to write.
    void lease_one() {
        const auto port = foliotd.port();
        test_support::plain_http(port, "PUT", "/v1/stop/timers/x", R"({"delay":0})");
        const auto leased = test_support::plain_http(port, "POST", "/v1/stop/queues/default:lease",
                                                     R"({"wait":"2s","lease":"3s"})");
        EXPECT_EQ(leased.status, 200);
    }

    /// Starts foliotd, lets it die at the point, and sees that it did.
    void die_at(const crash_point& point) {
        const auto name = point.name + (":" + std::to_string(between(1, point.latest)));
        SCOPED_TRACE(name);
        foliotd.set_environment({});
        if (point.what == needs::a_full_window) fill_memory();
        foliotd.set_flags(flags_for(point.what));
        die_at_point(name);
        foliotd.launch();
        if (point.what == needs::a_stop) {
            ASSERT_EQ(foliotd.wait_until_ready(), "");
            lease_one();
            std::this_thread::sleep_for(std::chrono::milliseconds(between(0, 100)));
            ::kill(foliotd.pid(), SIGTERM);
        }
        EXPECT_EQ(foliotd.wait_for_end(30s), killed) << "it did not come by this point";
        ++clients().life;
        foliotd.kill_nine();
    }
};

TEST_F(crash_points, each_keeps_the_ledger) {
    const auto seed = test_seed(1);
    random.seed(seed);
    start(random_flags());
    begin(seed);
    ++clients().life;
    foliotd.kill_nine();
    const auto rounds = count_or("FOLIOT_CRASH_POINT_ROUNDS", 2);
    std::size_t deaths = 0;
    for (std::uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
        std::vector<crash_point> order(std::begin(points), std::end(points));
        std::shuffle(order.begin(), order.end(), random);
        for (const auto& point : order) {
            die_at(point);
            ++deaths;
            if (HasFailure() || !clients().failures().empty()) break;
        }
    }
    foliotd.set_environment({});
    start(random_flags());
    std::cout << deaths << " deaths at " << std::size(points) << " points" << std::endl;
    finish();
    EXPECT_GT(clients().ledger.totals().sets, deaths * 5);
}

}  // namespace
}  // namespace foliot::crash_test
