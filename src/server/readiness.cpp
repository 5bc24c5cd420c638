// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/readiness.hpp"

#include <algorithm>
#include <utility>

namespace foliot::server {
namespace {

std::string in_ms(std::chrono::nanoseconds t) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(t).count()) + " ms";
}

}  // namespace

void backlog_watch::observe(std::chrono::nanoseconds now, std::uint64_t overdue) {
    if (overdue == 0) {
        low_ = 0;
    } else if (low_ == 0 || overdue < low_) {
        low_ = overdue;
        since_ = now;
    }
}

std::chrono::nanoseconds backlog_watch::stuck_for(std::chrono::nanoseconds now) const {
    return low_ == 0 ? std::chrono::nanoseconds{0} : now - since_;
}

verdict judge(const vital_signs& s, const ready_options& o) {
    if (s.stopping) return {false, "stopping", "the server is going down"};
    if (s.since_step > o.max_stall) {
        return {false, "stalled",
                "the loop that fires timers has made no step for " + in_ms(s.since_step)};
    }
    if (s.store_failing) return {false, "store_failing", "the store failed: " + s.store_error};
    if (s.store_call > o.max_stall) {
        return {false, "store_slow", "a call of the store runs for " + in_ms(s.store_call)};
    }
    if (!s.loaded) return {false, "loading", "the timers are being loaded from the store"};
    // Under load there may always be some timers that became due just now: that is no backlog.
    if (s.backlog_stuck > o.max_overdue && s.behind > o.max_overdue) {
        auto message = std::to_string(s.overdue) +
                       " timers are due and not offered, and not fewer for " +
                       in_ms(s.backlog_stuck);
        if (!s.read_error.empty()) message += "; the store cannot be read: " + s.read_error;
        return {false, "backlog", std::move(message)};
    }
    if (s.disagreements > 0) {
        return {false, "disagreement",
                "the self-check found that store and memory disagree in " +
                    std::to_string(s.disagreements) + " places; the first: " +
                    s.first_disagreement + ". A restart reads the store anew"};
    }
    return {true, "", ""};
}

}  // namespace foliot::server
