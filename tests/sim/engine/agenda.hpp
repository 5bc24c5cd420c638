// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/random.hpp"

#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace foliot::sim {

/// What is to happen, in order of time; what is at the same time, in the order in which it was
/// planned. Its clock jumps from one event to the next.
class agenda {
public:
    [[nodiscard]] ns now() const { return now_; }

    void after(ns delay, std::function<void()> what) {
        events_.push({now_ + delay, ++planned_, std::move(what)});
    }

    [[nodiscard]] bool empty() const { return events_.empty(); }
    [[nodiscard]] ns next_at() const { return events_.top().at; }

    void run_one() {
        auto what = std::move(const_cast<event&>(events_.top()).what);
        now_ = events_.top().at;
        events_.pop();
        what();
    }

private:
    struct event {
        ns at;
        std::uint64_t order;
        std::function<void()> what;

        bool operator<(const event& other) const {  // the queue gives the greatest first
            return at != other.at ? at > other.at : order > other.order;
        }
    };

    ns now_{};
    std::uint64_t planned_ = 0;
    std::priority_queue<event> events_;
};

}  // namespace foliot::sim
