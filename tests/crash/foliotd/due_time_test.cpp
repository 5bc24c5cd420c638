// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/foliotd_fixture.hpp"

#include "client/json_text.hpp"

#include <gmock/gmock.h>

#include <charconv>
#include <ctime>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <thread>

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class due_time : public foliotd_fixture {
protected:
    /// Every one of the dues is delivered once, none before it, and nothing is left.
    void expect_each_once(const std::map<std::string, std::int64_t>& dues,
                          std::chrono::milliseconds patience) {
        auto server = connect();
        const auto got = take(server, "default", dues.size(), patience);
        std::set<std::string> ids;
        for (const auto& r : got) {
            EXPECT_TRUE(ids.insert(r.what.id).second) << r.what.id << " came twice";
            const auto due = dues.find(r.what.id);
            ASSERT_NE(due, dues.end()) << r.what.id;
            EXPECT_EQ(r.what.due_ms, due->second) << r.what.id;
            EXPECT_GE(r.at_us, due->second * 1000) << r.what.id << " came early";
        }
        EXPECT_EQ(ids.size(), dues.size());
        EXPECT_TRUE(take(server, "default", 1, 300ms).empty()) << "something came again";
        const auto page = server.list({});
        ASSERT_TRUE(page.has_value());
        EXPECT_TRUE(page.value().timers.empty());
    }
};

TEST_F(due_time, service_down_over_the_due_time_fires_all_on_return) {
    start();
    constexpr std::size_t count = 10'000;
    auto server = connect();
    std::map<std::string, std::int64_t> dues;
    std::vector<client::batch_request> requests;
    const auto due = wall_ms() + 6000;
    for (std::size_t i = 0; i < count; ++i) {
        requests.push_back(client::set_request{
            .id = "t" + std::to_string(i),
            .due = i % 2 == 0 ? client::when::in(5000ms) : client::when::at_ms(due)});
    }
    send_all(server, requests, [&](std::size_t, const answer& a) {
        const auto& set = std::get<client::timer_set>(a);
        dues[set.id] = set.due_ms;
    });
    ASSERT_EQ(dues.size(), count);
    foliotd.kill_nine();
    std::int64_t last = 0;
    for (const auto& [id, at] : dues) last = std::max(last, at);
    ASSERT_LT(wall_ms(), last) << "the sets took too long for this test";
    std::this_thread::sleep_for(std::chrono::milliseconds(last - wall_ms() + 500));

    ASSERT_EQ(foliotd.start(), "");
    const auto begin = wall_us();
    expect_each_once(dues, 60s);
    std::cout << count << " timers consumed " << (wall_us() - begin) / 1000
              << " ms after the return (with the last 300 ms of silence)" << std::endl;
}

TEST_F(due_time, a_due_around_now_fires_once_and_at_once) {
    start();
    constexpr std::size_t each = 10'000;
    constexpr std::size_t part = 500;
    auto server = connect();
    std::map<std::string, std::int64_t> dues;
    for (const int offset : {-1, 0, 1}) {
        for (std::size_t from = 0; from < each; from += part) {
            std::vector<client::batch_request> requests;
            const auto due = wall_ms() + offset;
            for (std::size_t i = from; i < from + part; ++i) {
                requests.push_back(
                    client::set_request{.id = std::to_string(offset) + "/" + std::to_string(i),
                                        .due = client::when::at_ms(due)});
            }
            send_all(server, requests, [&](std::size_t, const answer& a) {
                const auto& set = std::get<client::timer_set>(a);
                EXPECT_EQ(set.due_ms, due);
                dues[set.id] = set.due_ms;
            });
        }
    }
    ASSERT_EQ(dues.size(), 3 * each);
    expect_each_once(dues, 60s);
}

std::string http_date(std::int64_t unix_ms) {
    const std::time_t seconds = unix_ms / 1000;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[64];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return text;
}

TEST_F(due_time, a_delay_is_counted_by_the_servers_clock_whatever_the_client_thinks_the_time_is) {
    start();
    constexpr std::int64_t delay = 100'000;
    constexpr std::int64_t hour = 3'600'000;
    for (const std::int64_t skew : {-hour, std::int64_t{0}, hour}) {
        const auto sent = wall_ms();
        const auto answer = test_support::plain_http(
            foliotd.port(), "PUT", "/v1/default/timers/skewed", R"({"delay":100000})",
            "Date: " + http_date(sent + skew) + "\r\n");
        const auto heard = wall_ms();
        ASSERT_THAT(answer.status, AnyOf(200, 201)) << answer.body;
        const auto text = client::member(answer.body, "due_ms");
        std::int64_t due = 0;
        std::from_chars(text.data(), text.data() + text.size(), due);
        EXPECT_GE(due, sent + delay) << "skew " << skew;
        EXPECT_LE(due, heard + delay + 1) << "skew " << skew;
    }
}

struct far_case {
    const char* name;
    std::int64_t ms;
};
constexpr std::int64_t year = 365LL * 86'400'000;
constexpr far_case far_cases[] = {
    {"1y", year},
    {"50y", 50 * year},
    {"2^31 s", (std::int64_t{1} << 31) * 1000},
    {"2^32 ms - 1", (std::int64_t{1} << 32) - 1},
    {"2^32 ms", std::int64_t{1} << 32},
    {"2^32 ms + 1", (std::int64_t{1} << 32) + 1},
    {"2^53 ms", std::int64_t{1} << 53},
};

TEST_F(due_time, a_far_due_is_accepted_and_silent_or_refused_by_a_named_limit) {
    start();
    auto server = connect();
    std::map<std::string, std::int64_t> accepted;
    for (const auto& c : far_cases) {
        for (const bool absolute : {false, true}) {
            const auto now = wall_ms();
            const client::set_request request{
                .id = std::string(c.name) + (absolute ? " due" : " delay"),
                .due = absolute ? client::when::at_ms(now + c.ms)
                                : client::when::in(std::chrono::milliseconds(c.ms))};
            const auto set = server.set(request);
            if (set) {
                EXPECT_GE(set.value().due_ms, now + c.ms) << request.id;
                accepted[request.id] = set.value().due_ms;
                continue;
            }
            EXPECT_EQ(set.error().status, 400U) << request.id;
            EXPECT_THAT(set.error().message, HasSubstr("limits.")) << request.id;
            EXPECT_TRUE(set.error().limit.has_value()) << request.id;
        }
    }
    for (const char* must : {"1y delay", "1y due", "50y delay", "50y due", "2^32 ms delay"}) {
        EXPECT_TRUE(accepted.contains(must)) << must;
    }
    EXPECT_TRUE(take(server, "default", 1, 1000ms).empty()) << "a far timer came";
    kill_and_start();
    EXPECT_TRUE(take(server, "default", 1, 1000ms).empty()) << "a far timer came after a restart";
    for (const auto& [id, due] : accepted) {
        const auto got = server.get(id);
        ASSERT_TRUE(got.has_value()) << id << ": " << got.error().message;
        EXPECT_EQ(got.value().due_ms, due) << id;
        EXPECT_EQ(got.value().state, "pending") << id;
    }
    const auto page = server.list({});
    ASSERT_TRUE(page.has_value());
    EXPECT_EQ(page.value().timers.size(), accepted.size());
}

}  // namespace
}  // namespace foliot::crash_test
