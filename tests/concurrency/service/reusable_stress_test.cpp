// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Threads that arm, cancel, destroy and make anew reusable timers about the time at which they fire.
#include "pauser.hpp"
#include "support/environment.hpp"

#include <foliot/service/reusable_timer.hpp>
#include <foliot/service/timer_service.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace foliot {
namespace {

using namespace std::chrono_literals;

struct books {
    std::atomic<std::uint64_t> run = 0;
    std::atomic<std::uint64_t> cancelled = 0;
    std::atomic<std::uint64_t> overlaps = 0;  // runs of one callback at a time: none
};

// Its owner destroys it and makes it anew, under the lock; others arm and cancel it, under the same.
struct place {
    std::mutex mutex;
    std::unique_ptr<reusable_timer> timer;
    std::atomic<bool> inside = false;

    void make(timer_service& service, books& b, std::uint64_t kind) {
        timer = std::make_unique<reusable_timer>(service, [this, &b, kind] {
            if (inside.exchange(true)) ++b.overlaps;
            ++b.run;
            if (kind % 8 == 1) std::this_thread::sleep_for(std::chrono::microseconds(300));
            inside = false;
            if (kind % 8 == 2) throw std::runtime_error("a callback that throws");
        });
    }
};

TEST(reusable_stress, every_arming_ends_once_and_the_counts_add_up) {
    const std::uint64_t seed = seed_or(20260101);
    const pauser pauses;
    timer_service service({.tick = std::chrono::microseconds(100), .queue_limit = 64});
    books b;
    std::vector<place> places(64);
    for (std::size_t i = 0; i < places.size(); ++i) places[i].make(service, b, i);
    std::atomic<bool> enough = false;

    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            std::mt19937_64 random(seed + i);
            const auto cancelled = [&](cancel_result r) {
                if (r == cancel_result::cancelled) ++b.cancelled;
            };
            for (std::uint64_t n = 0; !enough; ++n) {
                if (n % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
                place& p = places[random() % places.size()];
                const std::lock_guard held(p.mutex);
                const std::uint64_t what = random() % 16;
                if (what < 9) {
                    p.timer->after(std::chrono::microseconds(random() % 1000));
                } else if (what < 14) {
                    cancelled(p.timer->cancel());
                } else if (what == 14) {
                    cancelled(p.timer->cancel_and_wait());
                } else {
                    cancelled(p.timer->cancel());
                    p.make(service, b,
                           random());  // the one before is destroyed, maybe while it runs
                }
            }
        });
    }
    std::this_thread::sleep_for(stress_time_or(20s) / 4);
    enough = true;
    for (std::thread& thread : threads) thread.join();
    service_metrics m = service.metrics();
    while (m.pending + m.due + m.running > 0) {
        std::this_thread::sleep_for(1ms);
        m = service.metrics();
    }
    std::printf("run %llu, cancelled %llu\n", static_cast<unsigned long long>(b.run),
                static_cast<unsigned long long>(b.cancelled));
    EXPECT_GT(b.run, 0U);
    EXPECT_EQ(b.overlaps, 0U);
    EXPECT_EQ(m.runs, b.run);
    EXPECT_EQ(m.completed, b.run);
    EXPECT_EQ(m.cancelled, b.cancelled);
    EXPECT_EQ(m.scheduled, m.completed + m.cancelled + m.rejected);
    for (place& p : places) p.timer.reset();
    EXPECT_EQ(service.metrics().scheduled, m.scheduled);
}

}  // namespace
}  // namespace foliot
