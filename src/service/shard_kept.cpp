// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// The nodes of reusable_timers.
#include <foliot/service/detail/shard.hpp>

#include "busy_with.hpp"

#include <utility>

namespace foliot::detail {

namespace {

using std::chrono::nanoseconds;
using state = timer_node::state;

// Without a look at the third cache line where it has none.
std::uint64_t group_of(const timer_node& kept) noexcept { return kept.of_group ? kept.group : 0; }

// Of one that runs.
bool runs_here(const timer_node& kept) noexcept { return busy_with::is_here(*kept.partner); }

}  // namespace

void shard::adopt(timer_node& node) {
    node.kept = true;
    const lock held(mutex_);
    node.kept_after = kept_;
    if (kept_ != nullptr) kept_->kept_before = &node;
    kept_ = &node;
}

void shard::abandon(timer_node& node) noexcept {
    lock held(mutex_);
    static_cast<void>(cancel_kept_locked(node));
    if (node.now == state::running && !runs_here(node)) {
        finished_.wait(held, [&] { return node.now != state::running; });
    }
    // Of one that this very callback destroys; or whose job is yet to be dropped by a stop.
    if (node.partner != nullptr) node.partner->partner = nullptr;
    (node.kept_before != nullptr ? node.kept_before->kept_after : kept_) = node.kept_after;
    if (node.kept_after != nullptr) node.kept_after->kept_before = node.kept_before;
}

bool shard::arm_kept(timer_node& node, nanoseconds deadline) {
    aftermath after;
    {
        const lock held(mutex_);
        if (closed_) return false;
        const tick due = tick_of(deadline);
        switch (node.now) {
            case state::running: node.again = deadline; return true;
            case state::pending:
                move(node, due);
                ++counts_.rescheduled;
                break;
            case state::due:  // it comes anew instead
                arm_anew(node, due, group_of(node));
                drop_stand_in(node);
                ++counts_.rescheduled;
                break;
            default: arm_anew(node, due, group_of(node)); ++counts_.scheduled;
        }
        node.deadline = deadline;
        node.now = state::pending;
        after.earlier = tell(due);
    }
    attend_to(after);
    return true;
}

// As arm_kept, once its callback has returned. If there is no memory it is rejected.
void shard::arm_again(timer_node& node, aftermath& after) noexcept {
    const nanoseconds deadline = std::exchange(node.again, timer_node::not_again);
    ++counts_.scheduled;
    try {
        const tick due = tick_of(deadline);
        arm_anew(node, due, group_of(node));
        node.deadline = deadline;
        node.now = state::pending;
        after.earlier = tell(due);
    } catch (...) {
        ++counts_.rejected;
        after.rejected = true;
    }
}

cancel_result shard::cancel_kept(timer_node& node) noexcept {
    const lock held(mutex_);
    return cancel_kept_locked(node);
}

cancel_result shard::cancel_kept_locked(timer_node& node) noexcept {
    if (node.now == state::unused) return cancel_result::gone;
    timer_node& armed = node.now == state::pending ? node : *node.partner;
    const cancel_result result = cancel_locked(armed);
    // Neither has a callback to be destroyed.
    if (result == cancel_result::cancelled) static_cast<void>(finished_with(armed));
    return result;
}

void shard::wait_while_it_runs(timer_node& node) {
    lock held(mutex_);
    if (node.now != state::running || runs_here(node)) return;
    finished_.wait(held, [&] { return node.now != state::running; });
}

std::optional<nanoseconds> shard::deadline_of_kept(const timer_node& node) const {
    const lock held(mutex_);
    if (node.now == state::unused || (closed_ && node.now == state::due)) return std::nullopt;
    return node.again != timer_node::not_again ? node.again : node.deadline;
}

// It goes on as this, from due on, in its group. There is room.
timer_node& shard::stand_in_for(timer_node& kept) noexcept {
    timer_node& node = nodes_.take();
    node.deadline = kept.deadline;
    node.period = nanoseconds{0};
    node.urgency = kept.urgency;
    node.discardable = kept.discardable;
    node.ends = false;
    node.plain = true;
    node.group = kept.group;
    if (kept.grouped) {
        const auto joined = groups_.find(kept.group);
        join_group(node, joined->second);
        leave_group(kept);
    }
    node.stands_in = true;
    node.partner = &kept;
    kept.partner = &node;
    kept.now = state::due;
    return node;
}

// That of a due one, which is in the queue itself again.
void shard::drop_stand_in(timer_node& kept) noexcept {
    timer_node& node = *kept.partner;
    if (node.now == state::pending) {
        disarm(node);
    } else {
        --counts_.due;
    }
    static_cast<void>(finished_with(node));
}

}  // namespace foliot::detail
