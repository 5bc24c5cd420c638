// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/timer_node.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace foliot::detail {

// The timers of a shard that became due, in that order, to say which has waited longest for a worker.
// Those that do not wait any more are left out when they are met. Not thread-safe.
//
// Time:    O(1), amortized.
// Memory:  16 bytes for each that waits, up to three times that when many have been run out of order.
class due_log {
public:
    /// Room for so many more, beside `waiting` that are in it; std::bad_alloc.
    void reserve(std::size_t more, std::size_t waiting) {
        skip_void();
        if (first_ > 64 && first_ >= entries_.size() / 2) {
            entries_.erase(entries_.begin(),
                           entries_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        if (entries_.size() - first_ > 2 * waiting + 64) {
            std::erase_if(entries_, [](const entry& e) { return e.is_void(); });
            first_ = 0;
        }
        if (entries_.capacity() < entries_.size() + more) {
            entries_.reserve(2 * entries_.size() + more);
        }
    }
    void add(const timer_node& node) noexcept { entries_.push_back({&node, node.ticket}); }

    /// When the one that has waited longest was to fire.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> oldest() {
        skip_void();
        if (first_ == entries_.size()) return std::nullopt;
        return entries_[first_].node->deadline;
    }

private:
    struct entry {
        const timer_node* node;
        std::uint64_t ticket;
        [[nodiscard]] bool is_void() const noexcept {
            return node->ticket != ticket || node->now != timer_node::state::due;
        }
    };

    void skip_void() noexcept {
        while (first_ < entries_.size() && entries_[first_].is_void()) ++first_;
    }

    std::vector<entry> entries_;
    std::size_t first_ = 0;  // those before it are void
};

}  // namespace foliot::detail
