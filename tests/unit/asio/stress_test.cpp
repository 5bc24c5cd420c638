// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Threads that use timers of their own while others run the context: each wait must end exactly
// once.
#include "support/environment.hpp"
#include "timers.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <thread>

namespace foliot::test {
namespace {

struct totals {
    std::atomic<std::uint64_t> started = 0;
    std::atomic<std::uint64_t> expired = 0;
    std::atomic<std::uint64_t> aborted = 0;
    std::atomic<std::uint64_t> cancelled = 0;  // as the calls say
    std::atomic<std::uint64_t> early = 0;
};

/// Some timers that one thread, or strand, uses.
template <class Timer>
class user {
public:
    user(asio::io_context& io, totals& t, std::uint64_t seed)
        : io_(io), totals_(t), random_(seed), strand_(asio::make_strand(io)) {
        for (auto& timer : timers_) timer.emplace(io_);
    }

    void step() {
        std::optional<Timer>& t = timers_[random_() % timers_.size()];
        switch (random_() % 10) {
            case 0: totals_.cancelled += t->cancel(); break;
            case 1: totals_.cancelled += t->cancel_one(); break;
            case 2: t.emplace(io_); break;
            case 3: {
                auto& other = timers_[random_() % timers_.size()];
                if (&other != &t) *other = std::move(*t);
                break;
            }
            default:
                totals_.cancelled += t->expires_after(std::chrono::microseconds(
                    random_() % 4 == 0 ? 3'600'000'000 : random_() % 3000));
                for (auto n = random_() % 3; n != 0; --n) wait(*t);
                break;
        }
    }
    void finish() {
        for (auto& timer : timers_) timer.reset();
    }
    auto& strand() { return strand_; }

private:
    void wait(Timer& t) {
        ++totals_.started;
        const auto handler = [&all = totals_, due = t.expiry()](const error_code& ec) {
            ++(ec ? all.aborted : all.expired);
            if (!ec && clock::now() < due) ++all.early;
        };
        switch (random_() % 3) {
            case 0: t.async_wait(asio::bind_executor(strand_, handler)); break;
            default: t.async_wait(handler); break;
        }
    }

    asio::io_context& io_;
    totals& totals_;
    std::mt19937_64 random_;
    asio::strand<asio::io_context::executor_type> strand_;
    std::array<std::optional<Timer>, 60> timers_;
};

template <class Timer>
class stress : public testing::Test {};
TYPED_TEST_SUITE(stress, timer_types, timer_names);

TYPED_TEST(stress, each_wait_ends_once) {
    const std::uint64_t seed = seed_or(std::random_device()());
    asio::io_context io;
    totals all;
    auto work = std::make_optional(asio::make_work_guard(io));
    std::vector<std::thread> running;
    for (int i = 0; i < 4; ++i) running.emplace_back([&] { io.run(); });

    // Two threads, and two strands, each with timers of its own.
    std::vector<std::unique_ptr<user<TypeParam>>> users;
    for (std::uint64_t u = 0; u < 4; ++u) {
        users.push_back(std::make_unique<user<TypeParam>>(io, all, seed * 4 + u));
    }
    std::vector<std::thread> threads;
    for (std::size_t u = 0; u < 2; ++u) {
        threads.emplace_back([&, u] {
            for (int i = 0; i < 30000; ++i) users[u]->step();
            users[u]->finish();
        });
    }
    std::function<void(std::size_t, int)> on_strand = [&](std::size_t u, int left) {
        asio::post(users[u]->strand(), [&, u, left] {
            for (int i = 0; i < 20; ++i) users[u]->step();
            left > 0 ? on_strand(u, left - 1) : users[u]->finish();
        });
    };
    on_strand(2, 1500);
    on_strand(3, 1500);

    for (std::thread& t : threads) t.join();
    work.reset();
    for (std::thread& t : running) t.join();
    EXPECT_EQ(all.expired + all.aborted, all.started);
    EXPECT_GE(all.aborted, all.cancelled);
    EXPECT_EQ(all.early, 0U);
    EXPECT_GT(all.expired, 0U);
    EXPECT_GT(all.cancelled, 0U);
}

// On a strand: signals may be used where handlers run one at a time.
TYPED_TEST(stress, cancellation_slots_and_expiry_race) {
    asio::io_context io;
    std::atomic<std::uint64_t> ended = 0;
    constexpr int chains = 8;
    constexpr int rounds = 1000;
    struct chain {
        explicit chain(asio::io_context& io_) : strand(asio::make_strand(io_)), timer(strand) {}
        asio::strand<asio::io_context::executor_type> strand;
        typename TypeParam::template rebind_executor<
            asio::strand<asio::io_context::executor_type>>::other timer;
        asio::cancellation_signal signal;
        std::function<void()> next;
        int left = rounds;
    };
    std::vector<std::unique_ptr<chain>> all;
    for (int i = 0; i < chains; ++i) {
        all.push_back(std::make_unique<chain>(io));
        chain& c = *all.back();
        c.next = [&c, &ended] {
            if (c.left-- == 0) return;
            c.timer.expires_after(std::chrono::microseconds(c.left % 5 * 250));
            c.timer.async_wait(
                asio::bind_cancellation_slot(c.signal.slot(), [&](const error_code&) {
                    ++ended;
                    c.next();
                }));
            asio::post(c.strand, [&c] { c.signal.emit(asio::cancellation_type::terminal); });
        };
        asio::post(c.strand, c.next);
    }
    std::vector<std::thread> running;
    for (int i = 0; i < 4; ++i) running.emplace_back([&] { io.run(); });
    for (std::thread& t : running) t.join();
    EXPECT_EQ(ended, std::uint64_t{chains} * rounds);
}

}  // namespace
}  // namespace foliot::test
