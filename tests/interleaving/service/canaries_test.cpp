// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// A search that finds nothing proves nothing, unless it finds what is there: faults that are
// planted into copies of the service's sources (canaries.cmake).
#include "service/run_scenarios.hpp"
#include "service/scenario.hpp"
#include "support/interleaving/planted.hpp"

#include <gtest/gtest.h>
#include <canary_names.hpp>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace foliot {
namespace {

struct canary {
    const char* name;
    const char* scenario;  // that finds it
    const char* told;      // what that says of it
};
void PrintTo(const canary& c, std::ostream* out) { *out << c.name; }

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

scenarios all_scenarios() {
    scenarios all;
    for (auto some : {shard_scenarios(), polled_scenarios(), overload_scenarios(),
                      driver_scenarios(), reusable_scenarios()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

scenario scenario_named(const std::string& name) {
    for (const scenario& s : all_scenarios()) {
        if (s.how.name == name) return s;
    }
    ADD_FAILURE() << "no scenario has the name " << name;
    return {};
}

class planted : public testing::TestWithParam<canary> {
protected:
    ~planted() override { interleaving::planted_now = {}; }
};

TEST_P(planted, is_found) {
    number_threads();
    scenario s = scenario_named(GetParam().scenario);
    ASSERT_TRUE(s.run);
    s.how.quiet = true;
    interleaving::planted_now = GetParam().name;
    const interleaving::report r = interleaving::explore(s.how, s.run);
    std::printf("[ explored ] found after %llu executions: %s\n",
                static_cast<unsigned long long>(r.executions), r.failure.c_str());
    EXPECT_TRUE(r.failed()) << "in " << r.executions << " executions of " << s.how.name;
    EXPECT_NE(r.failure.find(GetParam().told), std::string::npos) << r;
}

INSTANTIATE_TEST_SUITE_P(service, planted, testing::ValuesIn(canaries),
                         [](const auto& which) { return std::string(which.param.name); });

TEST(canaries, are_all_in_their_places_and_each_is_looked_for) {
    for (const char* const* lost = lost_canaries; *lost != nullptr; ++lost) {
        ADD_FAILURE() << *lost << ": its place in the sources has changed; see canaries.cmake";
    }
    std::set<std::string> there;
    for (const char* const* name = all_canaries; *name != nullptr; ++name) there.insert(*name);
    std::set<std::string> looked_for;
    for (const canary& c : canaries) looked_for.insert(c.name);
    EXPECT_EQ(there, looked_for);
}

TEST(canaries, are_not_there_unless_they_are_asked_for) {
    number_threads();
    scenario s = scenario_named("shard/once cancel+cancel_and_wait");
    s.how.quiet = true;
    const interleaving::report r = interleaving::explore(s.how, s.run);
    EXPECT_FALSE(r.failed()) << r;
}

}  // namespace
}  // namespace foliot
