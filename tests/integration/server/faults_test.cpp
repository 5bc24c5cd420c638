// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "integration/server/server_fixture.hpp"

#include <future>
#include <mutex>
#include <set>
#include <vector>

namespace foliot::test {
namespace {

using testing::HasSubstr;

class faults : public server_fixture {
protected:
    faults() {
        config_.engine.store_timeout = 500ms;
        config_.ready.max_stall = 500ms;
        config_.stop_timeout = 5s;
    }

    [[nodiscard]] bool ready() { return ask("GET", "/readyz").status == 200; }

    /// Leases until every id was seen; false if that does not happen.
    bool all_delivered(std::set<std::string> ids) {
        return eventually([&] {
            const auto given = lease(1000, "100ms").body;
            for (auto it = ids.begin(); it != ids.end();) {
                const bool seen = given.find("\"id\":\"" + *it + '"') != std::string::npos;
                it = seen ? ids.erase(it) : std::next(it);
            }
            return ids.empty();
        });
    }
};

TEST_F(faults, readiness_is_red_while_the_loop_hangs_and_green_after) {
    start();
    ASSERT_TRUE(ready());
    std::promise<void> release;
    server_->post_task([&release] { release.get_future().wait(); });
    EXPECT_TRUE(eventually([&] { return !ready(); }));
    const auto red = ask("GET", "/readyz");
    EXPECT_EQ(red.status, 503);
    EXPECT_EQ(json_member(red.body, "code"), "stalled");
    EXPECT_EQ(ask("GET", "/healthz").status, 200);
    EXPECT_EQ(metric("foliot_ready"), 0);
    const auto stuck = set("x");  // no answer from the loop: told so after a while
    EXPECT_EQ(stuck.status, 503) << stuck.body;
    release.set_value();
    EXPECT_TRUE(eventually([&] { return ready(); }));
    EXPECT_EQ(set("y").status, 201);
}

TEST_F(faults, a_failing_store_answers_503_loses_nothing_and_recovers_by_itself) {
    start();
    std::set<std::string> acknowledged;
    for (int i = 0; i < 50; ++i) {
        const auto id = "before" + std::to_string(i);
        ASSERT_EQ(set(id, "300ms").status, 201);
        acknowledged.insert(id);
    }
    faults_.fail(store_call::commit, store::store_code::no_space);
    faults_.fail(store_call::acquire, store::store_code::no_space);
    for (int i = 0; i < 5; ++i) {
        const auto r = set("during" + std::to_string(i));
        EXPECT_EQ(r.status, 503) << r.body;
        EXPECT_FALSE(json_member(r.body, "message").empty());
        EXPECT_EQ(r.headers.count("retry-after"), 1U);
    }
    EXPECT_TRUE(eventually([&] { return !ready(); }));
    EXPECT_EQ(json_member(ask("GET", "/readyz").body, "code"), "store_failing");
    EXPECT_TRUE(eventually([&] { return metric("foliot_store_errors_total") >= 1; }));
    faults_.clear();
    EXPECT_TRUE(eventually([&] { return ready(); }));
    EXPECT_EQ(set("after", "1ms").status, 201);
    acknowledged.insert("after");
    EXPECT_TRUE(all_delivered(acknowledged));
    EXPECT_TRUE(eventually([&] { return metric("foliot_timers_overdue") == 0; }));
}

TEST_F(faults, a_commit_that_failed_after_it_was_written_is_not_lost_and_not_told_as_done) {
    start();
    faults_.fail_after(store_call::commit, store::store_code::unavailable, 1);
    EXPECT_EQ(set("x").status, 503);
    ASSERT_TRUE(eventually([&] { return ready(); }));
    EXPECT_EQ(ask("GET", "/v1/default/timers/x").status, 200);  // "may have been made": it was
}

TEST_F(faults, a_hanging_store_answers_503_turns_readiness_red_and_recovers_by_itself) {
    start();
    ASSERT_EQ(set("before", "200ms").status, 201);
    faults_.hang(store_call::commit);
    EXPECT_EQ(set("during", "200ms").status, 503);
    EXPECT_TRUE(eventually([&] { return !ready(); }));
    EXPECT_EQ(json_member(ask("GET", "/readyz").body, "code"), "store_slow");
    // Firing needs no commit: what was acknowledged comes on time meanwhile.
    EXPECT_THAT(lease().body, HasSubstr("\"before\""));
    faults_.clear();
    EXPECT_TRUE(eventually([&] { return ready(); }));
    EXPECT_EQ(set("after", "1ms").status, 201);
    EXPECT_TRUE(all_delivered({"after"}));
    EXPECT_TRUE(eventually([&] { return metric("foliot_timers_overdue") == 0; }));
}

TEST_F(faults, overdue_timers_fire_when_a_dead_store_comes_back_at_the_start) {
    start();
    std::set<std::string> ids;
    for (int i = 0; i < 100; ++i) {
        const auto id = "t" + std::to_string(i);
        ASSERT_EQ(set(id, "100ms").status, 201);
        ids.insert(id);
    }
    server_.reset();
    std::this_thread::sleep_for(150ms);
    faults_.fail(store_call::acquire);
    server_ = std::make_unique<server::server>(config_, std::make_unique<forwarding_store>(faults_),
                                               log_);
    ASSERT_TRUE(server_->start());
    EXPECT_FALSE(server_->wait_ready(300ms));
    EXPECT_EQ(ask("GET", "/readyz").status, 503);
    EXPECT_EQ(set("early").status, 503);
    faults_.clear();
    ASSERT_TRUE(server_->wait_ready(30s));
    EXPECT_TRUE(all_delivered(ids));
    EXPECT_EQ(metric("foliot_timers_overdue"), 0);
}

TEST_F(faults, a_batch_on_a_failing_store_tells_each_line) {
    start();
    faults_.fail(store_call::commit);
    std::string lines;
    for (int i = 0; i < 20; ++i) {
        lines += R"({"op":"set","id":"b)" + std::to_string(i) + R"(","delay":"1h"})" + "\n";
    }
    const auto r = ask("POST", "/v1/default/timers:batch", lines);
    EXPECT_EQ(r.status, 200);
    EXPECT_EQ(count_of(r.body, "\n"), 20U);
    EXPECT_EQ(count_of(r.body, "\"generation\""), 0U);
    EXPECT_EQ(count_of(r.body, "\"code\""), 20U);
}

TEST_F(faults, graceful_stop_answers_waiting_long_polls_and_ends_connections) {
    start();
    raw_client idle(port());
    EXPECT_EQ(idle.ask("GET", "/healthz").status, 200);
    std::vector<std::future<raw_response>> waiting;
    for (int i = 0; i < 20; ++i) {
        waiting.push_back(std::async(std::launch::async, [this] { return lease(1, "60s"); }));
    }
    ASSERT_TRUE(eventually([&] {
        return metric(R"(foliot_queue_waiting_consumers{ns="default",queue="default"})") == 20;
    }));
    EXPECT_EQ(server_->stop(), server::stop_outcome::clean);
    for (auto& w : waiting) {
        const auto r = w.get();
        EXPECT_THAT(r.status, testing::AnyOf(200, 503));
        ASSERT_EQ(r.headers.count("connection"), 1U);
        EXPECT_EQ(r.headers.at("connection"), "close");
    }
    EXPECT_TRUE(idle.closed_within(10s));
    EXPECT_FALSE(raw_client(port()).ask("GET", "/healthz").status == 200);
}

TEST_F(faults, a_request_that_arrived_before_a_stop_is_answered) {
    start();
    std::vector<std::unique_ptr<raw_client>> clients;
    for (int i = 0; i < 50; ++i) {
        clients.push_back(std::make_unique<raw_client>(port()));
        ASSERT_EQ(clients.back()->ask("GET", "/healthz").status, 200);
    }
    for (auto& c : clients) ASSERT_TRUE(c->send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_EQ(server_->stop(), server::stop_outcome::clean);
    for (auto& c : clients) EXPECT_EQ(c->read().status, 200);
}

TEST_F(faults, what_was_acknowledged_before_a_stop_is_there_after_the_next_start) {
    start();
    std::vector<std::thread> writers;
    std::mutex mutex;
    std::set<std::string> acknowledged;
    for (int w = 0; w < 4; ++w) {
        writers.emplace_back([&, w] {
            raw_client client(port());
            for (int i = 0;; ++i) {
                const auto id = std::to_string(w) + "-" + std::to_string(i);
                const auto r = client.ask("PUT", "/v1/default/timers/" + id, R"({"delay":"1h"})");
                if (r.status != 201) return;
                const std::lock_guard lock(mutex);
                acknowledged.insert(id);
            }
        });
    }
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(server_->stop(), server::stop_outcome::clean);
    for (auto& w : writers) w.join();
    restart();
    EXPECT_GT(acknowledged.size(), 4U);
    raw_client client(port());
    for (const auto& id : acknowledged) {
        EXPECT_EQ(client.ask("GET", "/v1/default/timers/" + id).status, 200) << id;
    }
}

TEST_F(faults, a_stop_does_not_wait_for_ever_for_a_store_that_hangs) {
    config_.stop_timeout = 300ms;
    start();
    faults_.hang(store_call::commit);
    auto stuck = std::async(std::launch::async, [this] { return set("x"); });
    ASSERT_TRUE(faults_.wait_until_hanging(store_call::commit, 10s));
    EXPECT_EQ(server_->stop(), server::stop_outcome::timed_out);
    EXPECT_NE(stuck.get().status, 201);
    faults_.clear();
}

}  // namespace
}  // namespace foliot::test
