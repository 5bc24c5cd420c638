// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// The ledger that the crash test trusts: each kind of broken promise is planted and must be seen.
#include "crash/foliotd/crash_ledger.hpp"

#include <gmock/gmock.h>

namespace foliot::crash_test {
namespace {

using client::cancel_outcome;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A story in ms: both clocks start at 0.
moment at(std::int64_t ms) { return {.wall_us = ms * 1000, .steady_us = ms * 1000}; }

class ledger_test : public ::testing::Test {
protected:
    void set(std::int64_t t, std::uint64_t gen, std::int64_t delay,
             std::optional<std::uint64_t> previous = {}, bool repeated = false) {
        ledger.set("x", {.sent = at(t - 2),
                         .heard = at(t),
                         .gen = gen,
                         .previous = previous,
                         .due_ms = t - 1 + delay,
                         .delay_ms = delay,
                         .repeated = repeated});
    }
    void cancel(std::int64_t t, cancel_outcome outcome, bool repeated = false) {
        ledger.cancelled("x", {.heard = at(t), .outcome = outcome, .repeated = repeated});
    }
    void deliver(std::int64_t asked, std::int64_t t, std::uint64_t gen, std::int64_t due,
                 unsigned life = 1) {
        ledger.delivered({.id = "x",
                          .gen = gen,
                          .due_ms = due,
                          .asked = at(asked),
                          .received = at(t),
                          .lease_ms = 1000,
                          .asked_life = life,
                          .received_life = life});
    }
    void settle(std::int64_t t, std::uint64_t gen, crash_ledger::verb what,
                const std::string& outcome, std::int64_t delay = 0) {
        ledger.settling("x", gen, at(t - 2));
        ledger.settled({.id = "x",
                        .gen = gen,
                        .what = what,
                        .sent = at(t - 2),
                        .heard = at(t),
                        .outcome = outcome,
                        .delay_ms = delay});
    }
    void expect(const char* breach) {
        EXPECT_THAT(ledger.judge(100'000), ElementsAre(HasSubstr(breach)));
    }

    static constexpr auto ack = crash_ledger::verb::ack;
    static constexpr auto nack = crash_ledger::verb::nack;
    crash_ledger ledger;
};

TEST_F(ledger_test, a_life_as_promised_is_no_breach) {
    set(10, 5, 100);
    set(50, 6, 100, 5);
    deliver(100, 160, 6, 149);
    settle(170, 6, nack, "nacked", 50);
    deliver(175, 230, 6, 149);
    settle(240, 6, ack, "acked");
    set(250, 7, 100);
    cancel(260, cancel_outcome::cancelled);
    set(300, 9, 100'000'000);
    EXPECT_THAT(ledger.judge(100'000), IsEmpty());
    ASSERT_EQ(ledger.live().size(), 1U);
    EXPECT_EQ(ledger.live()[0].gen, 9U);
}

TEST_F(ledger_test, sees_a_timer_that_never_came) {
    set(10, 5, 100);
    expect("lost");
}

TEST_F(ledger_test, sees_that_a_timer_vanished_from_a_later_sets_answer) {
    set(10, 5, 100'000'000);
    set(20, 6, 100'000'000);
    expect("lost");
}

TEST_F(ledger_test, sees_a_gone_that_nothing_explains) {
    set(10, 5, 100'000'000);
    cancel(20, cancel_outcome::gone);
    expect("lost");
}

TEST_F(ledger_test, takes_a_gone_that_an_unanswered_cancel_explains) {
    set(10, 5, 100'000'000);
    cancel(20, cancel_outcome::gone, true);
    EXPECT_THAT(ledger.judge(100'000), IsEmpty());
}

TEST_F(ledger_test, takes_a_gone_that_an_unanswered_ack_explains) {
    set(10, 5, 10);
    deliver(15, 25, 5, 19);
    settle(30, 5, ack, "");
    cancel(40, cancel_outcome::gone);
    EXPECT_THAT(ledger.judge(100'000), IsEmpty());
}

TEST_F(ledger_test, sees_a_delivery_after_a_cancel) {
    set(10, 5, 100);
    cancel(20, cancel_outcome::cancelled);
    deliver(30, 120, 5, 109);
    expect("after an acknowledged cancel");
}

TEST_F(ledger_test, takes_a_delivery_that_was_asked_for_before_the_cancel) {
    set(10, 5, 10);
    deliver(15, 50, 5, 19);
    cancel(40, cancel_outcome::in_flight);
    EXPECT_THAT(ledger.judge(100'000), IsEmpty());
}

TEST_F(ledger_test, sees_an_old_generation_after_a_replace) {
    set(10, 5, 10);
    set(20, 6, 100'000'000, 5);
    deliver(30, 40, 5, 19);
    expect("after an acknowledged cancel or replace");
}

TEST_F(ledger_test, sees_a_delivery_before_its_due) {
    set(10, 5, 100);
    deliver(20, 100, 5, 109);
    EXPECT_THAT(ledger.judge(100'000),
                ElementsAre(HasSubstr("before the due it carries"), HasSubstr("promised due")));
}

TEST_F(ledger_test, sees_a_due_that_moved) {
    set(10, 5, 100);
    deliver(20, 130, 5, 110);
    expect("due moved");
}

TEST_F(ledger_test, sees_a_due_before_the_delay) {
    ledger.set("x", {.sent = at(10),
                     .heard = at(12),
                     .gen = 5,
                     .previous = {},
                     .due_ms = 100'000'000,
                     .delay_ms = 100'000'000,
                     .repeated = false});
    expect("before the request plus its delay");
}

TEST_F(ledger_test, sees_a_delivery_after_an_ack) {
    set(10, 5, 10);
    deliver(15, 25, 5, 19);
    settle(30, 5, ack, "acked");
    deliver(40, 50, 5, 19);
    expect("after its ack");
}

TEST_F(ledger_test, sees_a_delivery_before_the_end_of_a_nacks_delay) {
    set(10, 5, 10);
    deliver(15, 25, 5, 19);
    settle(30, 5, nack, "nacked", 100);
    deliver(40, 127, 5, 19);
    expect("delay of its nack");
}

TEST_F(ledger_test, sees_two_leases_at_a_time) {
    set(10, 5, 10);
    deliver(15, 25, 5, 19);
    deliver(30, 40, 5, 19);
    expect("leased twice");
}

TEST_F(ledger_test, takes_a_second_lease_after_the_first_or_after_a_restart) {
    set(10, 5, 10);
    deliver(15, 25, 5, 19, 1);
    deliver(30, 40, 5, 19, 2);
    deliver(1000, 1040, 5, 19, 2);
    EXPECT_THAT(ledger.judge(100'000), IsEmpty());
}

TEST_F(ledger_test, sees_success_told_to_an_old_token) {
    set(10, 5, 10);
    deliver(15, 25, 5, 19);
    set(30, 6, 100'000'000, 5);
    settle(40, 5, ack, "acked");
    expect("told acked");
}

TEST_F(ledger_test, sees_a_generation_that_does_not_grow) {
    set(10, 6, 100'000'000);
    set(20, 5, 100'000'000, 6);
    expect("does not grow");
}

}  // namespace
}  // namespace foliot::crash_test
