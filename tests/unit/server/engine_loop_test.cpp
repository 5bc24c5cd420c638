// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/engine_loop.hpp"
#include "server/store_workers.hpp"
#include "store/memory_store.hpp"

#include <gtest/gtest.h>

#include <future>
#include <optional>

namespace foliot::server {
namespace {

using namespace std::chrono_literals;
using replies = std::vector<engine::reply>;

/// A loop on a memory store.
class engine_loop_test : public testing::Test {
protected:
    ~engine_loop_test() override {
        loop_.join();
        workers_.stop();
    }

    void start() {
        workers_.start();
        loop_.start();
        for (int i = 0; i < 2000 && !loop_.stats()->engine.ready; ++i) {
            std::this_thread::sleep_for(5ms);
        }
        ASSERT_TRUE(loop_.stats()->engine.ready);
    }

    struct asked {
        std::shared_ptr<open_call> call;
        std::future<replies> answer;
    };
    asked ask(std::vector<engine::command> commands) {
        auto promise = std::make_shared<std::promise<replies>>();
        auto future = promise->get_future();
        auto call =
            std::make_shared<open_call>([promise](replies r) { promise->set_value(std::move(r)); });
        loop_.submit(call, std::move(commands));
        return {std::move(call), std::move(future)};
    }
    static std::optional<replies> wait(asked& a) {
        if (a.answer.wait_for(20s) != std::future_status::ready) return std::nullopt;
        return a.answer.get();
    }

    static engine::set_timer set(const std::string& id, std::chrono::nanoseconds delay = 1h) {
        return {"ns", id, "q", engine::after{delay}, "1", engine::payload_kind::json, {}};
    }

    logger log_{log_format::text, log_level::error};
    std::unique_ptr<store::due_store> store_ = store::make_memory_store();
    store_workers workers_{*store_, [this](engine::io_done r) { loop_.io_finished(std::move(r)); },
                           log_};
    engine_loop loop_{engine::options{}, [this](engine::io r) { workers_.run(std::move(r)); }};
};

TEST_F(engine_loop_test, answers_come_together_in_the_order_of_the_commands) {
    start();
    std::vector<engine::command> commands;
    for (int i = 0; i < 100; ++i) commands.emplace_back(set("t" + std::to_string(i)));
    commands.emplace_back(engine::get_timer{"ns", "t7"});
    auto a = ask(std::move(commands));
    const auto r = wait(a);
    ASSERT_TRUE(r);
    ASSERT_EQ(r->size(), 101U);
    for (std::size_t i = 0; i < 100; ++i) {
        const auto* answer = std::get_if<engine::timer_set>(&(*r)[i]);
        ASSERT_NE(answer, nullptr) << i;
        EXPECT_EQ(answer->id, "t" + std::to_string(i));
    }
    EXPECT_TRUE(std::holds_alternative<engine::timer_view>(r->back()));
}

TEST_F(engine_loop_test, a_hanging_loop_shows_in_since_step_and_recovers) {
    start();
    std::promise<void> release;
    loop_.post_task([&release] { release.get_future().wait(); });
    std::this_thread::sleep_for(800ms);
    EXPECT_GT(loop_.since_step(), 500ms);
    release.set_value();
    auto a = ask({set("x")});
    EXPECT_TRUE(wait(a));
    EXPECT_LT(loop_.since_step(), 500ms);
}

TEST_F(engine_loop_test, an_idle_loop_steps_at_least_every_half_second) {
    start();
    for (int i = 0; i < 20; ++i) {
        std::this_thread::sleep_for(50ms);
        EXPECT_LT(loop_.since_step(), 2s);
    }
}

TEST_F(engine_loop_test, stop_answers_a_waiting_lease_and_refuses_what_comes_later) {
    start();
    auto waiting = ask({engine::lease_timers{"ns", "q", 1, 60s, 30s}});
    loop_.request_stop();
    ASSERT_TRUE(loop_.wait_stopped(20s));
    const auto r = wait(waiting);
    ASSERT_TRUE(r);
    auto late = ask({set("late")});
    const auto refused = wait(late);
    ASSERT_TRUE(refused);
    const auto* failure = std::get_if<engine::failure>(&refused->front());
    ASSERT_NE(failure, nullptr);
    EXPECT_EQ(failure->code, engine::failure_code::stopping);
    EXPECT_FALSE(failure->message.empty());
}

TEST_F(engine_loop_test, join_answers_open_calls_and_later_ones) {
    start();
    auto waiting = ask({engine::lease_timers{"ns", "q", 1, 60s, 30s}});
    loop_.join();
    EXPECT_TRUE(wait(waiting));
    auto late = ask({set("late"), set("later")});
    const auto r = wait(late);
    ASSERT_TRUE(r);
    EXPECT_EQ(r->size(), 2U);
}

TEST_F(engine_loop_test, an_abandoned_lease_takes_no_delivery) {
    start();
    auto gone = ask({engine::lease_timers{"ns", "q", 1, 60s, 30s}});
    loop_.abandon(gone.call);
    auto stays = ask({engine::lease_timers{"ns", "q", 1, 60s, 30s}});
    auto s = ask({set("x", 10ms)});
    ASSERT_TRUE(wait(s));
    const auto r = wait(stays);
    ASSERT_TRUE(r);
    const auto* given = std::get_if<engine::deliveries>(&r->front());
    ASSERT_NE(given, nullptr);
    ASSERT_EQ(given->items.size(), 1U);
    EXPECT_EQ(given->items[0].token.id, "x");
}

}  // namespace
}  // namespace foliot::server
