// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// A search that finds nothing proves nothing, unless it finds what is there: faults that are
// planted into copies of the service's sources.
#include "service/find_canaries.hpp"

namespace foliot {

scenarios all_scenarios() {
    scenarios all;
    for (const auto& some : {shard_scenarios(), polled_scenarios(), overload_scenarios(),
                             driver_scenarios(), reusable_scenarios()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

namespace {

constexpr const char* wrong = "no order of the calls";

const canary canaries[] = {
    {"a_cancel_of_what_runs_is_forgotten", "shard/every cancel+cancel_and_wait", "deadlock"},
    {"cancel_and_wait_does_not_wait", "shard/once cancel+cancel_and_wait", "the callback"},
    {"nobody_is_told_that_a_callback_is_destroyed", "shard/once cancel+cancel_and_wait",
     "deadlock"},
    {"cancel_and_wait_waits_for_its_own_thread", "polled/a callback waits for the next beside stop",
     "deadlock"},
    {"a_second_group_cancel_does_not_see_what_runs", "shard/once cancel_group+cancel_group", wrong},
    {"a_move_says_gone_when_a_stop_has_begun", "shard/once later+stop", wrong},
    {"a_timer_starts_after_a_stop", "shard/once pass+stop", wrong},
    {"a_timer_is_made_after_a_stop", "shard/once make+stop", ""},
    {"the_clock_is_read_a_tick_too_late", "polled/a timer is not early while time goes on", wrong},
    {"a_run_is_counted_without_the_lock", "shard/once audit+pass", "do not add up"},
    {"a_second_stop_overtakes_the_first", "driver/a stop beside stop", ""},
    {"a_stop_does_not_wait_for_callbacks", "overload/a stop waits for what an executor runs",
     "callback runs"},
    {"what_the_driver_knows_is_not_updated", "driver/a callback makes the next timer", ""},
    {"the_driver_is_not_told_of_what_is_made_while_it_wakes",
     "driver/two threads make a near and a far timer", ""},
    {"the_driver_is_told_but_not_notified", "driver/a timer fires by itself", "deadlock"},
    {"the_driver_is_not_told_of_room", "driver/what is blocked comes when there is room", ""},
    {"a_stop_is_said_without_the_lock", "driver/a stop beside cancel", "deadlock"},
    {"a_worker_that_is_on_its_way_to_sleep_is_not_woken",
     "driver/a timer fires by itself with a worker", "deadlock"},
    {"a_cancel_leaves_what_was_armed_anew", "reusable/arm later+cancel", wrong},
};

class planted : public testing::TestWithParam<canary> {};

TEST_P(planted, is_found) { expect_found(GetParam()); }

INSTANTIATE_TEST_SUITE_P(service, planted, testing::ValuesIn(canaries), name_of_canary());

TEST(canaries, are_all_in_their_places_and_each_is_looked_for) { expect_all(canaries); }

TEST(canaries, are_not_there_unless_they_are_asked_for) {
    const interleaving::report r = explore_with("", "shard/once cancel+cancel_and_wait");
    EXPECT_FALSE(r.failed()) << r;
    EXPECT_TRUE(r.complete);
}

}  // namespace
}  // namespace foliot
