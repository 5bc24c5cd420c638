// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/executor.hpp>

#include <cstddef>
#include <deque>
#include <optional>

namespace foliot {

// Takes jobs up to a limit, and runs them when the test says so.
class held_executor final : public executor {
public:
    explicit held_executor(std::size_t limit) : limit_(limit) {}
    ~held_executor() override { drop_all(); }

    [[nodiscard]] bool try_submit(const job& j) override {
        if (held_.size() >= limit_) return false;
        held_.push_back(j);
        return true;
    }
    [[nodiscard]] std::optional<job> evict(priority urgency) override {
        for (auto at = held_.begin(); at != held_.end(); ++at) {
            if (!at->discardable() || at->urgency() < urgency) continue;
            const job j = *at;
            held_.erase(at);
            return j;
        }
        return std::nullopt;
    }
    void stop() noexcept override { drop_all(); }

    void run_one() {
        const job j = held_.front();
        held_.pop_front();
        j();
    }
    [[nodiscard]] std::size_t size() const { return held_.size(); }

private:
    void drop_all() noexcept {
        while (!held_.empty()) {
            const job j = held_.front();
            held_.pop_front();
            j.drop();
        }
    }
    std::size_t limit_;
    std::deque<job> held_;
};

}  // namespace foliot
