// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foliot::server {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string rendered(const engine::stats& s, std::size_t max_queues = 100) {
    const http_counters http;
    const duration_histogram commits;
    return render_metrics({s, http, commits, true, false, {}, {}, max_queues});
}

TEST(metrics, gauges_and_counters_come_from_the_engine) {
    engine::stats s;
    s.pending = 7;
    s.set_total = 11;
    s.dead = 2;
    const auto text = rendered(s);
    EXPECT_THAT(text, HasSubstr("\nfoliot_timers_pending 7\n"));
    EXPECT_THAT(text, HasSubstr("\nfoliot_timers_set_total 11\n"));
    EXPECT_THAT(text, HasSubstr("\nfoliot_timers_dead 2\n"));
    EXPECT_THAT(text, HasSubstr("# TYPE foliot_timers_set_total counter\n"));
}

TEST(metrics, histograms_are_cumulative) {
    engine::stats s;
    s.firing_lateness.record(std::chrono::microseconds{300});
    s.firing_lateness.record(std::chrono::milliseconds{3});
    s.firing_lateness.record(std::chrono::minutes{2});
    const auto text = rendered(s);
    EXPECT_THAT(text, HasSubstr("foliot_firing_lateness_seconds_bucket{le=\"0.0005\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("foliot_firing_lateness_seconds_bucket{le=\"0.005\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("foliot_firing_lateness_seconds_bucket{le=\"60\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("foliot_firing_lateness_seconds_bucket{le=\"+Inf\"} 3\n"));
    EXPECT_THAT(text, HasSubstr("foliot_firing_lateness_seconds_count 3\n"));
}

TEST(metrics, label_sets_are_bounded_and_the_rest_is_summed_up) {
    engine::stats s;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        s.queues.push_back({"ns", "q" + std::to_string(i), i, 1, 0});
    }
    const auto text = rendered(s, 2);
    EXPECT_THAT(text, HasSubstr("foliot_queue_ready{ns=\"ns\",queue=\"q999\"} 999\n"));
    EXPECT_THAT(text, HasSubstr("foliot_queue_ready{ns=\"ns\",queue=\"q998\"} 998\n"));
    EXPECT_THAT(text, Not(HasSubstr("queue=\"q997\"")));
    EXPECT_THAT(text, HasSubstr("foliot_queue_ready{ns=\"other\",queue=\"other\"} 497503\n"));
    EXPECT_THAT(text, HasSubstr("foliot_queue_in_flight{ns=\"other\",queue=\"other\"} 998\n"));
}

TEST(metrics, names_from_clients_cannot_break_the_format) {
    engine::stats s;
    s.queues.push_back({"a\"b\n", "c\\d", 1, 0, 0});
    EXPECT_THAT(rendered(s), HasSubstr(R"(ns="a\"b\n",queue="c\\d"} 1)"));
}

}  // namespace
}  // namespace foliot::server
