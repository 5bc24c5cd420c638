// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace foliot::detail {

/// A mutex for some dozens of instructions. One atomic instruction for each use of it, where
/// std::mutex takes two and two calls: that is a fifth of what a cancel and a new wait cost
/// together. Who does not get it looks again some times, then yields, then sleeps in short naps, in
/// case that its holder was stopped.
class short_lock {
public:
    short_lock() = default;
    short_lock(const short_lock&) = delete;
    short_lock& operator=(const short_lock&) = delete;

    [[gnu::always_inline]] void lock() noexcept {
        if (held_.exchange(true, std::memory_order_acquire)) [[unlikely]]
            wait();
    }
    [[gnu::always_inline]] void unlock() noexcept { held_.store(false, std::memory_order_release); }

private:
    static constexpr int looks = 100;
    static constexpr int yields = 20;
    static constexpr std::chrono::microseconds nap{50};

    [[gnu::noinline, gnu::cold]] void wait() noexcept {
        for (int round = 0;; ++round) {
            for (int i = 0; i < looks; ++i) {
                if (!held_.load(std::memory_order_relaxed) &&
                    !held_.exchange(true, std::memory_order_acquire)) {
                    return;
                }
            }
            if (round < yields) {
                std::this_thread::yield();
            } else {
                std::this_thread::sleep_for(nap);
            }
        }
    }

    std::atomic<bool> held_ = false;
};

}  // namespace foliot::detail
