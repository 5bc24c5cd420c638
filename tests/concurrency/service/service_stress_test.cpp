// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Threads that make, cancel and move the same timers about the time at which they fire. Each timer
// counts what happened to it, so that the ends can be added up.
#include "pauser.hpp"
#include "support/environment.hpp"

#include <foliot/service/timer_service.hpp>
#include <foliot/wheel/bucket_queue_wheel.hpp>
#include <foliot/wheel/deadline_heap.hpp>
#include <foliot/wheel/hashed_wheel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace foliot {
namespace {

using namespace std::chrono_literals;

// What one thread made lately, where others find it.
class shelf {
public:
    void put(std::size_t at, timer t) {
        const std::lock_guard held(mutex_);
        timers_[at % timers_.size()] = t;
    }
    timer get(std::size_t at) const {
        const std::lock_guard held(mutex_);
        return timers_[at % timers_.size()];
    }

private:
    mutable std::mutex mutex_;
    std::vector<timer> timers_{256};
};

struct tally {
    std::atomic<std::uint64_t> made = 0;
    std::atomic<std::uint64_t> run = 0;
    std::atomic<std::uint64_t> thrown = 0;
    std::atomic<std::uint64_t> cancelled = 0;
    std::atomic<std::uint64_t> destroyed = 0;  // callbacks, each once
};

// A callback that counts its runs, and that it is destroyed. Some take long, some throw.
class callback {
public:
    callback(tally& t, std::uint32_t kind) : tally_(&t), kind_(kind) {}
    callback(callback&& other) noexcept
        : tally_(std::exchange(other.tally_, nullptr)), kind_(other.kind_) {}
    callback& operator=(callback&&) = delete;
    ~callback() {
        if (tally_ != nullptr) ++tally_->destroyed;
    }
    void operator()() {
        ++tally_->run;
        if (kind_ % 64 == 1) std::this_thread::sleep_for(1ms);
        if (kind_ % 16 == 2) {
            ++tally_->thrown;
            throw std::runtime_error("a callback that throws");
        }
    }

private:
    tally* tally_;
    std::uint32_t kind_;
};

template <class Service>
class service_stress : public testing::Test {};
using models =
    testing::Types<timer_service, basic_timer_service<hashed_wheel<>>,
                   basic_timer_service<bucket_queue_wheel>, basic_timer_service<deadline_heap>>;
TYPED_TEST_SUITE(service_stress, models);

TYPED_TEST(service_stress, every_timer_ends_once_and_the_counts_add_up) {
    const std::uint64_t seed = seed_or(20260101);
    constexpr std::size_t schedulers = 8;
    constexpr std::size_t cancellers = 8;
    const pauser pauses;
    tally t;
    service_options options;
    options.tick = 100us;
    options.queue_limit = 512;
    TypeParam service(options);
    std::vector<shelf> shelves(schedulers);
    std::atomic<bool> enough = false;

    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < schedulers; ++i) {
        threads.emplace_back([&, i] {
            std::mt19937_64 random(seed + i);
            for (std::size_t n = 0; !enough; ++n) {
                const auto delay = std::chrono::microseconds(random() % 2000);
                shelves[i].put(
                    n, service.after(delay, callback(t, static_cast<std::uint32_t>(random()))));
                ++t.made;
                if (n % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
                while (t.made > t.destroyed + 10'000 && !enough) std::this_thread::sleep_for(1ms);
            }
        });
    }
    for (std::size_t i = 0; i < cancellers; ++i) {
        threads.emplace_back([&, i] {
            std::mt19937_64 random(seed + 100 + i);
            for (std::size_t n = 0; !enough; ++n) {
                const timer victim = shelves[random() % schedulers].get(random());
                switch (random() % 8) {
                    case 0: victim.reschedule(std::chrono::microseconds(random() % 3000)); break;
                    case 1:
                        if (victim.cancel_and_wait() == cancel_result::cancelled) ++t.cancelled;
                        break;
                    default:
                        if (victim.cancel() == cancel_result::cancelled) ++t.cancelled;
                }
                if (n % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
        });
    }
    std::this_thread::sleep_for(stress_time_or(20s) / 4);
    enough = true;
    for (std::thread& thread : threads) thread.join();

    // What is left fires within some milliseconds; then the books must balance.
    while (true) {
        const service_metrics m = service.metrics();
        // A callback is destroyed a moment after its timer has ended.
        if (m.pending + m.due + m.running == 0 && t.destroyed == t.made) break;
        std::this_thread::sleep_for(1ms);
    }
    const service_metrics m = service.metrics();
    std::printf("made %llu, run %llu, cancelled %llu, rejected %llu, moved %llu\n",
                static_cast<unsigned long long>(t.made), static_cast<unsigned long long>(t.run),
                static_cast<unsigned long long>(t.cancelled),
                static_cast<unsigned long long>(m.rejected),
                static_cast<unsigned long long>(m.rescheduled));
    EXPECT_GT(t.run, 0U);
    EXPECT_GT(t.cancelled, 0U);
    EXPECT_EQ(m.scheduled, t.made);
    EXPECT_EQ(m.cancelled, t.cancelled);
    EXPECT_EQ(m.completed, t.run);
    EXPECT_EQ(m.runs, t.run);
    EXPECT_EQ(m.failures, t.thrown);
    EXPECT_EQ(t.run + t.cancelled + m.rejected, t.made);
    EXPECT_EQ(t.destroyed, t.made);
    EXPECT_EQ(m.lateness.count(), t.run);
}

// A producer that outruns the workers: memory stays bounded, and each policy does what it says.
TYPED_TEST(service_stress, a_producer_that_outruns_the_workers_is_bounded_under_each_policy) {
    for (const overload policy :
         {overload::block, overload::reject, overload::shed, overload::defer}) {
        tally t;
        service_options options;
        options.workers = 1;
        options.queue_limit = 64;
        options.backlog_limit = 64;
        options.block_time = 20ms;
        options.lock_limit = 32;
        options.defer_by = 5ms;
        options.when_full = policy;
        TypeParam service(options);
        const auto end = std::chrono::steady_clock::now() + stress_time_or(20s) / 40;
        std::size_t most_taken_out = 0;
        while (std::chrono::steady_clock::now() < end) {
            for (int i = 0; i < 16; ++i) {
                timer_options of;
                of.discardable = i % 2 == 0;
                service.after(0ms, callback(t, 1), of);  // each takes a millisecond
                ++t.made;
            }
            const service_metrics m = service.metrics();
            most_taken_out = std::max<std::size_t>(most_taken_out, m.due);
            std::this_thread::sleep_for(1ms);
        }
        const service_metrics m = service.metrics();
        switch (policy) {
            case overload::block: EXPECT_LE(most_taken_out, 64U + 64 + 32 + 1); break;
            case overload::reject: EXPECT_GT(m.rejected, 0U); break;
            case overload::shed: EXPECT_GT(m.shed, 0U); break;
            case overload::defer: EXPECT_GT(m.deferred, 0U); break;
        }
        if (policy != overload::block) {
            EXPECT_LE(most_taken_out, 64U + 32 + 16);
        }
        service.stop();
        const service_metrics all = service.metrics();
        EXPECT_EQ(all.scheduled, t.made);
        EXPECT_EQ(all.completed + all.rejected + all.shed + all.dropped, t.made);
        EXPECT_EQ(t.destroyed, t.made);
    }
}

TYPED_TEST(service_stress, stop_returns_while_callbacks_run_and_others_schedule) {
    for (int round = 0; round < 20; ++round) {
        tally t;
        auto service = std::make_unique<TypeParam>();
        std::atomic<int> stopped = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                std::mt19937_64 random(static_cast<std::uint64_t>(round * 10 + i));
                try {
                    while (true) {
                        const auto delay = std::chrono::microseconds(random() % 3000);
                        service->after(delay, callback(t, static_cast<std::uint32_t>(random())));
                        ++t.made;
                    }
                } catch (const service_stopped&) {
                    ++t.made;  // its callback is destroyed too
                    ++stopped;
                }
            });
        }
        std::this_thread::sleep_for(5ms);
        service->stop();
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(stopped, 4);
        const service_metrics m = service->metrics();
        EXPECT_EQ(m.pending + m.due + m.running, 0U);
        EXPECT_EQ(m.completed + m.dropped + m.rejected, m.scheduled);
        EXPECT_EQ(t.destroyed, t.made);
    }
}

}  // namespace
}  // namespace foliot
