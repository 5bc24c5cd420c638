// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/detail/shard.hpp>

#include "busy_with.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace foliot::detail {

namespace {

using std::chrono::nanoseconds;
using state = timer_node::state;

}  // namespace

thread_local const busy_with* busy_with::innermost = nullptr;

shard::~shard() = default;

bool shard::inside_callback() noexcept { return busy_with::innermost != nullptr; }

shard::made shard::current() noexcept {
    const busy_with* b = busy_with::innermost;
    while (b != nullptr && b->what == busy_with::by::destroying) b = b->outer;
    if (b == nullptr || b->what == busy_with::by::standing_in) return {nullptr, 0};
    return {&b->node, b->node.generation};  // which does not change while it runs
}

// Moving a callback runs code of its type, unless it is plain. That is done without the lock.
shard::made shard::make(nanoseconds deadline, nanoseconds period, missed policy,
                        const timer_options& options, task& callback) {
    std::optional<nanoseconds> earlier;
    made result{};
    {
        const bool plainly = callback.moves_plainly();
        remains left;
        lock held(mutex_);
        if (closed_) return {};
        timer_node& node = reserve();
        if (!plainly) {
            held.unlock();
            node.callback = std::move(callback);
            held.lock();
        }
        left.node = &node;
        if (closed_) return {};
        deadline = std::max(deadline, nanoseconds{0});
        const tick due = tick_of(deadline);
        arm_anew(node, due, options.group);
        left.node = nullptr;
        node.deadline = deadline;
        node.period = period;
        node.now = state::pending;
        node.policy = policy;
        node.urgency = options.urgency;
        node.discardable = options.discardable;
        node.ends = false;
        node.group = options.group;
        ++counts_.scheduled;
        // NOLINTNEXTLINE(bugprone-use-after-move): it was moved above or is moved here
        if (plainly) std::construct_at(&node.callback, std::move(callback));  // it is empty
        node.plain = node.callback.is_plain();
        result = {&node, node.generation};
        earlier = tell(due);
    }
    if (earlier) around_.on_earlier(*this, *earlier);
    return result;
}

// Into the queue, and into its group; if that throws it is in neither.
void shard::arm_anew(timer_node& node, tick due, std::uint64_t of) {
    if (of == 0) return arm(node, due);
    group& joined = groups_[of];
    try {
        arm(node, due);
    } catch (...) {
        if (joined.size == 0) groups_.erase(of);
        throw;
    }
    join_group(node, joined);
}

cancel_result shard::cancel(timer_node& node, std::uint64_t generation) {
    remains left;
    const lock held(mutex_);
    if (!is(node, generation)) return cancel_result::gone;
    const cancel_result result = cancel_locked(node);
    if (result == cancel_result::cancelled) left.node = finished_with(node);
    return result;
}

// Of a timer that is not gone. If it is cancelled, it is finished with.
cancel_result shard::cancel_locked(timer_node& node) noexcept {
    if (node.now == state::running) {
        node.ends = true;
        if (node.partner != nullptr) node.partner->again = timer_node::not_again;
        return cancel_result::running;
    }
    if (closed_) return cancel_result::gone;  // its job is dropped
    if (node.now == state::pending) disarm(node);
    if (node.now == state::due) --counts_.due;
    ++counts_.cancelled;
    return cancel_result::cancelled;
}

group_result shard::cancel_group(std::uint64_t of, std::size_t limit) {
    group_result result;
    std::vector<timer_node*> ended;
    std::vector<const timer_node*> seen_running;
    std::size_t left = std::numeric_limits<std::size_t>::max();
    while (left > 0) {
        ended.clear();
        ended.reserve(limit);
        {
            const lock held(mutex_);
            const auto found = groups_.find(of);
            if (found == groups_.end()) break;
            seen_running.reserve(seen_running.size() + running_.size());
            left = std::min(left, found->second.size);
            const std::size_t now = std::min(left, limit);
            left -= now;
            // The entry goes with the last of them; those that run stay, for who asks next.
            timer_node* node = found->second.first;
            for (std::size_t i = 0; i < now; ++i) {
                timer_node* const next = node->group_after;
                switch (cancel_locked(*node)) {
                    case cancel_result::running:
                        to_end_of(found->second, *node);
                        if (std::find(seen_running.begin(), seen_running.end(), node) ==
                            seen_running.end()) {
                            seen_running.push_back(node);
                        }
                        break;
                    case cancel_result::gone: leave_group(*node); break;
                    case cancel_result::cancelled:
                        ++result.cancelled;
                        if (timer_node* const n = finished_with(*node)) {
                            n->now = state::dropped;
                            ended.push_back(n);
                        }
                }
                node = next;
            }
        }
        for (timer_node* node : ended) empty_if_dropped(*node);
    }
    result.running = seen_running.size();
    return result;
}

void shard::join_group(timer_node& node, group& g) noexcept {
    node.group_before = g.last;
    node.group_after = nullptr;
    (g.last != nullptr ? g.last->group_after : g.first) = &node;
    g.last = &node;
    ++g.size;
    node.grouped = true;
}

void shard::to_end_of(group& g, timer_node& node) noexcept {
    if (g.last == &node) return;
    (node.group_before != nullptr ? node.group_before->group_after : g.first) = node.group_after;
    node.group_after->group_before = node.group_before;
    node.group_before = g.last;
    node.group_after = nullptr;
    g.last->group_after = &node;
    g.last = &node;
}

void shard::leave_group(timer_node& node) noexcept {
    if (!node.grouped) return;
    const auto at = groups_.find(node.group);
    group& g = at->second;
    (node.group_before != nullptr ? node.group_before->group_after : g.first) = node.group_after;
    (node.group_after != nullptr ? node.group_after->group_before : g.last) = node.group_before;
    node.grouped = false;
    if (--g.size == 0) groups_.erase(at);
}

// Its generation changes when its callback is destroyed.
cancel_result shard::cancel_and_wait(timer_node& node, std::uint64_t generation) {
    remains left;
    lock held(mutex_);
    if (node.generation != generation) return cancel_result::gone;
    auto result = cancel_result::gone;
    if (is(node, generation)) result = cancel_locked(node);
    if (result == cancel_result::cancelled) {
        left.node = finished_with(node);
    } else if (node.now == state::due) {  // closed; who drops its job may wait for this thread
        --counts_.due;
        ++counts_.dropped;
        left.node = finished_with(node);
    } else if (node.now == state::dropped) {  // likewise
        node.now = state::over;
        left.node = &node;
    } else if (!busy_with::is_here(node)) {
        finished_.wait(held, [&] { return node.generation != generation; });
    }
    return result;
}

void shard::wait_until_quiet() {
    lock held(mutex_);
    finished_.wait(held, [&] {
        return std::all_of(running_.begin(), running_.end(),
                           [](const run_begun& run) { return busy_with::is_here(*run.node); });
    });
}

reschedule_result shard::reschedule(timer_node& node, std::uint64_t generation,
                                    nanoseconds deadline) {
    std::optional<nanoseconds> earlier;
    {
        const lock held(mutex_);
        if (!is(node, generation)) return reschedule_result::gone;
        if (node.now == state::running) return reschedule_result::running;
        const tick due = tick_of(deadline);
        if (node.now == state::pending) {
            move(node, due);
        } else {  // its job is void from now on
            arm(node, due);
            --counts_.due;
            node.now = state::pending;
        }
        node.deadline = deadline;
        ++counts_.rescheduled;
        earlier = tell(due);
    }
    if (earlier) around_.on_earlier(*this, *earlier);
    return reschedule_result::moved;
}

std::optional<nanoseconds> shard::deadline(const timer_node& node, std::uint64_t generation) const {
    const lock held(mutex_);
    if (!is(node, generation)) return std::nullopt;
    return node.deadline;
}

bool shard::collect(std::size_t limit, std::vector<job>& jobs) {
    const tick t = elapsed(now(), around_.tick);
    const lock held(mutex_);
    follow_clock(t);
    const std::size_t most = std::min(limit, pending());  // room, so that make_due cannot fail
    jobs.reserve(jobs.size() + most);
    due_.reserve(most, counts_.due);
    if (kept_ != nullptr) {  // some may need a stand-in
        nodes_.reserve(most);
        running_.reserve(nodes_.capacity());
    }
    jobs_ = &jobs;
    const advance_result result = advance(
        t, limit, [](shard& s, timer_hook& hook) { s.make_due(static_cast<timer_node&>(hook)); });
    counts_.moves += result.moved;
    return result.drained;
}

// A queue does not go back, but the wall clock may: then it begins anew at the new time. O(timers).
void shard::follow_clock(tick t) {
    if (t < latest_) clock_went_back_ = true;
    latest_ = t;
    if (!clock_went_back_) return;
    restart(t);
    nodes_.for_each([this](timer_node& node) {
        if (node.now == state::pending) arm(node, tick_of(node.deadline));
    });
    for (timer_node* node = kept_; node != nullptr; node = node->kept_after) {
        if (node->now == state::pending) arm(*node, tick_of(node->deadline));
    }
    clock_went_back_ = false;  // if memory ran out, the next collect does it again
}

void shard::make_due(timer_node& due) {
    timer_node& node = due.kept ? stand_in_for(due) : due;
    node.now = state::due;
    ++node.ticket;
    ++counts_.due;
    due_.add(node);
    jobs_->push_back(
        job_access::make(&shard::act, &node, node.ticket, node.urgency, node.discardable));
}

std::optional<nanoseconds> shard::next_wakeup() {
    const lock held(mutex_);
    const auto first = first_wakeup();
    told_ = first.value_or(tick::max());
    if (!first) return std::nullopt;
    return time_of(*first);
}

bool shard::find_slow(nanoseconds limit, std::vector<nanoseconds>& slow) {
    const nanoseconds t = around_.clock->steady();
    const lock held(mutex_);
    for (run_begun& run : running_) {
        if (run.told_slow || t - run.at < limit) continue;
        run.told_slow = true;
        ++counts_.slow_callbacks;
        slow.push_back(t - run.at);
    }
    return counts_.due > 0 || !running_.empty();
}

// Whether the driver must be told, and of what.
std::optional<nanoseconds> shard::tell(tick due) noexcept {
    if (due >= told_) return std::nullopt;
    told_ = due;
    return time_of(due);
}

nanoseconds shard::time_of(tick t) const noexcept {
    const auto most = static_cast<std::uint64_t>(nanoseconds::max() / around_.tick);
    if (t.count > most) return nanoseconds::max();
    return static_cast<nanoseconds::rep>(t.count) * around_.tick;
}

tick shard::tick_of(nanoseconds deadline) const {
    // What does not fit into nanoseconds is never.
    return deadline == nanoseconds::max() ? tick::max() : due_at(deadline, around_.tick);
}

std::uint64_t shard::close() noexcept {
    std::uint64_t ended = 0;
    {
        const lock held(mutex_);
        if (closed_) return left_pending_;
        closed_ = true;
        restart(latest_);
        nodes_.for_each([&](timer_node& node) {
            if (node.now == state::running) node.ends = true;
            if (node.now != state::pending) return;
            ++ended;
            leave_group(node);
            if (node.partner != nullptr) node.partner->now = state::unused;
            node.partner = nullptr;
            node.stands_in = false;
            node.now = state::dropped;
        });
        for (timer_node* node = kept_; node != nullptr; node = node->kept_after) {
            node->again = timer_node::not_again;
            if (node->now != state::pending) continue;
            ++ended;
            leave_group(*node);
            node->now = state::unused;
        }
        counts_.dropped += ended;
        left_pending_ = ended;
    }
    // None is added any more.
    nodes_.for_each([this](timer_node& node) { empty_if_dropped(node); });
    return ended;
}

void shard::add_to(service_metrics& m) const {
    const lock held(mutex_);
    m.scheduled += counts_.scheduled;
    m.pending += pending();
    m.due += counts_.due;
    m.running += running_.size();
    m.cancelled += counts_.cancelled;
    m.completed += counts_.completed;
    m.rejected += counts_.rejected;
    m.shed += counts_.shed;
    m.dropped += counts_.dropped;
    m.runs += counts_.runs;
    m.failures += counts_.failures;
    m.deferred += counts_.deferred;
    m.rescheduled += counts_.rescheduled;
    m.moves += counts_.moves;
    m.slow_callbacks += counts_.slow_callbacks;
    m.skipped += counts_.skipped;
    m.oldest_overdue = std::max(m.oldest_overdue, oldest_overdue());
    m.lateness.add(counts_.lateness);
    m.duration.add(counts_.duration);
}

// How late what waits here is: for a worker, or in the queue. By now().
nanoseconds shard::oldest_overdue() const {
    const nanoseconds t = now();
    nanoseconds longest{0};
    if (const auto oldest = due_.oldest()) longest = t - *oldest;
    if (const auto first = first_wakeup()) longest = std::max(longest, t - time_of(*first));
    return longest;
}

// ---- nodes --------------------------------------------------------------------------------------

// A node for a timer that is about to be made: it is over until that is done.
timer_node& shard::reserve() {
    if (!nodes_.has_room()) {
        const std::size_t more = take_room(nodes_.wanted());
        try {
            nodes_.grow(more);
            running_.reserve(nodes_.capacity());  // so that start cannot fail
        } catch (...) {
            *around_.room += more;
            throw;
        }
    }
    timer_node& node = nodes_.take();
    node.now = state::over;
    return node;
}

// As much of the room of all shards as is wanted, but not all that is left, while there is some.
std::size_t shard::take_room(std::size_t wanted) {
    std::size_t left = *around_.room;
    std::size_t taken = 0;
    do {
        if (left == 0) throw too_many_timers();
        taken = std::min(wanted, std::max(left / 16, std::size_t{1}));
    } while (!around_.room->compare_exchange_weak(left, left - taken));
    return taken;
}

// Not null: it is to be emptied, without the lock.
timer_node* shard::finished_with(timer_node& node) noexcept {
    leave_group(node);
    if (node.kept) {
        node.now = state::unused;
        return nullptr;
    }
    if (node.stands_in) {
        node.stands_in = false;
        if (timer_node* const stood_for = std::exchange(node.partner, nullptr)) {
            stood_for->now = state::unused;
            stood_for->partner = nullptr;
        }
    }
    if (!node.plain) {
        node.now = state::over;
        return &node;
    }
    node.callback.forget();
    node.now = state::unused;
    ++node.generation;
    nodes_.give_back(node);
    return nullptr;
}

// One that several are dropped with: its callback may want to know that another's is destroyed.
void shard::empty_if_dropped(timer_node& node) noexcept {
    {
        const lock held(mutex_);
        if (node.now != state::dropped) return;  // a cancel_and_wait was faster
        node.now = state::over;
    }
    empty(node);
}

void shard::empty(timer_node& node) noexcept {
    {
        const busy_with here(node, busy_with::by::destroying);
        node.callback.reset();
    }
    {
        const lock held(mutex_);
        node.now = state::unused;
        ++node.generation;
        nodes_.give_back(node);
    }
    finished_.notify_all();
}

}  // namespace foliot::detail
