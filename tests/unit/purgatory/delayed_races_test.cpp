// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Threads that watch, check, expire, cancel and stop, all at once: what is counted must add up.
#include <foliot/service/delayed_operations.hpp>

#include "support/environment.hpp"
#include "waiting_operation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace foliot {
namespace {

using namespace std::chrono_literals;
using test_support::waiting_operation;

constexpr std::size_t threads = 8;

template <class Work>
void on_threads(Work work) {
    std::vector<std::jthread> all;
    for (std::size_t t = 0; t < threads; ++t) all.emplace_back([&work, t] { work(t); });
}

// A cell of a table of conditions: an operation completes when it has been acknowledged.
struct request {
    std::atomic<int> acks{0};
    std::shared_ptr<waiting_operation> op = std::make_shared<waiting_operation>([this] {
        const bool met = acks.load() > 0;
        if (slow) std::this_thread::yield();
        return met;
    });
    bool slow = false;  // its look gives others the time to change what it has seen
    std::array<std::size_t, 2> keys{};
};

std::vector<request> requests(std::size_t count) {
    std::vector<request> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i].keys = {i % 61, 100 + i % 7};
    return all;
}

template <class Done>
void wait_until(Done done) {
    while (!done()) std::this_thread::sleep_for(1ms);
}

TEST(purgatory_races, each_operation_completes_once_by_whichever_comes_first) {
    const std::uint64_t s = seed_or(20'260'101);
    timer_service timers;
    delayed_operations<std::size_t> waiting(timers, {.parts = 4, .purge_threshold = 50});
    constexpr std::size_t count = 24'000;
    auto all = requests(count);
    std::atomic<std::size_t> completed = 0;
    on_threads([&](std::size_t t) {
        std::mt19937_64 random(s + t);
        for (std::size_t i = t; i < count; i += threads) {
            const std::chrono::microseconds timeout{random() % 3000};
            completed += waiting.try_complete_else_watch(all[i].op, all[i].keys, timeout) ? 1U : 0U;
            // One of those of the last while, of any thread; maybe not watched yet.
            request& r = all[i - random() % std::min<std::size_t>(i + 1, 100)];
            ++r.acks;
            completed += waiting.check_and_complete(r.keys[random() % 2]);
        }
    });
    wait_until([&] { return waiting.delayed() == 0; });
    wait_until([&] { return timers.metrics().running + timers.metrics().due == 0; });
    timers.stop();
    std::size_t expired = 0;
    for (const request& r : all) {
        EXPECT_EQ(r.op->completions, 1);
        expired += static_cast<std::size_t>(r.op->expirations);
    }
    EXPECT_EQ(completed + expired, count);
    EXPECT_GT(completed, count / 20);
    EXPECT_GT(expired, count / 20);
    EXPECT_EQ(timers.metrics().pending, 0U);
    EXPECT_EQ(timers.metrics().dropped, 0U);
    waiting.purge();
    EXPECT_EQ(waiting.watched(), 0U);
    for (const request& r : all) EXPECT_EQ(r.op.use_count(), 1);
}

TEST(purgatory_races, of_all_that_force_it_check_it_and_its_timeout_one_completes_it) {
    timer_service timers;
    delayed_operations<std::size_t> waiting(timers);
    constexpr std::size_t count = 5000;
    auto all = requests(count);
    std::atomic<std::size_t> completed = 0;
    std::size_t next = 0;
    const auto watch = [&]() noexcept {
        if (next == count) return;
        request& r = all[next++];
        waiting.try_complete_else_watch(r.op, r.keys, std::chrono::microseconds{next % 500});
    };
    watch();
    std::barrier sync(threads, watch);
    on_threads([&](std::size_t t) {
        for (request& r : all) {
            if (t == 0) {
                ++r.acks;
                completed += waiting.check_and_complete(r.keys[0]);
            } else {
                completed += r.op->force_complete() ? 1U : 0U;
            }
            sync.arrive_and_wait();
        }
    });
    wait_until([&] { return timers.metrics().running + timers.metrics().due == 0; });
    timers.stop();
    std::size_t expired = 0;
    for (const request& r : all) {
        EXPECT_EQ(r.op->completions, 1);
        expired += static_cast<std::size_t>(r.op->expirations);
    }
    EXPECT_EQ(completed + expired, count);
    EXPECT_EQ(waiting.delayed(), 0U);
}

TEST(purgatory_races, a_try_that_finds_another_inside_is_not_lost) {
    manual_service_clock clock;
    timer_service timers(test_support::driven_by(clock));
    delayed_operations<int> waiting(timers);
    constexpr int rounds = 2000;
    std::atomic<int> acks = 0;
    std::atomic<std::size_t> counted = 0;
    std::shared_ptr<waiting_operation> op;
    int missed = 0;
    int round = 0;
    const auto begin = [&] {
        acks = 0;
        counted = 0;
        op = std::make_shared<waiting_operation>([&] {
            const bool enough = acks == static_cast<int>(threads);
            std::this_thread::yield();  // the last acknowledgement may come here
            return enough;
        });
        waiting.try_complete_else_watch(op, {1, 2}, 1h);
    };
    begin();
    std::barrier sync(threads, [&]() noexcept {
        missed += op->completions == 1 && counted == 1 ? 0 : 1;
        ++round;
        op->force_complete();
        begin();
    });
    on_threads([&](std::size_t t) {
        for (int i = 0; i < rounds; ++i) {
            ++acks;
            counted += waiting.check_and_complete(t % 2 == 0 ? 1 : 2);
            sync.arrive_and_wait();
        }
    });
    EXPECT_EQ(round, rounds);
    EXPECT_EQ(missed, 0);
}

TEST(purgatory_races, a_condition_met_while_the_operation_is_being_watched_is_not_missed) {
    manual_service_clock clock;
    timer_service timers(test_support::driven_by(clock));
    delayed_operations<std::size_t> waiting(timers);
    constexpr std::size_t count = 20'000;
    auto all = requests(count);
    for (request& r : all) r.slow = true;
    std::atomic<std::size_t> completed = 0;
    // Two threads go along the same requests: one watches, one acknowledges.
    std::barrier sync(2);
    std::jthread acknowledging([&] {
        for (request& r : all) {
            sync.arrive_and_wait();
            ++r.acks;
            completed += waiting.check_and_complete(r.keys[1]);
        }
    });
    for (request& r : all) {
        sync.arrive_and_wait();
        completed += waiting.try_complete_else_watch(r.op, r.keys, 1h) ? 1U : 0U;
    }
    acknowledging.join();
    for (const request& r : all) EXPECT_EQ(r.op->completions, 1);
    EXPECT_EQ(completed, count);
    EXPECT_EQ(waiting.delayed(), 0U);
    EXPECT_EQ(timers.metrics().pending, 0U) << "a timeout was started, and not cancelled";
}

TEST(purgatory_races, cancels_completions_and_expirations_add_up) {
    const std::uint64_t s = seed_or(20'260'101);
    timer_service timers;
    delayed_operations<std::size_t> waiting(timers, {.parts = 2, .purge_threshold = 20});
    constexpr std::size_t count = 16'000;
    auto all = requests(count);
    std::atomic<std::size_t> completed = 0;
    std::atomic<std::size_t> cancelled = 0;
    on_threads([&](std::size_t t) {
        std::mt19937_64 random(s + t);
        for (std::size_t i = t; i < count; i += threads) {
            const std::chrono::microseconds timeout{random() % 5000};
            request& r = all[i];
            completed += waiting.try_complete_else_watch(r.op, r.keys, timeout) ? 1U : 0U;
            if (random() % 4 == 0) cancelled += waiting.cancel_for_key(r.keys[0]).size();
            request& other = all[random() % (i + 1)];
            ++other.acks;
            completed += waiting.check_and_complete(other.keys[1]);
        }
    });
    wait_until([&] { return waiting.delayed() == 0; });
    timers.stop();
    std::size_t expired = 0;
    std::size_t open = 0;
    for (const request& r : all) {
        EXPECT_LE(r.op->completions, 1);
        open += r.op->completed() ? 0U : 1U;
        expired += static_cast<std::size_t>(r.op->expirations);
    }
    EXPECT_EQ(open, cancelled);
    EXPECT_EQ(completed + expired + cancelled, count);
    EXPECT_GT(cancelled, 0U);
    waiting.purge();
    EXPECT_EQ(waiting.watched(), 0U);
}

// Refuses two jobs of three while it is busy; runs the others at once.
class busy_executor final : public executor {
public:
    [[nodiscard]] bool try_submit(const job& j) override {
        if (busy && ++asked % 3 != 0) return false;
        j();
        return true;
    }
    std::atomic<bool> busy = true;
    std::atomic<unsigned> asked = 0;
};

TEST(purgatory_races, timeouts_that_a_busy_service_rejects_come_again_until_all_have_expired) {
    const auto room = std::make_shared<busy_executor>();
    service_options o;
    o.tick = 1us;
    o.executor = room;
    o.when_full = overload::reject;
    timer_service timers(o);
    delayed_operations<std::size_t> waiting(timers, {.retry_after = 1us});
    constexpr std::size_t count = 16'000;
    auto all = requests(count);
    on_threads([&](std::size_t t) {
        for (std::size_t i = t; i < count; i += threads) {
            waiting.try_complete_else_watch(all[i].op, all[i].keys, 0s);
        }
    });
    room->busy = false;
    wait_until([&] { return waiting.delayed() == 0; });
    timers.stop();
    for (const request& r : all) EXPECT_EQ(r.op->expirations, 1);
    EXPECT_GT(timers.metrics().rejected, 0U);
}

TEST(purgatory_races, stopping_the_service_loses_timeouts_and_nothing_else) {
    for (int round = 0; round < 20; ++round) {
        timer_service timers;
        delayed_operations<std::size_t> waiting(timers);
        constexpr std::size_t count = 800;
        auto all = requests(count);
        std::atomic<std::size_t> begun = 0;
        std::size_t completed = 0;
        {
            std::jthread stopping([&] {
                wait_until([&] { return begun > count / 4; });
                timers.stop();
            });
            on_threads([&](std::size_t t) {
                for (std::size_t i = t; i < count; i += threads) {
                    ++begun;
                    const std::chrono::milliseconds timeout{i % 2 == 0 ? 1 : 100'000};
                    waiting.try_complete_else_watch(all[i].op, all[i].keys, timeout);
                }
            });
        }
        EXPECT_EQ(waiting.delayed(), 0U);
        for (request& r : all) ++r.acks;
        for (std::size_t key = 0; key < 61; ++key) completed += waiting.check_and_complete(key);
        std::size_t expired = 0;
        for (const request& r : all) {
            EXPECT_EQ(r.op->completions, 1);
            expired += static_cast<std::size_t>(r.op->expirations);
        }
        EXPECT_EQ(completed + expired, count);
    }
}

}  // namespace
}  // namespace foliot
