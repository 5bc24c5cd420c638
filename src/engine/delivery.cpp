// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Firing, leases, settling, retries, dead letters.
#include "engine/engine_impl.hpp"

#include <algorithm>
#include <utility>

namespace foliot::engine {

namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): spreads a retry's jitter, the same in every run.
std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/// The wait after failure number `failures`: doubles, capped, plus a jitter of up to a half.
std::chrono::milliseconds backoff(const options& o, store::sequence seq, std::uint32_t failures) {
    auto wait = o.retry_min_backoff;
    for (std::uint32_t i = 1; i < failures && wait < o.retry_max_backoff; ++i) wait *= 2;
    wait = std::min(wait, o.retry_max_backoff);
    const auto half = static_cast<std::uint64_t>(wait.count() / 2 + 1);
    return wait + std::chrono::milliseconds{mix(seq.value + failures) % half};
}

}  // namespace

// --- firing -----------------------------------------------------------------------------------

void engine::impl::advance_wheels() {
    drained_ = true;
    for (const auto c : both_clocks) {
        const auto r =
            wheel_of(c).advance(clock_.now_tick(c), opt_.step_firings,
                                [this](timer_hook& h) { fired(static_cast<entry&>(h)); });
        drained_ = drained_ && r.drained;
    }
    overdue_ = drained_ ? 0 : 1;
    const bool loaded = std::all_of(std::begin(both_clocks), std::end(both_clocks), [&](auto c) {
        return far_rows_ == 0 ||
               edges_[static_cast<std::size_t>(c)].loaded.next >= clock_.now_tick(c);
    });
    if (drained_ && loaded) all_offered_at_ = steady_;
}

void engine::impl::fired(entry& e) {
    if (e.state == entry_state::leased) return lease_expired(e);
    if (e.ended) {
        commits_.begin_change();
        e.state = entry_state::parked;  // out of the wheel already
        return retire(e);
    }
    ++totals_.fired_total;
    totals_.firing_lateness.record(clock_.since(e.next_clock, e.next));
    offer(e);
}

void engine::impl::offer(entry& e) {
    e.state = entry_state::ready;
    e.queue->push_ready(e);
    mark(*e.queue);
}

/// A row that was loaded: on with the lease it had, or into the wheel.
void engine::impl::install(entry& e, const store::record& r) {
    const auto saved = saved_leases_.find(r.seq.value);
    const tick now = clock_.now_tick(store::clock_kind::service);
    const bool lives = saved != saved_leases_.end() && saved->second.attempt == e.attempt() &&
                       saved->second.lease_end > now;
    if (lives && !e.ended) {
        e.owner_epoch = saved->second.owner_epoch;
        e.lease_end = saved->second.lease_end;
        schedule_lease(e);
    } else if (r.lease_until > now && !e.ended) {
        e.owner_epoch = any_earlier_epoch;
        e.lease_end = r.lease_until;
        schedule_lease(e);
    } else {
        schedule(e);
    }
    if (saved != saved_leases_.end()) saved_leases_.erase(saved);
}

void engine::impl::schedule(entry& e) {
    e.state = entry_state::scheduled;
    wheel_of(e.next_clock).schedule(e, e.next);
}

void engine::impl::schedule_lease(entry& e) {
    e.state = entry_state::leased;
    ++e.queue->in_flight;
    ++in_flight_;
    wheel_of(store::clock_kind::service).schedule(e, e.lease_end);
}

/// Live leases outlast a reload: their consumers are still at work. So do those that a change ends
/// which is not durable yet.
void engine::impl::save_lease(const entry& e) {
    if (e.lease_end <= clock_.now_tick(store::clock_kind::service)) return;
    saved_leases_[e.seq.value] = {e.attempt(), e.owner_epoch, e.lease_end};
}

void engine::impl::lease_expired(entry& e) {
    ++totals_.expired_leases_total;
    commits_.begin_change();
    fail_attempt(e, std::nullopt);
}

/// One delivery failed: count it durably, then offer again after a while, or give up.
void engine::impl::fail_attempt(entry& e, std::optional<std::chrono::nanoseconds> delay) {
    take_out_of_motion(e);
    if (e.attempt() >= opt_.retry_max_attempts) {
        remove_row(e);
        ++e.failures;
        e.place = row_place::dead;
        insert_row(e);
        e.state = entry_state::parked;
        ++totals_.dead_lettered_total;
        return;
    }
    const tick next = clock_.service_due(delay ? *delay : backoff(opt_, e.seq, e.attempt()));
    const auto m = begin_move(e, {store::clock_kind::service, next});
    ++e.failures;
    finish_move(e, m);
}

// --- consumers --------------------------------------------------------------------------------

queue_state& engine::impl::queue_of(std::string_view ns, std::string_view name) {
    const auto at = queues_.find(std::pair{std::string{ns}, std::string{name}});
    if (at != queues_.end()) return *at->second;
    auto q = std::make_unique<queue_state>();
    q->ns = ns;
    q->name = name;
    return *queues_.emplace(std::pair{q->ns, q->name}, std::move(q)).first->second;
}

void engine::impl::mark(queue_state& q) {
    if (q.marked) return;
    q.marked = true;
    marked_.push_back(&q);
}

void engine::impl::run(request_id id, lease_timers& c) {
    if (auto f = refuse()) return answer_now(id, std::move(*f));
    if (stopping_) {
        return answer_now(id, failure{failure_code::stopping, "the server is stopping", {}, 0, {}});
    }
    if (waiting_.size() >= opt_.max_waiting_leases) {
        return answer_now(id, failure{failure_code::overloaded,
                                      "too many consumers wait (limits.waiting_leases)",
                                      "limits.waiting_leases",
                                      opt_.max_waiting_leases,
                                      {}});
    }
    queue_state& q = queue_of(c.ns, c.queue);
    // Without a wait, what was put back on disk is still worth a look.
    const auto wait = q.backlog.any() ? std::max(c.wait, shortest_backlog_wait) : c.wait;
    waiter& w = q.waiters.emplace_back();
    w.self = std::prev(q.waiters.end());
    w.request = id;
    w.queue = &q;
    w.max = c.max;
    w.lease = c.lease;
    waiting_.emplace(id, &w);
    const tick now = clock_.now_tick(store::clock_kind::service);
    timeouts_.schedule(w, wait.count() > 0 ? clock_.service_due(wait) : now);
    mark(q);
}

void engine::impl::drop_waiter(waiter& w) {
    timeouts_.cancel(w);
    waiting_.erase(w.request);
    queue_state& q = *w.queue;
    mark(q);
    q.waiters.erase(w.self);
}

/// After the queues were matched, so that a consumer that does not wait gets what is due now.
void engine::impl::time_out_waiters() {
    const tick now = clock_.now_tick(store::clock_kind::service);
    const auto r = timeouts_.advance(now, opt_.step_firings, [this](timer_hook& h) {
        waiter& w = static_cast<waiter&>(h);
        answer_now(w.request, deliveries{});
        drop_waiter(w);
    });
    if (!r.drained) wake_by(steady_);
}

void engine::impl::match_queues() {
    if (flight_blocked_ && in_flight_ < opt_.max_in_flight) {
        flight_blocked_ = false;
        for (auto& [name, q] : queues_) mark(*q);
    }
    std::vector<queue_state*> marked = std::exchange(marked_, {});
    for (queue_state* q : marked) {
        q->marked = false;
        match(*q);
        if (q->idle()) mark(*q);
    }
}

void engine::impl::match(queue_state& q) {
    while (q.ready > 0 && !q.waiters.empty() && in_flight_ < opt_.max_in_flight) {
        deliver(q, q.waiters.front());
    }
    if (q.ready > 0 && !q.waiters.empty()) flight_blocked_ = true;
    if (!q.waiters.empty() && q.ready == 0 && q.backlog.any()) load_backlog(q);
}

void engine::impl::deliver(queue_state& q, waiter& w) {
    deliveries d;
    std::size_t bytes = 0;
    while (q.ready > 0 && d.items.size() < w.max && bytes < opt_.reply_bytes &&
           in_flight_ < opt_.max_in_flight) {
        entry& e = *q.first_ready;
        q.remove_ready(e);
        e.owner_epoch = static_cast<std::uint32_t>(epoch_);
        e.lease_end = clock_.service_due(w.lease);
        schedule_lease(e);
        bytes += e.byte_count();
        delivery out;
        out.token = {std::string{e.ns()}, std::string{e.id()}, e.seq, e.attempt(), e.owner_epoch};
        out.due_ms = clock_.to_wall(e.due_point());
        out.lateness = clock_.since(e.due_clock, e.due);
        out.payload = e.payload();
        out.kind = e.kind;
        d.items.push_back(std::move(out));
        ++totals_.delivered_total;
    }
    answer_now(w.request, std::move(d));
    drop_waiter(w);
}

/// Queues without timers, consumers and backlog are forgotten, so that names cost nothing.
void engine::impl::drop_idle_queues() {
    if (phase_ != phase::serving) return;
    std::erase_if(marked_, [this](queue_state* q) {
        if (!q->idle()) return false;
        queues_.erase(queues_.find(std::pair{q->ns, q->name}));
        return true;
    });
}

// --- settling ---------------------------------------------------------------------------------

/// Live: the lease runs, and this token is the one it was given with. A lease from before a restart
/// is not known here unless it was written; its token counts while nobody leased again.
bool engine::impl::token_is_live(const entry& e, const delivery_token& t) const {
    if (e.seq != t.generation || e.attempt() != t.attempt || e.place == row_place::dead) {
        return false;
    }
    const bool earlier_owner = t.owner_epoch < static_cast<std::uint32_t>(epoch_);
    if (e.state == entry_state::leased) {
        // Its end may have come without having been fired yet.
        if (e.lease_end <= clock_.now_tick(store::clock_kind::service)) return false;
        return e.owner_epoch == t.owner_epoch ||
               (e.owner_epoch == any_earlier_epoch && earlier_owner);
    }
    return earlier_owner && e.next <= clock_.now_tick(e.next_clock);
}

void engine::impl::settle_one(request_id id, settle_token& t, entry* e) {
    const auto job = settles_.find(id);
    if (job == settles_.end()) return;  // answered already: the store was too slow
    const settle& c = job->second.command;
    if (!e) return decided(id, t.index, settle_outcome::unknown, 0);
    if (c.how == settlement::ack) {
        if (auto next = was_set_by(t, *e)) {
            return decided(id, t.index, settle_outcome::acked, e->batch, std::move(next));
        }
    }
    if (e->ended && e->seq == t.token.generation) return settle_ended(id, t, c.how, *e);
    if (e->queue->name != c.queue || !token_is_live(*e, t.token)) {
        return decided(id, t.index, settle_outcome::stale, e->batch);
    }
    switch (c.how) {
        case settlement::ack:
            ++totals_.acked_total;
            if (t.index < c.next.size() && c.next[t.index]) {
                return ack_with_next(id, t, *e, *c.next[t.index]);
            }
            end_timer(*e, store::ending::acked);
            return decided(id, t.index, settle_outcome::acked, e->batch);
        case settlement::nack:
            ++totals_.nacked_total;
            fail_attempt(*e, c.delay);
            return decided(id, t.index, settle_outcome::nacked, e->batch);
        case settlement::extend:
            if (e->state == entry_state::parked) {
                return decided(id, t.index, settle_outcome::stale, e->batch);
            }
            take_out_of_motion(*e);
            e->owner_epoch = t.token.owner_epoch;
            e->lease_end = clock_.service_due(c.lease);
            schedule_lease(*e);
            return decided(id, t.index, settle_outcome::extended, e->batch);
    }
}

/// An ack that is repeated while its timer's end is kept gets the answer that the first one got.
void engine::impl::settle_ended(request_id id, const settle_token& t, settlement how,
                                const entry& e) {
    const auto end = extra_of(e).end;
    const bool repeated = how == settlement::ack && end && end->how == store::ending::acked &&
                          e.attempt() == t.token.attempt;
    decided(id, t.index, repeated ? settle_outcome::acked : settle_outcome::unknown, e.batch);
}

/// The acked timer makes place for the next one in one change: a crash leaves both done, or none.
void engine::impl::ack_with_next(request_id id, const settle_token& t, entry& e,
                                 const next_timer& next) {
    auto x = extra_of(e);  // a key that began the chain goes along with it
    if (next.retain) x.retain = next.retain;
    x.by_ack = store::set_by_ack{e.seq, e.attempt()};
    const std::string extra = store::encode_extra(x);
    retire(e);
    const entry& fresh =
        insert_fresh({e.ns(), e.id(), next.queue ? *next.queue : e.queue->name,
                      next.payload ? *next.payload : e.payload(), next.payload ? next.kind : e.kind,
                      next_sequence(), due_of(next.when), extra});
    decided(id, t.index, settle_outcome::acked, fresh.batch,
            timer_set{t.token.id, fresh.seq, e.seq, clock_.to_wall(fresh.due_point())});
}

/// The timer that an ack with this token has set already: the first answer was lost.
std::optional<timer_set> engine::impl::was_set_by(const settle_token& t, const entry& e) const {
    if (!e.has_extra || e.state == entry_state::leaving) return std::nullopt;
    const auto by = extra_of(e).by_ack;
    if (!by || by->generation != t.token.generation || by->attempt != t.token.attempt) {
        return std::nullopt;
    }
    return timer_set{t.token.id, e.seq, by->generation, clock_.to_wall(e.due_point())};
}

void engine::impl::decided(request_id id, std::size_t index, settle_outcome o, batch_number n,
                           std::optional<timer_set> next) {
    const auto at = settles_.find(id);
    if (at == settles_.end()) return;
    settle_job& job = at->second;
    job.outcomes[index] = o;
    if (next) {
        job.next.resize(job.outcomes.size());
        job.next[index] = std::move(next);
    }
    job.batch = std::max(job.batch, n);
    if (--job.undecided > 0) return;
    settled all{std::move(job.outcomes), std::move(job.next)};
    const batch_number last = job.batch;
    settles_.erase(at);
    answer_after(last, id, std::move(all));
}

}  // namespace foliot::engine
