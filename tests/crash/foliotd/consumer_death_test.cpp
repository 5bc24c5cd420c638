// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/foliotd_fixture.hpp"

#include <gmock/gmock.h>

#include <sys/socket.h>
#include <unistd.h>
#include <set>
#include <string>
#include <thread>

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;

/// A consumer that leases by plain sockets and dies at a moment of the test's choice.
class doomed_consumer {
public:
    explicit doomed_consumer(std::uint16_t port) : fd_(test_support::plain_connect(port)) {}
    ~doomed_consumer() { die(); }
    doomed_consumer(const doomed_consumer&) = delete;
    doomed_consumer& operator=(const doomed_consumer&) = delete;

    void lease(int max, const std::string& wait, const std::string& lease) {
        const auto request =
            test_support::plain_request("POST", "/v1/default/queues/default:lease",
                                        R"({"max":)" + std::to_string(max) + R"(,"wait":")" + wait +
                                            R"(","lease":")" + lease + "\"}");
        ASSERT_EQ(::send(fd_, request.data(), request.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(request.size()));
    }

    /// Reads `most` bytes, or all there are until the server ends the connection.
    std::string read(std::size_t most) {
        std::string out;
        char part[4096];
        while (out.size() < most) {
            const auto got = ::recv(fd_, part, std::min(sizeof part, most - out.size()), 0);
            if (got <= 0) break;
            out.append(part, static_cast<std::size_t>(got));
        }
        return out;
    }

    /// The connection is reset: nothing that is still under way arrives.
    void die() {
        if (fd_ < 0) return;
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        ::close(fd_);
        fd_ = -1;
    }

private:
    int fd_;
};

class consumer_death : public foliotd_fixture {
protected:
    void SetUp() override { start({"--retry-min-backoff", "10ms", "--retry-max-backoff", "50ms"}); }

    void set_timers(int count, std::chrono::milliseconds delay, std::size_t payload_bytes = 10) {
        auto server = connect();
        std::vector<client::batch_request> requests;
        for (int i = 0; i < count; ++i) {
            requests.push_back(
                client::set_request{.id = "t" + std::to_string(i),
                                    .due = client::when::in(delay),
                                    .payload = "\"" + std::string(payload_bytes, 'x') + "\""});
        }
        send_all(server, requests);
    }

    /// All `count` timers come to another consumer, once each.
    std::vector<received> expect_all_come(std::size_t count) {
        auto server = connect();
        auto got = take(server, "default", count, 20s);
        std::set<std::string> ids;
        for (const auto& r : got) {
            EXPECT_TRUE(ids.insert(r.what.id).second) << r.what.id << " came twice";
        }
        EXPECT_EQ(ids.size(), count);
        EXPECT_TRUE(take(server, "default", 1, 300ms).empty());
        return got;
    }
};

TEST_F(consumer_death, while_it_waits_costs_no_timer) {
    {
        doomed_consumer consumer(foliotd.port());
        consumer.lease(10, "20s", "1s");
        std::this_thread::sleep_for(100ms);
        consumer.die();
    }
    set_timers(10, 100ms);
    expect_all_come(10);
}

TEST_F(consumer_death, before_it_reads_the_answer_brings_the_timers_back) {
    set_timers(10, 0ms);
    {
        doomed_consumer consumer(foliotd.port());
        consumer.lease(10, "5s", "1s");
        std::this_thread::sleep_for(100ms);
        consumer.die();
    }
    expect_all_come(10);
}

TEST_F(consumer_death, in_the_middle_of_the_answer_brings_the_timers_back) {
    set_timers(100, 0ms, 60'000);  // more than the buffers of both sockets hold
    {
        doomed_consumer consumer(foliotd.port());
        consumer.lease(100, "5s", "1s");
        const auto some = consumer.read(100'000);
        ASSERT_EQ(some.size(), 100'000U);
        EXPECT_THAT(some, ::testing::HasSubstr("HTTP/1.1 200"));
        consumer.die();
    }
    const auto got = expect_all_come(100);
    for (const auto& r : got) EXPECT_EQ(r.what.payload.size(), 60'002U);
}

TEST_F(consumer_death, between_answer_and_ack_brings_the_timers_back_when_the_lease_ends) {
    set_timers(10, 0ms);
    const auto asked = wall_us();
    {
        doomed_consumer consumer(foliotd.port());
        consumer.lease(10, "5s", "1s");
        const auto all = consumer.read(SIZE_MAX);
        EXPECT_THAT(all, ::testing::HasSubstr("\"t9\""));
        consumer.die();
    }
    const auto got = expect_all_come(10);
    for (const auto& r : got) {
        EXPECT_EQ(r.what.attempt, 2U) << r.what.id;
        EXPECT_GE(r.at_us, asked + 1'000'000) << r.what.id << " came while it was leased";
    }
}

TEST_F(consumer_death, together_with_the_server_brings_the_timers_back) {
    set_timers(10, 0ms);
    {
        doomed_consumer consumer(foliotd.port());
        consumer.lease(10, "5s", "1h");
        EXPECT_THAT(consumer.read(SIZE_MAX), ::testing::HasSubstr("\"t9\""));
        kill_and_start();
    }
    expect_all_come(10);
}

class old_delivery : public consumer_death {
protected:
    /// Sets x due at once and leases it: the token of a delivery that is out.
    std::string token_of_x() {
        auto server = connect();
        const auto set = server.set({.id = "x", .due = client::when::in(0ms)});
        EXPECT_TRUE(set.has_value());
        const auto got = server.lease({.max = 1, .wait = 5000ms});
        if (!got || got.value().size() != 1) {
            ADD_FAILURE() << "x did not come";
            return {};
        }
        return got.value()[0].token;
    }

    /// What acking an old token answers, and that x stands as `set` left it.
    void expect_stale(const std::string& token, const client::timer_set& set) {
        auto server = connect();
        for (int i = 0; i < 2; ++i) {
            const auto acked = server.ack("default", std::vector{token});
            ASSERT_TRUE(acked.has_value());
            ASSERT_EQ(acked.value().size(), 1U);
            EXPECT_EQ(acked.value()[0].outcome, "stale");
            const auto got = server.get("x");
            ASSERT_TRUE(got.has_value()) << got.error().message;
            EXPECT_EQ(got.value().generation, set.generation);
            EXPECT_EQ(got.value().due_ms, set.due_ms);
            EXPECT_EQ(got.value().state, "pending");
            if (i == 0) kill_and_start();
        }
    }
};

TEST_F(old_delivery, cannot_ack_a_timer_that_was_cancelled_and_created_again) {
    const auto token = token_of_x();
    auto server = connect();
    const auto cancelled = server.cancel({.id = "x"});
    ASSERT_TRUE(cancelled.has_value());
    EXPECT_EQ(cancelled.value(), client::cancel_outcome::in_flight);
    const auto again = server.set({.id = "x", .due = client::when::in("1h")});
    ASSERT_TRUE(again.has_value());
    expect_stale(token, again.value());
}

TEST_F(old_delivery, cannot_ack_a_timer_that_was_replaced) {
    const auto token = token_of_x();
    auto server = connect();
    const auto again = server.set({.id = "x", .due = client::when::in("1h")});
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(again.value().previous_generation.has_value());
    expect_stale(token, again.value());
}

}  // namespace
}  // namespace foliot::crash_test
