// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/interleaving/objects.hpp"

#include <foliot/service/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace foliot {

/// Has room for a few jobs, which are run by who calls run().
class small_executor final : public executor {
public:
    /// One that does not stop leaves it to who calls run() to run what it has.
    explicit small_executor(std::size_t room, bool stops = true) : room_(room), stops_(stops) {}

    [[nodiscard]] bool try_submit(const job& j) override {
        const std::lock_guard held(mutex_);
        if (stopped_ || jobs_.size() >= room_) return false;
        jobs_.push_back(j);
        return true;
    }
    [[nodiscard]] std::optional<job> evict(priority) override {
        const std::lock_guard held(mutex_);
        const auto at =
            std::find_if(jobs_.begin(), jobs_.end(), [](const job& j) { return j.discardable(); });
        if (at == jobs_.end()) return std::nullopt;
        const job j = *at;
        jobs_.erase(at);
        return j;
    }
    void stop() noexcept override {
        if (!stops_) return;
        std::deque<job> left;
        {
            std::unique_lock held(mutex_);
            stopped_ = true;
            left.swap(jobs_);
        }
        for (const job& j : left) j.drop();
        std::unique_lock held(mutex_);
        quiet_.wait(held, [&] { return running_ == 0; });
    }

    /// All that wait.
    void run() {
        while (const auto j = next()) {
            (*j)();
            const std::lock_guard held(mutex_);
            --running_;
            quiet_.notify_all();
        }
    }

private:
    std::optional<job> next() {
        const std::lock_guard held(mutex_);
        if (jobs_.empty()) return std::nullopt;
        const job j = jobs_.front();
        jobs_.pop_front();
        ++running_;
        return j;
    }

    const std::size_t room_;
    const bool stops_;
    interleaving::mutex mutex_;
    interleaving::condition_variable quiet_;
    std::deque<job> jobs_;
    int running_ = 0;
    bool stopped_ = false;
};

}  // namespace foliot
