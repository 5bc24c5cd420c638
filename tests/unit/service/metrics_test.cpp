// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/metrics.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace foliot {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(duration_histogram, sorts_by_powers_of_two_microseconds) {
    duration_histogram h;
    h.add(-1s);
    h.add(999ns);
    h.add(1us);
    h.add(1999ns);
    h.add(2us);
    h.add(1000h);
    EXPECT_EQ(h.counts[0], 2U);
    EXPECT_EQ(h.counts[1], 2U);
    EXPECT_EQ(h.counts[2], 1U);
    EXPECT_EQ(h.counts[duration_histogram::buckets - 1], 1U);
    EXPECT_EQ(h.count(), 6U);
    EXPECT_EQ(h.longest, 1000h);
}

TEST(to_prometheus, writes_counters_gauges_and_histograms) {
    service_metrics m;
    m.scheduled = 7;
    m.pending = 3;
    m.queued = {1, 2, 0};
    m.lateness.add(3us);
    const std::string text = to_prometheus(m, "app_");
    EXPECT_THAT(text, HasSubstr("# TYPE app_scheduled_total counter\napp_scheduled_total 7\n"));
    EXPECT_THAT(text, HasSubstr("# TYPE app_pending gauge\napp_pending 3\n"));
    EXPECT_THAT(text, HasSubstr("app_queued{priority=\"normal\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("app_lateness_seconds_bucket{le=\"2e-06\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("app_lateness_seconds_bucket{le=\"4e-06\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("app_lateness_seconds_bucket{le=\"+Inf\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("app_lateness_seconds_sum 3e-06\n"));
}

}  // namespace
}  // namespace foliot
