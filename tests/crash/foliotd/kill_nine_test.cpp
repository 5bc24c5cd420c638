// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/ledger_fixture.hpp"
#include "support/environment.hpp"

#include <iostream>
#include <thread>

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;

class kill_nine : public ledger_fixture {
protected:
    /// Kills foliotd at some moment of its work or, now and then, of its start.
    void kill_at_random() {
        std::this_thread::sleep_for(std::chrono::milliseconds(between(10, 400)));
        ASSERT_TRUE(foliotd.running()) << "foliotd ended by itself";
        ++clients().life;
        foliotd.kill_nine();
        foliotd.set_flags(random_flags());
        while (between(0, 99) < 15) {
            foliotd.launch();
            std::this_thread::sleep_for(std::chrono::milliseconds(between(0, 80)));
            ++clients().life;
            foliotd.kill_nine();
        }
        foliotd.launch();
        ASSERT_EQ(foliotd.wait_until_ready(), "");
    }
};

TEST_F(kill_nine, kill_nine_keeps_the_ledger) {
    const auto seed = test_seed(1);
    random.seed(seed);
    start(random_flags());
    begin(seed);
    const auto rounds = count_or("FOLIOT_CRASH_ROUNDS", 200);
    for (std::uint64_t round = 0; round < rounds && !HasFatalFailure(); ++round) {
        kill_at_random();
        if (!clients().failures().empty()) break;
    }
    std::cout << rounds << " kills" << std::endl;
    finish();

    // A test that did nothing shows nothing.
    const auto totals = clients().ledger.totals();
    EXPECT_GT(totals.sets, rounds * 20U);
    EXPECT_GT(totals.acks, rounds * 5U);
    EXPECT_GT(totals.repeated, 0U);
}

}  // namespace
}  // namespace foliot::crash_test
