// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/detail/shard.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace foliot::detail {

namespace {

using std::chrono::nanoseconds;
using state = timer_node::state;

// The timers whose callbacks run on this thread, the innermost first: a callback may poll.
struct running_here {
    const timer_node* node;
    const running_here* outer;
};
thread_local const running_here* innermost = nullptr;

bool runs_here(const timer_node& node) {
    for (const running_here* r = innermost; r != nullptr; r = r->outer) {
        if (r->node == &node) return true;
    }
    return false;
}

// The next time on its grid after the one that fired; one that is over if what was missed is made up
// for.
nanoseconds next_on_grid(const timer_node& node, nanoseconds now) {
    const nanoseconds next = saturating_sum(node.deadline, node.period);
    if (next > now || node.policy == missed::all) return next;
    const nanoseconds::rep rounds = (now - node.deadline) / node.period;
    const nanoseconds latest = node.deadline + rounds * node.period;
    return node.policy == missed::once ? latest : saturating_sum(latest, node.period);
}

}  // namespace

shard::~shard() = default;

bool shard::inside_callback() noexcept { return innermost != nullptr; }

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
        fill(node, std::max(deadline, nanoseconds{0}), period, policy, options);
        left.node = nullptr;
        // NOLINTNEXTLINE(bugprone-use-after-move): it was moved above or is moved here
        if (plainly) node.callback = std::move(callback);
        result = {&node, node.generation};
        earlier = tell(tick_of(node.deadline));
    }
    if (earlier) around_.on_earlier(*this, *earlier);
    return result;
}

// Arms it; if that throws it is as before.
void shard::fill(timer_node& node, nanoseconds deadline, nanoseconds period, missed policy,
                 const timer_options& options) {
    group* const of = options.group == 0 ? nullptr : &groups_[options.group];
    try {
        arm(node, tick_of(deadline));
    } catch (...) {
        if (of != nullptr && of->size == 0) groups_.erase(options.group);
        throw;
    }
    if (of != nullptr) join_group(node, *of);
    node.deadline = deadline;
    node.period = period;
    node.policy = policy;
    node.options = options;
    node.ends = false;
    node.now = state::pending;
    ++counts_.scheduled;
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
    std::size_t left = std::numeric_limits<std::size_t>::max();
    while (left > 0) {
        ended.clear();
        ended.reserve(limit);
        {
            const lock held(mutex_);
            const auto found = groups_.find(of);
            if (found == groups_.end()) break;
            left = std::min(left, found->second.size);
            const std::size_t now = std::min(left, limit);
            left -= now;
            // The entry goes with the last of them.
            timer_node* node = found->second.first;
            for (std::size_t i = 0; i < now; ++i) {
                timer_node* const next = node->group_after;
                leave_group(*node);
                switch (cancel_locked(*node)) {
                    case cancel_result::running: ++result.running; break;
                    case cancel_result::gone: break;
                    case cancel_result::cancelled:
                        ++result.cancelled;
                        if (timer_node* const n = finished_with(*node)) ended.push_back(n);
                }
                node = next;
            }
        }
        for (timer_node* node : ended) empty(*node);
    }
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

void shard::leave_group(timer_node& node) noexcept {
    if (!node.grouped) return;
    const auto at = groups_.find(node.options.group);
    group& g = at->second;
    (node.group_before != nullptr ? node.group_before->group_after : g.first) = node.group_after;
    (node.group_after != nullptr ? node.group_after->group_before : g.last) = node.group_before;
    node.grouped = false;
    if (--g.size == 0) groups_.erase(at);
}

cancel_result shard::cancel_and_wait(timer_node& node, std::uint64_t generation) {
    const cancel_result result = cancel(node, generation);
    if (result != cancel_result::running || runs_here(node)) return result;
    lock held(mutex_);
    finished_.wait(held, [&] { return !is(node, generation) || node.now != state::running; });
    return result;
}

void shard::wait_until_quiet() {
    lock held(mutex_);
    finished_.wait(held, [&] {
        return std::all_of(running_.begin(), running_.end(),
                           [](const timer_node* node) { return runs_here(*node); });
    });
}

reschedule_result shard::reschedule(timer_node& node, std::uint64_t generation,
                                    nanoseconds deadline) {
    std::optional<nanoseconds> earlier;
    {
        const lock held(mutex_);
        if (closed_ || !is(node, generation)) return reschedule_result::gone;
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
    jobs.reserve(jobs.size() + std::min(limit, pending()));  // so that make_due cannot fail
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
    for (timer_node& node : nodes_) {
        if (node.now == state::pending) arm(node, tick_of(node.deadline));
    }
    clock_went_back_ = false;  // if memory ran out, the next collect does it again
}

void shard::make_due(timer_node& node) {
    node.now = state::due;
    ++node.ticket;
    ++counts_.due;
    jobs_->push_back(job_access::make(&shard::act, &node, node.ticket, node.options.urgency,
                                      node.options.discardable));
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
    for (timer_node* node : running_) {
        if (node->told_slow || t - node->begun < limit) continue;
        node->told_slow = true;
        ++counts_.slow_callbacks;
        slow.push_back(t - node->begun);
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
        closed_ = true;
        restart(latest_);
        for (timer_node& node : nodes_) {
            if (node.now == state::running) node.ends = true;
            if (node.now != state::pending) continue;
            ++ended;
            leave_group(node);
            node.now = state::dropped;
            ++node.generation;
        }
        counts_.dropped += ended;
    }
    // No node is added any more.
    for (timer_node& node : nodes_) {
        {
            const lock held(mutex_);
            if (node.now != state::dropped) continue;
            node.now = state::over;
        }
        empty(node);
    }
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
    m.lateness.add(counts_.lateness);
    m.duration.add(counts_.duration);
}

// ---- jobs ---------------------------------------------------------------------------------------

void shard::act(void* timer, std::uint64_t ticket, job_fate fate) noexcept {
    auto& node = *static_cast<timer_node*>(timer);
    shard& s = node.home;
    switch (fate) {
        case job_fate::run: return s.run(node, ticket);
        case job_fate::shed: return s.end(node, ticket, s.counts_.shed);
        case job_fate::reject: return s.end(node, ticket, s.counts_.rejected);
        case job_fate::stop: return s.end(node, ticket, s.counts_.dropped);
    }
}

void job_access::put_off(const job& j, nanoseconds by) noexcept {
    auto& node = *static_cast<timer_node*>(j.timer_);
    node.home.put_off(node, j.ticket_, by);
}

void shard::run(timer_node& node, std::uint64_t ticket) noexcept {
    // The callback may destroy the last handle of the service.
    const std::shared_ptr<const void> alive = around_.owner.lock();
    const nanoseconds begin = around_.clock->steady();
    if (!start(node, ticket, begin)) return end(node, ticket, counts_.dropped);
    const running_here here{&node, innermost};
    innermost = &here;
    bool failed = false;
    try {
        node.callback();
    } catch (...) {
        failed = true;
        if (around_.on_failure) around_.on_failure(std::current_exception());
    }
    innermost = here.outer;
    finish(node, around_.clock->steady() - begin, failed);
}

bool shard::start(timer_node& node, std::uint64_t ticket, nanoseconds begun) {
    const nanoseconds t = around_.wall ? now() : begun;
    const lock held(mutex_);
    if (closed_ || node.now != state::due || node.ticket != ticket) return false;
    running_.push_back(&node);
    node.now = state::running;
    node.begun = begun;
    node.told_slow = false;
    --counts_.due;
    ++counts_.runs;
    counts_.lateness.add(saturating_sum(t, -node.deadline));
    return true;
}

void shard::finish(timer_node& node, nanoseconds took, bool failed) noexcept {
    remains left;
    std::optional<nanoseconds> earlier;
    bool rejected = false;
    {
        const lock held(mutex_);
        *std::find(running_.begin(), running_.end(), &node) = running_.back();
        running_.pop_back();
        counts_.failures += failed ? 1 : 0;
        counts_.duration.add(took);
        if (node.period.count() > 0 && !node.ends && !closed_) {
            node.deadline = next_on_grid(node, now());
            try {
                arm(node, tick_of(node.deadline));
                node.now = state::pending;
                earlier = tell(tick_of(node.deadline));
            } catch (...) {  // no memory: it ends as if there had been no room
                ++counts_.rejected;
                rejected = true;
                left.node = finished_with(node);
            }
        } else {
            const bool was_cancelled = node.ends && !closed_ && node.period.count() > 0;
            ++(was_cancelled ? counts_.cancelled : counts_.completed);
            left.node = finished_with(node);
        }
    }
    finished_.notify_all();
    if (earlier) around_.on_earlier(*this, *earlier);
    if (rejected && around_.on_rejected) around_.on_rejected();
}

void shard::put_off(timer_node& node, std::uint64_t ticket, nanoseconds by) noexcept {
    remains left;
    std::optional<nanoseconds> earlier;
    bool rejected = false;
    {
        const lock held(mutex_);
        if (node.now != state::due || node.ticket != ticket) return;
        --counts_.due;
        if (closed_) {
            ++counts_.dropped;
            left.node = finished_with(node);
            return;
        }
        const tick due = tick_of(saturating_sum(now(), by));
        try {
            arm(node, due);
            node.now = state::pending;
            ++counts_.deferred;
            earlier = tell(due);
        } catch (...) {
            ++counts_.rejected;
            rejected = true;
            left.node = finished_with(node);
        }
    }
    if (earlier) around_.on_earlier(*this, *earlier);
    if (rejected && around_.on_rejected) around_.on_rejected();
}

void shard::end(timer_node& node, std::uint64_t ticket, std::uint64_t& counter) noexcept {
    bool rejected = false;
    {
        remains left;
        const lock held(mutex_);
        if (node.now != state::due || node.ticket != ticket) return;
        --counts_.due;
        ++(closed_ ? counts_.dropped : counter);
        rejected = !closed_ && &counter == &counts_.rejected;
        left.node = finished_with(node);
    }
    if (rejected && around_.on_rejected) around_.on_rejected();
}

// ---- nodes --------------------------------------------------------------------------------------

// A node for a timer that is about to be made: it is over until that is done.
timer_node& shard::reserve() {
    if (unused_.empty()) {
        // Room for all of them, so that empty and start cannot fail.
        if (unused_.capacity() <= nodes_.size()) unused_.reserve(2 * nodes_.size() + 16);
        running_.reserve(unused_.capacity());
        unused_.push_back(&nodes_.emplace_back(*this));
    }
    timer_node& node = *unused_.back();
    unused_.pop_back();
    node.now = state::over;
    return node;
}

// Its tokens are void from now on. Not null: it is to be emptied, without the lock.
timer_node* shard::finished_with(timer_node& node) noexcept {
    leave_group(node);
    ++node.generation;
    if (!node.callback.is_plain()) {
        node.now = state::over;
        return &node;
    }
    node.callback.reset();
    node.now = state::unused;
    unused_.push_back(&node);
    return nullptr;
}

void shard::empty(timer_node& node) noexcept {
    node.callback.reset();
    const lock held(mutex_);
    node.now = state::unused;
    unused_.push_back(&node);
}

}  // namespace foliot::detail
