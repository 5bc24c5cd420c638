// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace foliot::interleaving {

/// One call of a history: what it was and came to, and when it began and ended.
template <class Step>
struct call {
    Step what;
    std::uint32_t from;
    std::uint32_t to;
};

/// Whether the calls, each taken as one moment between its beginning and its end, can be put into
/// an order which `apply(state, step)` accepts: false if the step cannot be, or cannot come to
/// that, in that state; else it has changed the state. The search of Wing and Gong, with a memory
/// of what was tried (Lowe). `accept(state)` has the last word. At most 64 calls; State needs ==.
template <class State, class Step, class Apply, class Accept>
class order_search {
public:
    order_search(std::span<const call<Step>> calls, Apply apply, Accept accept)
        : calls_(calls), apply_(std::move(apply)), accept_(std::move(accept)) {
        foliot::detail::require(calls.size() <= 64, "a history of more than 64 calls");
    }

    [[nodiscard]] bool exists(const State& begin) { return from(begin, 0); }

private:
    struct tried {
        std::uint64_t done;
        State state;
        friend bool operator==(const tried&, const tried&) = default;
    };

    bool from(const State& state, std::uint64_t done) {
        std::uint32_t first_end = 0xFFFF'FFFF;
        bool all = true;
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            if (((done >> i) & 1) != 0) continue;
            all = false;
            first_end = std::min(first_end, calls_[i].to);
        }
        if (all) return accept_(state);
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            if (((done >> i) & 1) != 0 || calls_[i].from > first_end) continue;
            State next = state;
            if (!apply_(next, calls_[i].what)) continue;
            const std::uint64_t then = done | (std::uint64_t{1} << i);
            const tried now{then, next};
            if (std::find(dead_ends_.begin(), dead_ends_.end(), now) != dead_ends_.end()) continue;
            if (from(next, then)) return true;
            dead_ends_.push_back(now);
        }
        return false;
    }

    std::span<const call<Step>> calls_;
    Apply apply_;
    Accept accept_;
    std::vector<tried> dead_ends_;
};

template <class State, class Step, class Apply, class Accept>
[[nodiscard]] bool linearizable(std::span<const call<Step>> calls, const State& begin, Apply apply,
                                Accept accept) {
    return order_search<State, Step, Apply, Accept>(calls, std::move(apply), std::move(accept))
        .exists(begin);
}

}  // namespace foliot::interleaving
