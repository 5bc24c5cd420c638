// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/readiness.hpp"

#include <gtest/gtest.h>

namespace foliot::server {
namespace {

using namespace std::chrono_literals;

vital_signs healthy() {
    vital_signs s;
    s.loaded = true;
    return s;
}

std::string reason(const vital_signs& s) { return judge(s, ready_options{}).reason; }

TEST(readiness, green_when_all_is_well) { EXPECT_TRUE(judge(healthy(), ready_options{}).ready); }

TEST(readiness, red_when_the_loop_makes_no_step) {
    auto s = healthy();
    s.since_step = 2s;
    EXPECT_EQ(reason(s), "");
    s.since_step = 2001ms;
    EXPECT_EQ(reason(s), "stalled");
}

TEST(readiness, red_when_the_self_check_found_a_disagreement) {
    auto s = healthy();
    s.disagreements = 2;
    s.first_disagreement = "timer n/x is lost";
    EXPECT_EQ(reason(s), "disagreement");
    EXPECT_NE(judge(s, ready_options{}).message.find("timer n/x is lost"), std::string::npos);
}

TEST(readiness, red_while_loading_stopping_or_with_a_failing_or_hanging_store) {
    auto s = healthy();
    s.loaded = false;
    EXPECT_EQ(reason(s), "loading");
    s = healthy();
    s.stopping = true;
    EXPECT_EQ(reason(s), "stopping");
    s = healthy();
    s.store_failing = true;
    EXPECT_EQ(reason(s), "store_failing");
    s = healthy();
    s.store_call = 3s;
    EXPECT_EQ(reason(s), "store_slow");
}

TEST(readiness, red_when_the_backlog_is_old_and_does_not_shrink) {
    auto s = healthy();
    s.overdue = 5;
    s.backlog_stuck = 6s;
    s.behind = 6s;
    EXPECT_EQ(reason(s), "backlog");
    s.behind = 10ms;  // always some timers that became due just now
    EXPECT_EQ(reason(s), "");
    s.behind = 6s;
    s.backlog_stuck = 1s;  // it shrinks
    EXPECT_EQ(reason(s), "");
}

TEST(backlog_watch, is_stuck_since_the_last_new_low) {
    backlog_watch watch;
    watch.observe(1s, 0);
    EXPECT_EQ(watch.stuck_for(9s), 0s);
    watch.observe(10s, 100);
    watch.observe(12s, 150);
    EXPECT_EQ(watch.stuck_for(13s), 3s);
    watch.observe(14s, 99);
    EXPECT_EQ(watch.stuck_for(14s), 0s);
    watch.observe(20s, 0);
    EXPECT_EQ(watch.stuck_for(30s), 0s);
    watch.observe(31s, 1000);
    EXPECT_EQ(watch.stuck_for(32s), 1s);
}

}  // namespace
}  // namespace foliot::server
