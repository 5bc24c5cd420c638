// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/token.hpp"

#include "requests.hpp"

namespace foliot::protocol {
namespace {

using test::command_of;
using test::send;
using test::summary;

engine::list_timers list(const std::string& query) {
    return command_of<engine::list_timers>(send("GET", "/v1/ns/timers" + query));
}

std::string error(const std::string& query) {
    return summary(send("GET", "/v1/ns/timers" + query));
}

TEST(list, without_parameters_is_the_first_page_of_all) {
    for (const std::string query : {"", "?", "?prefix=&from=&to=&limit=&cursor=", "?&&"}) {
        const auto l = list(query);
        EXPECT_EQ(l.ns, "ns");
        EXPECT_EQ(l.prefix, "");
        EXPECT_EQ(l.from_ms, tick{0});
        EXPECT_EQ(l.to_ms, tick::max());
        EXPECT_EQ(l.limit, 100U);
        EXPECT_FALSE(l.cursor);
    }
}

TEST(list, reads_every_parameter_at_once) {
    const engine::list_cursor cursor{{5}, {6}};
    const auto l = list("?prefix=a%2F&from=1&to=2027-01-01T00:00:02Z&limit=7&cursor=" +
                        encode_list_cursor(cursor));
    EXPECT_EQ(l.prefix, "a/");
    EXPECT_EQ(l.from_ms, tick{1});
    EXPECT_EQ(l.to_ms, tick{1'798'761'602'000});
    EXPECT_EQ(l.limit, 7U);
    EXPECT_EQ(l.cursor, cursor);
}

TEST(list, dates_are_rfc_3339_or_milliseconds) {
    EXPECT_EQ(list("?from=2027-01-01T02:00:02+02:00").from_ms.count, 1'798'761'602'000U);
    EXPECT_EQ(list("?from=2027-01-01T00%3A00%3A02Z").from_ms.count, 1'798'761'602'000U);
    EXPECT_EQ(list("?to=1798761602000").to_ms.count, 1'798'761'602'000U);
    EXPECT_EQ(list("?from=0&to=0").to_ms.count, 0U);
    EXPECT_EQ(error("?from=-1"), "400 out_of_range from");
    EXPECT_EQ(error("?to=253402300800000"), "400 due_too_far to");
    EXPECT_EQ(error("?to=99999999999999999999999999"), "400 due_too_far to");
    EXPECT_EQ(error("?from=2027-01-01"), "400 bad_date from");
    EXPECT_EQ(error("?from=1e3"), "400 bad_date from");
    EXPECT_EQ(error("?from=-"), "400 bad_date from");
}

TEST(list, prefix_is_part_of_an_id) {
    EXPECT_EQ(list("?prefix=a%2Fb+%c3%a9").prefix, "a/b+\xc3\xa9");
    EXPECT_EQ(error("?prefix=%ff"), "400 bad_id prefix");
    EXPECT_EQ(error("?prefix=%00"), "400 bad_id prefix");
    EXPECT_EQ(error("?prefix=" + std::string(257, 'a')), "400 id_too_long prefix");
}

TEST(list, limit_is_refused_not_clamped) {
    EXPECT_EQ(list("?limit=1").limit, 1U);
    EXPECT_EQ(list("?limit=1000").limit, 1000U);
    for (const std::string bad : {"0", "-1", "x", "1.5", "1e2", "+5", "00"}) {
        EXPECT_EQ(error("?limit=" + bad), "400 out_of_range limit") << bad;
    }
    for (const std::string bad : {"1001", "18446744073709551616"}) {
        const auto r = test::refused(send("GET", "/v1/ns/timers?limit=" + bad));
        EXPECT_EQ(summary(r), "400 over_limit limit");
        EXPECT_TRUE(test::has(r.body, "limits.list_page")) << r.body;
    }
}

TEST(list, cursors_come_back) {
    const engine::list_cursor cursor{{5}, {6}};
    EXPECT_EQ(list("?cursor=" + encode_list_cursor(cursor)).cursor, cursor);
    EXPECT_EQ(error("?cursor=xyz"), "400 bad_cursor cursor");
    EXPECT_EQ(error("?cursor=" + encode_dead_cursor({6})), "400 bad_cursor cursor");
}

TEST(list, unknown_doubled_and_broken_parameters_are_refused) {
    EXPECT_EQ(error("?tag=x"), "400 unknown_parameter tag");
    EXPECT_EQ(error("?Limit=1"), "400 unknown_parameter Limit");
    EXPECT_EQ(error("?=1"), "400 unknown_parameter");
    EXPECT_EQ(error("?limit=1&limit=1"), "400 duplicate_parameter limit");
    EXPECT_EQ(error("?limit=1&l%69mit=1"), "400 duplicate_parameter limit");
    EXPECT_EQ(error("?limit=%"), "400 bad_encoding");
    EXPECT_EQ(error("?%zz=1"), "400 bad_encoding");
}

TEST(dead_list, reads_limit_and_cursor) {
    const auto plain = command_of<engine::list_dead>(send("GET", "/v1/ns/queues/q.1/dead"));
    EXPECT_EQ(plain.ns, "ns");
    EXPECT_EQ(plain.queue, "q.1");
    EXPECT_EQ(plain.limit, 100U);
    EXPECT_EQ(plain.after.value, 0U);
    const auto next = command_of<engine::list_dead>(
        send("GET", "/v1/ns/queues/q/dead?limit=7&cursor=" + encode_dead_cursor({9})));
    EXPECT_EQ(next.limit, 7U);
    EXPECT_EQ(next.after.value, 9U);
    EXPECT_EQ(summary(send("GET", "/v1/ns/queues/q/dead?prefix=a")),
              "400 unknown_parameter prefix");
    EXPECT_EQ(summary(send("GET", "/v1/ns/queues/q/dead?limit=0")), "400 out_of_range limit");
    EXPECT_EQ(summary(send("GET", "/v1/ns/queues/q/dead?cursor=" + encode_list_cursor({}))),
              "400 bad_cursor cursor");
}

}  // namespace
}  // namespace foliot::protocol
