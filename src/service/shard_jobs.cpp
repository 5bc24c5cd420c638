// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// The way of a timer from due on: its job is run, put off, or ends without having run.
#include <foliot/service/detail/shard.hpp>

#include "busy_with.hpp"

#include <algorithm>
#include <memory>

namespace foliot::detail {

namespace {

using std::chrono::nanoseconds;
using state = timer_node::state;

// The next time on its grid after the one that fired; one that is over if what was missed is made up
// for.
nanoseconds next_on_grid(const timer_node& node, missed policy, nanoseconds now) {
    const nanoseconds next = saturating_sum(node.deadline, node.period);
    if (next > now || policy == missed::all) return next;
    const nanoseconds::rep rounds = (now - node.deadline) / node.period;
    const nanoseconds latest = node.deadline + rounds * node.period;
    return policy == missed::once ? latest : saturating_sum(latest, node.period);
}

}  // namespace

void shard::act(void* timer, std::uint64_t ticket, job_fate fate) noexcept {
    auto& node = *static_cast<timer_node*>(timer);
    if (fate == job_fate::run) return node.home.run(node, ticket);
    node.home.end(node, ticket, fate);
}

void job_access::put_off(const job& j, nanoseconds by) noexcept {
    auto& node = *static_cast<timer_node*>(j.timer_);
    node.home.put_off(node, j.ticket_, by);
}

void shard::run(timer_node& node, std::uint64_t ticket) noexcept {
    // The callback may destroy the last handle of the service.
    const std::shared_ptr<const void> alive = around_.owner.lock();
    const nanoseconds begin = around_.clock->steady();
    task* const callback = start(node, ticket, begin);
    if (callback == nullptr) return end(node, ticket, job_fate::stop);
    bool failed = false;
    {
        const busy_with here(
            node, callback == &node.callback ? busy_with::by::running : busy_with::by::standing_in);
        try {
            (*callback)();
        } catch (...) {
            failed = true;
            if (around_.on_failure) around_.on_failure(std::current_exception());
        }
    }
    finish(node, around_.clock->steady() - begin, failed);
}

task* shard::start(timer_node& node, std::uint64_t ticket, nanoseconds begun) {
    const nanoseconds t = around_.wall ? now() : begun;
    const lock held(mutex_);
    if (closed_ || node.now != state::due || node.ticket != ticket) return nullptr;
    running_.push_back({&node, begun, false});
    node.now = state::running;
    --counts_.due;
    ++counts_.runs;
    counts_.lateness.add(saturating_sum(t, -node.deadline));
    if (node.partner == nullptr) return &node.callback;
    node.partner->now = state::running;
    return &node.partner->callback;
}

void shard::finish(timer_node& node, nanoseconds took, bool failed) noexcept {
    aftermath after;
    {
        remains left;
        const lock held(mutex_);
        *std::find_if(running_.begin(), running_.end(),
                      [&](const run_begun& run) { return run.node == &node; }) = running_.back();
        running_.pop_back();
        counts_.failures += failed ? 1 : 0;
        counts_.duration.add(took);
        const bool repeats = node.period.count() > 0;
        if (repeats && !node.ends && !closed_) {
            node.deadline = next_on_grid(node, node.policy, now());
            rearm(node, node.deadline, after, left);
        } else {
            ++(repeats && node.ends && !closed_ ? counts_.cancelled : counts_.completed);
            timer_node* const kept = node.partner;
            left.node = finished_with(node);
            if (kept != nullptr && kept->again != timer_node::not_again && !closed_)
                arm_again(*kept, after);
        }
    }
    finished_.notify_all();
    attend_to(after);
}

void shard::put_off(timer_node& node, std::uint64_t ticket, nanoseconds by) noexcept {
    aftermath after;
    {
        remains left;
        const lock held(mutex_);
        if (node.now != state::due || node.ticket != ticket) return;
        --counts_.due;
        if (closed_) {
            ++counts_.dropped;
            left.node = finished_with(node);
        } else if (rearm(node, saturating_sum(now(), by), after, left)) {
            ++counts_.deferred;
        }
    }
    attend_to(after);
}

// One that is due, and not run. A periodic one loses this time only, whatever its policy is: to make
// up for it would be to come back at once.
void shard::end(timer_node& node, std::uint64_t ticket, job_fate fate) noexcept {
    aftermath after;
    {
        remains left;
        const lock held(mutex_);
        if (node.now != state::due || node.ticket != ticket) return;
        --counts_.due;
        if (closed_ || fate == job_fate::stop) {
            ++counts_.dropped;
            left.node = finished_with(node);
        } else {
            after.rejected = fate == job_fate::reject;
            if (node.period.count() > 0) {
                node.deadline = next_on_grid(node, missed::skip, now());
                if (rearm(node, node.deadline, after, left)) ++counts_.skipped;
            } else {
                ++(fate == job_fate::shed ? counts_.shed : counts_.rejected);
                left.node = finished_with(node);
            }
        }
    }
    attend_to(after);
}

bool shard::rearm(timer_node& node, nanoseconds due, aftermath& after, remains& left) noexcept {
    const tick t = tick_of(due);
    try {
        arm(node, t);
    } catch (...) {  // no memory
        ++counts_.rejected;
        after.rejected = true;
        left.node = finished_with(node);
        return false;
    }
    node.now = state::pending;
    after.earlier = tell(t);
    return true;
}

void shard::attend_to(const aftermath& after) {
    if (after.earlier) around_.on_earlier(*this, *after.earlier);
    if (after.rejected && around_.on_rejected) around_.on_rejected();
}

}  // namespace foliot::detail
