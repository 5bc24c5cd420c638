// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/engine.hpp"

#include "engine/engine_impl.hpp"

#include <algorithm>
#include <utility>

namespace foliot::engine {

engine::engine(const options& o) : impl_(std::make_unique<impl>(o)) {}
engine::~engine() = default;
engine::engine(engine&&) noexcept = default;
engine& engine::operator=(engine&&) noexcept = default;

outputs engine::step(instant now, std::span<input> inputs) { return impl_->step(now, inputs); }
stats engine::snapshot() const { return impl_->snapshot(); }

engine::impl::~impl() {
    // The wheels let go of their hooks before the entries and waiters go away.
    for (auto& w : wheels_) w.clear();
    timeouts_.clear();
}

outputs engine::impl::step(instant now, std::span<input> inputs) {
    out_ = {};
    steady_ = now.steady;
    now_ = now;
    if (phase_ == phase::cold) {
        clock_.start_by_offset(now, {});
        all_offered_at_ = steady_;
        start_acquire();
    } else {
        follow_clock();
    }
    for (auto& i : inputs) std::visit([this](auto& what) { take(what); }, i);
    if (next_count_ >= last_count)
        store_failed({store::store_code::unavailable, "this epoch's sequence numbers are used up"});

    if (phase_ == phase::waiting_to_retry && steady_ >= retry_at_) start_acquire();
    if (phase_ == phase::serving) {
        advance_wheels();
        match_queues();
        load_ahead();
        make_room();
        sweep_some();
        check_some();
        sweep_overdue();
        list_some();
        send_lookups();
    }
    time_out_waiters();
    time_out_store();
    continue_stop();
    send_commit();
    drop_idle_queues();
    plan_wake();
    return std::move(out_);
}

void engine::impl::follow_clock() {
    if (clock_.set(now_) && phase_ == phase::serving) commits_.open().dirty_meta = true;
    wheel& wall = wheel_of(store::clock_kind::wall);
    const tick t = clock_.now_tick(store::clock_kind::wall);
    if (phase_ != phase::serving || t >= wall.cursor()) return;
    // The wall clock was stepped back: what waits by it waits longer, so its wheel goes back too.
    std::vector<entry*> pending;
    pending.reserve(wall.size());
    wall.for_each([&](timer_hook& h) { pending.push_back(&static_cast<entry&>(h)); });
    wall.reset(t);
    for (entry* e : pending) wall.schedule(*e, e->next);
}

// --- inputs ---------------------------------------------------------------------------------

void engine::impl::take(request& r) {
    std::visit([&](auto& c) { run(r.id, c); }, r.what);
}

void engine::impl::take(abandon& a) {
    if (const auto at = waiting_.find(a.id); at != waiting_.end()) drop_waiter(*at->second);
}

void engine::impl::take(stop&) {
    stopping_ = true;
    while (!waiting_.empty()) {
        waiter& w = *waiting_.begin()->second;
        answer_now(w.request, deliveries{});
        drop_waiter(w);
    }
}

void engine::impl::take(io_done& d) {
    const auto at = outstanding_.find(d.id);
    if (at == outstanding_.end()) return;  // asked before the shard was given up
    purpose why = std::move(at->second);
    outstanding_.erase(at);
    using page_result = store::store_result<store::page>;
    const auto as_page = [&]() -> page_result& { return std::get<page_result>(d.what); };
    if (std::holds_alternative<for_acquire>(why)) {
        acquired(std::get<store::store_result<store::acquired>>(d.what));
    } else if (std::holds_alternative<for_commit>(why)) {
        commit_done(std::get<store::store_result<done>>(d.what));
    } else if (std::holds_alternative<for_near>(why)) {
        near_page(as_page());
    } else if (const auto* edge = std::get_if<for_edge>(&why)) {
        edge_page(edge->clock, edge->to, as_page());
    } else if (const auto* back = std::get_if<for_backlog>(&why)) {
        backlog_page(*back->queue, back->clock, back->to, as_page());
    } else if (const auto* look = std::get_if<for_lookup>(&why)) {
        lookups_done(
            look->keys,
            std::get<store::store_result<std::vector<std::optional<store::found>>>>(d.what));
    } else if (const auto* list = std::get_if<for_list>(&why)) {
        list_page(list->job, as_page());
    } else if (const auto* dead = std::get_if<for_dead>(&why)) {
        dead_page(dead->request, dead->query, as_page());
    } else if (std::holds_alternative<for_check>(why)) {
        check_page(as_page());
    } else if (auto* ids = std::get_if<for_check_ids>(&why)) {
        checked_ids(
            *ids, std::get<store::store_result<std::vector<std::optional<store::found>>>>(d.what));
    }
}

std::optional<failure> engine::impl::refuse() const {
    if (phase_ == phase::serving) return std::nullopt;
    if (last_store_error_.empty()) {
        return failure{
            failure_code::not_ready, "the timers are being loaded; try again shortly", {}, 0, {}};
    }
    return failure{failure_code::store_unavailable,
                   "the store failed and is being recovered (" + last_store_error_ +
                       "); nothing was changed, try again",
                   {},
                   0,
                   {}};
}

std::optional<failure> engine::impl::refuse_change() const {
    if (auto f = refuse()) return f;
    if (stalled()) {
        return failure{failure_code::store_unavailable,
                       "the store does not answer; nothing was changed, try again",
                       {},
                       0,
                       {}};
    }
    if (commits_.waiting() + looking_up_ >= opt_.max_waiting_commands) {
        return failure{failure_code::overloaded,
                       "too many changes wait for the store; nothing was changed, try again "
                       "(limits.waiting_commands)",
                       "limits.waiting_commands",
                       opt_.max_waiting_commands,
                       {}};
    }
    return std::nullopt;
}

bool engine::impl::stalled() const {
    return commits_.in_flight() && steady_ - commits_.sent_at() > opt_.store_timeout;
}

// --- the shard's life -------------------------------------------------------------------------

void engine::impl::start_acquire() {
    phase_ = phase::acquiring;
    outstanding_.emplace(ask(acquire_request{}), for_acquire{});
}

void engine::impl::acquired(store::store_result<store::acquired>& r) {
    if (!r) return store_failed(r.error());
    epoch_ = r->current;
    next_count_ = 0;
    meta_ = r->meta;
    if (!clock_started_) {
        if (opt_.boot != 0 && opt_.boot == meta_.boot) {
            clock_.start_by_base(now_, std::chrono::nanoseconds{meta_.service_base_ns});
        } else {
            clock_.start_by_offset(now_, std::chrono::nanoseconds{meta_.clock_offset_ns});
        }
        clock_started_ = true;
    }
    for (const auto c : both_clocks) wheel_of(c).reset(clock_.now_tick(c));
    if (waiting_.empty()) timeouts_.reset(clock_.now_tick(store::clock_kind::service));
    phase_ = phase::loading;
    outstanding_.emplace(ask(load_near_request{epoch_, {}, near_page_rows}), for_near{});
}

void engine::impl::near_page(store::store_result<store::page>& r) {
    if (!r) return store_failed(r.error());
    for (const auto& row : r->rows) {
        install(adopt(row, row_place::near), row);
        ++near_rows_;
    }
    if (!r->end) {
        const auto last = r->rows.back().seq;
        outstanding_.emplace(ask(load_near_request{epoch_, last, near_page_rows}), for_near{});
        return;
    }
    const std::uint64_t rows = meta_.pending + meta_.retained;
    far_rows_ = rows > near_rows_ ? rows - near_rows_ : 0;
    dead_rows_ = meta_.dead;
    phase_ = phase::serving;
    last_store_error_.clear();
    const bool clocks_are_stored = meta_.clock_offset_ns == clock_.offset().count() &&
                                   meta_.boot == opt_.boot &&
                                   meta_.service_base_ns == clock_.base().count();
    if (!clocks_are_stored) commits_.open().dirty_meta = true;
    for (auto& [name, q] : queues_) mark(*q);
}

void engine::impl::commit_done(store::store_result<done>& r) {
    if (!r) return store_failed(r.error());
    pending_commit c = commits_.finish();
    ++totals_.commits_total;
    durable_changes_ = changes_;
    for (entry* e : c.touched) {
        if (e->state == entry_state::free) continue;
        e->committed = true;
        if (e->batch == c.number) settle_entry(*e);
    }
    std::move(c.answers.begin(), c.answers.end(), std::back_inserter(out_.answers));
    if (loads_out_ == 0) forget_removed();
    if (backlogs_ > 0) {
        for (auto& [name, q] : queues_) {
            if (q->backlog.any() && !q->waiters.empty()) mark(*q);
        }
    }
}

/// The outcome of what was under way is unknown: tell everyone so, forget all that is in memory,
/// and read the truth again.
void engine::impl::store_failed(const store::store_error& e) {
    ++totals_.store_errors_total;
    last_store_error_ = e.message;
    const failure unknown{
        failure_code::store_unavailable,
        "the store failed (" + e.message + "); the change may or may not have been made",
        {},
        0,
        {}};
    for (const answer& a : commits_.take_answers()) answer_now(a.to, unknown);
    for (auto& [key, l] : lookups_) fail_all(l.waiting, unknown);
    for (auto& [id, job] : settles_) answer_now(id, unknown);
    for (auto& job : lists_) answer_now(job.request, unknown);
    for (auto& [id, why] : outstanding_) {
        if (const auto* dead = std::get_if<for_dead>(&why)) answer_now(dead->request, unknown);
    }
    forget_everything();
    phase_ = phase::waiting_to_retry;
    retry_at_ = steady_ + opt_.store_retry_interval;
}

void engine::impl::fail_all(std::vector<keyed_work>& waiting, const failure& f) {
    looking_up_ -= waiting.size();
    for (auto& w : waiting) {
        // A settle command is answered once, as a whole.
        const bool of_settle = std::holds_alternative<settle_token>(w.what);
        if (!of_settle || settles_.erase(w.request) > 0) answer_now(w.request, f);
    }
    waiting.clear();
}

void engine::impl::forget_everything() {
    for (auto& w : wheels_) w.clear();
    for (std::size_t i = 0; i < pool_.cells(); ++i) {
        entry& e = pool_.at(i);
        if (e.state == entry_state::free) continue;
        if (e.state == entry_state::leased) save_lease(e);
        pool_.give_back(e);
    }
    table_.clear();
    for (auto& [name, q] : queues_) {
        q->first_ready = q->last_ready = nullptr;
        q->ready = q->in_flight = q->members = 0;
        q->backlog = {};
        mark(*q);
    }
    commits_.drop_all();
    outstanding_.clear();
    removed_far_.clear();
    lookups_.clear();
    new_lookups_.clear();
    settles_.clear();
    lists_.clear();
    sweep_.reset();
    forget_check();
    overdue_ages_ = {};
    durable_changes_ = changes_;
    for (auto& e : edges_) e = {};
    bytes_ = near_rows_ = far_rows_ = dead_rows_ = in_flight_ = loads_out_ = backlogs_ =
        looking_up_ = 0;
    drained_ = true;
}

void engine::impl::send_commit() {
    if (phase_ != phase::serving) return;
    pending_commit* c = commits_.next_to_send();
    if (!c) return;
    meta_.pending += static_cast<std::uint64_t>(c->pending_delta);
    meta_.retained += static_cast<std::uint64_t>(c->retained_delta);
    meta_.dead += static_cast<std::uint64_t>(c->dead_delta);
    meta_.clock_offset_ns = clock_.offset().count();
    meta_.boot = opt_.boot;
    meta_.service_base_ns = clock_.base().count();
    for (const auto clock : both_clocks) {
        const auto i = static_cast<std::size_t>(clock);
        tick& low = meta_.far_low_water[i];
        low = std::min(std::max(low, c->low_water[i]), c->far_min[i]);
    }
    c->what.meta = meta_;
    changes_ += c->what.operations.size();
    commits_.sent(steady_);
    outstanding_.emplace(ask(commit_request{epoch_, std::move(c->what)}), for_commit{});
}

/// A store that hangs: whoever waits is told after a while. The commit stays under way; when it
/// returns, its changes count.
void engine::impl::time_out_store() {
    if (stalled() && commits_.waiting() > 0) {
        const failure f{failure_code::store_unavailable,
                        "the store did not answer in time (limits.store_timeout); the change may "
                        "or may not be made",
                        "limits.store_timeout",
                        static_cast<std::uint64_t>(opt_.store_timeout.count()),
                        {}};
        for (const answer& a : commits_.take_answers()) answer_now(a.to, f);
    }
    if (steady_ < next_read_check_) return;
    next_read_check_ = steady_ + opt_.store_timeout / 4;
    const failure slow{failure_code::store_unavailable,
                       "the store did not answer in time (limits.store_timeout); nothing was "
                       "changed, try again",
                       "limits.store_timeout",
                       static_cast<std::uint64_t>(opt_.store_timeout.count()),
                       {}};
    for (auto& [key, l] : lookups_) {
        if (steady_ - l.asked_at > opt_.store_timeout) fail_all(l.waiting, slow);
    }
    std::erase_if(lists_, [&](const list_job& job) {
        if (job.sweeping || steady_ - job.asked_at <= opt_.store_timeout) return false;
        answer_now(job.request, slow);
        return true;
    });
    std::erase_if(outstanding_, [&](const auto& o) {
        const auto* dead = std::get_if<for_dead>(&o.second);
        if (!dead || steady_ - dead->asked_at <= opt_.store_timeout) return false;
        answer_now(dead->request, slow);
        return true;
    });
}

/// Leases in memory are written into their rows, so that the next start does not deliver again
/// while their consumers are at work.
void engine::impl::continue_stop() {
    if (!stopping_) return;
    if (phase_ != phase::serving) {
        out_.stopped = true;
        return;
    }
    const std::size_t end = std::min(pool_.cells(), stop_sweep_ + cells_per_step);
    for (; stop_sweep_ < end; ++stop_sweep_) {
        entry& e = pool_.at(stop_sweep_);
        if (e.state != entry_state::leased) continue;
        commits_.begin_change();
        if (e.place == row_place::far) move_row(e, row_place::near);
        overwrite_near_row(e, e.lease_end);
    }
    if (stop_sweep_ < pool_.cells()) return wake_by(steady_);
    out_.stopped = commits_.empty() && lookups_.empty();
}

// --- outputs ----------------------------------------------------------------------------------

io_id engine::impl::ask(store_request what) {
    out_.requests.push_back({++last_io_, std::move(what)});
    return last_io_;
}

void engine::impl::answer_now(request_id to, reply what) {
    out_.answers.push_back({to, std::move(what)});
}

void engine::impl::answer_after(batch_number n, request_id to, reply what) {
    if (commits_.durable(n)) return answer_now(to, std::move(what));
    commits_.answer_with(n, {to, std::move(what)});
}

void engine::impl::wake_by(std::chrono::nanoseconds steady) {
    if (!out_.wake_at || steady < *out_.wake_at) out_.wake_at = steady;
}

void engine::impl::plan_wake() {
    if (const auto t = timeouts_.next_wakeup()) {
        wake_by(clock_.steady_at(store::clock_kind::service, *t));
    }
    if (phase_ == phase::waiting_to_retry) wake_by(retry_at_);
    if (!lookups_.empty()) wake_by(next_read_check_);
    if (phase_ != phase::serving) return;
    if (!drained_) wake_by(steady_);
    for (const auto c : both_clocks) {
        if (const auto t = wheel_of(c).next_wakeup()) wake_by(clock_.steady_at(c, *t));
        wake_for_load(c);
    }
    if (commits_.in_flight() && !stalled()) {
        wake_by(commits_.sent_at() + opt_.store_timeout + std::chrono::milliseconds{1});
    }
    const bool list_to_sweep =
        std::any_of(lists_.begin(), lists_.end(), [](const list_job& j) { return j.sweeping; });
    wake_for_check();
    if (sweep_ || list_to_sweep || !marked_.empty()) wake_by(steady_);
}

stats engine::impl::snapshot() const {
    stats s = totals_;
    s.ready = phase_ == phase::serving;
    s.pending = meta_.pending;
    s.retained = meta_.retained;
    s.dead = meta_.dead;
    s.in_memory = pool_.live();
    s.memory_bytes = bytes_;
    s.in_flight = in_flight_;
    s.behind = steady_ - all_offered_at_;
    s.overdue = s.behind > std::chrono::seconds{1} ? overdue_ + 1 : overdue_;
    s.uncommitted = commits_.waiting() + looking_up_;
    for (const auto& [name, q] : queues_) {
        s.backlog += q->backlog.count;
        s.queues.push_back({q->ns, q->name, q->ready, q->in_flight, q->waiters.size()});
    }
    return s;
}

}  // namespace foliot::engine
