// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <cstddef>

namespace foliot::detail {

/// Where a queue stands, and the pass that is under way: what all models have in common.
/// timer_queue.hpp says what a pass is.
struct pass {
    explicit pass(tick start) noexcept : cursor(start), target(start) {}

    tick cursor;
    tick target;  ///< the latest pass goes, or went, up to here
    bool unfinished = false;
    bool advancing = false;  ///< inside advance: the sink may be running

    /// One call of a queue's advance. `begin()` starts a pass towards `target`; `run()` works on it
    /// and says whether it is finished.
    template <class Begin, class Run>
    bool advance(tick now, Begin&& begin, Run&& run) {
        require(!advancing, "advance: called from its own sink");
        if (now < target) return !unfinished;
        const guard inside(advancing);
        if (unfinished) {
            if (!run()) return false;
            unfinished = false;
        }
        target = now;
        unfinished = true;
        begin();
        if (!run()) return false;
        unfinished = false;
        return true;
    }

    void reset(tick to) noexcept {
        require(!advancing, "clear or reset: called from a sink");
        *this = pass(to);
    }

private:
    struct guard {
        explicit guard(bool& flag) noexcept : flag_(flag) { flag_ = true; }
        ~guard() { flag_ = false; }
        guard(const guard&) = delete;
        guard& operator=(const guard&) = delete;
        bool& flag_;
    };
};

}  // namespace foliot::detail
