// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Commands on one timer: look it up, decide, gather the write, answer when it is durable.
#include "engine/engine_impl.hpp"

#include <utility>

namespace foliot::engine {

namespace {

store::timer_key key_of(const keyed_work& w) {
    return std::visit(
        [](const auto& c) -> store::timer_key {
            if constexpr (std::is_same_v<std::decay_t<decltype(c)>, settle_token>) {
                return {c.token.ns, c.token.id};
            } else {
                return {c.ns, c.id};
            }
        },
        w.what);
}

}  // namespace

void engine::impl::run(request_id id, set_timer& c) {
    auto refused = stopping_ ? failure{failure_code::stopping,
                                       "the server is stopping; nothing was changed",
                                       {},
                                       0,
                                       {}}
                             : refuse_change();
    if (!refused && !has_room(5, 4)) {
        refused = failure{failure_code::overloaded,
                          "too many timers are in memory; nothing was changed, try again "
                          "(window.max_timers, window.max_bytes)",
                          "window.max_timers",
                          opt_.window_max_timers,
                          {}};
    }
    if (refused) return answer_now(id, std::move(*refused));
    process({id, std::move(c)});
}

void engine::impl::run(request_id id, cancel_timer& c) {
    if (auto f = refuse_change()) return answer_now(id, std::move(*f));
    process({id, std::move(c)});
}

void engine::impl::run(request_id id, get_timer& c) {
    if (auto f = refuse()) return answer_now(id, std::move(*f));
    process({id, std::move(c)});
}

void engine::impl::run(request_id id, settle& c) {
    if (auto f = refuse_change()) return answer_now(id, std::move(*f));
    if (c.tokens.empty()) return answer_now(id, settled{});
    std::vector<delivery_token> tokens = std::move(c.tokens);
    settle_job& job = settles_[id];
    job.command = std::move(c);
    job.outcomes.resize(tokens.size());
    job.undecided = tokens.size();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        process({id, settle_token{i, std::move(tokens[i])}});
    }
}

/// Commands on a timer that is neither in memory nor certainly absent wait for its look-up.
void engine::impl::process(keyed_work w) {
    store::timer_key key = key_of(w);
    if (const auto at = lookups_.find(key); at != lookups_.end()) {
        at->second.waiting.push_back(std::move(w));
        return;
    }
    entry* e = table_.find({key.ns, key.id});
    if (e || !may_be_on_disk()) return execute(w, e);
    lookup& l = lookups_[key];
    l.waiting.push_back(std::move(w));
    l.asked_at = steady_;
    new_lookups_.push_back(std::move(key));
}

void engine::impl::send_lookups() {
    if (new_lookups_.empty()) return;
    std::vector<store::timer_key> keys = std::exchange(new_lookups_, {});
    const io_id id = ask(find_request{epoch_, keys});
    outstanding_.emplace(id, for_lookup{std::move(keys)});
}

void engine::impl::lookups_done(const std::vector<store::timer_key>& keys,
                                store::store_result<std::vector<std::optional<store::found>>>& r) {
    if (!r) {
        if (r.error().code == store::store_code::fenced) return store_failed(r.error());
        ++totals_.store_errors_total;
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        auto node = lookups_.extract(keys[i]);
        lookup& l = node.mapped();
        if (!r) {
            fail_all(l.waiting, {failure_code::store_unavailable,
                                 "the store failed (" + r.error().message +
                                     "); nothing was changed, try again",
                                 {},
                                 0,
                                 {}});
            continue;
        }
        entry* e = table_.find({keys[i].ns, keys[i].id});
        if (!e && l.outdated) {
            l.outdated = false;
            new_lookups_.push_back(keys[i]);
            lookups_.insert(std::move(node));
            continue;
        }
        if (auto& f = (*r)[i]; !e && f) {
            const bool far = f->where == store::place::far;
            e = &adopt(f->row, far ? row_place::far : row_place::dead);
            e->state = entry_state::parked;
        }
        for (auto& w : l.waiting) execute(w, table_.find({keys[i].ns, keys[i].id}));
        e = table_.find({keys[i].ns, keys[i].id});
        if (e && e->state == entry_state::parked && commits_.durable(e->batch)) free_entry(*e);
    }
}

void engine::impl::execute(keyed_work& w, entry* e) {
    commits_.begin_change();
    if (e && e->state == entry_state::leaving && e->in_table) {
        // Gone, but not durably: whatever is said of it goes with the commit that removes it.
        if (auto* t = std::get_if<settle_token>(&w.what)) {
            return decided(w.request, t->index, settle_outcome::unknown, e->batch);
        }
    }
    std::visit(
        [&](auto& c) {
            if constexpr (std::is_same_v<std::decay_t<decltype(c)>, settle_token>) {
                settle_one(w.request, c, e);
            } else {
                execute(w.request, c, e);
            }
        },
        w.what);
}

namespace {

/// The timer as a command sees it: an entry that is being removed is no timer any more.
entry* alive(entry* e) { return e && e->state != entry_state::leaving ? e : nullptr; }

std::optional<failure> check(const precondition& p, const entry* e) {
    const auto refuse = [&](std::string why) {
        failure f{failure_code::precondition_failed, std::move(why), {}, 0, {}};
        if (e) f.generation = e->seq;
        return f;
    };
    if (p.require == precondition::kind::absent && e) {
        return refuse("a timer with this id exists; nothing was changed");
    }
    if (p.require == precondition::kind::generation && (!e || e->seq != p.generation)) {
        return refuse(e ? "the timer has another generation; nothing was changed"
                        : "no timer has this id; nothing was changed");
    }
    return std::nullopt;
}

}  // namespace

store::due_point engine::impl::due_of(const std::variant<after, at>& when) const {
    if (const auto* delay = std::get_if<after>(&when)) {
        return {store::clock_kind::service, clock_.service_due(delay->delay)};
    }
    return {store::clock_kind::wall, std::get<at>(when).wall_ms};
}

/// Whether `old` keeps its place against a set for `due`. A timer that is retried or dead is as
/// late as it was asked to be: its back-off is no due.
bool engine::impl::stands_against(const entry& old, set_mode mode, store::due_point due) const {
    const tick now = clock_.to_wall(old.due_point());
    const tick wanted = clock_.to_wall(due);
    return (mode == set_mode::extend && wanted <= now) ||
           (mode == set_mode::advance && wanted >= now);
}

void engine::impl::execute(request_id id, set_timer& c, entry* e) {
    const batch_number seen = e ? e->batch : 0;
    entry* old = alive(e);
    if (auto f = check(c.require, old)) return answer_after(seen, id, std::move(*f));
    if (c.mode == set_mode::create) {
        if (auto f = check({precondition::kind::absent, {}}, old)) {
            return answer_after(seen, id, std::move(*f));
        }
    }
    const store::due_point due = due_of(c.when);
    if (old && stands_against(*old, c.mode, due)) {
        const tick stands = clock_.to_wall(old->due_point());
        return answer_after(seen, id, timer_set{c.id, old->seq, old->seq, stands, false});
    }

    std::optional<sequence> previous;
    if (old) previous = old->seq;
    if (old) retire(*old);
    entry& fresh = create(c.ns, c.id, c.queue, c.payload);
    fresh.kind = c.kind;
    fresh.seq = next_sequence();
    fresh.due_clock = due.clock;
    fresh.due = due.at;
    fresh.next_clock = fresh.due_clock;
    fresh.next = fresh.due;
    const bool far = goes_far(fresh.next_point());
    fresh.place = far ? row_place::far : row_place::near;
    fresh.state = far ? entry_state::parked : entry_state::committing;
    insert_row(fresh);
    ++totals_.set_total;
    if (old) ++totals_.replaced_total;
    answer_after(fresh.batch, id,
                 timer_set{c.id, fresh.seq, previous, clock_.to_wall(fresh.due_point())});
}

void engine::impl::execute(request_id id, cancel_timer& c, entry* e) {
    const batch_number seen = e ? e->batch : 0;
    entry* old = alive(e);
    if (auto f = check(c.require, old)) return answer_after(seen, id, std::move(*f));
    if (!old) return answer_after(seen, id, timer_cancelled{c.id, cancel_outcome::gone});
    const bool out = old->state == entry_state::leased;
    retire(*old);
    ++totals_.cancelled_total;
    answer_after(
        old->batch, id,
        timer_cancelled{c.id, out ? cancel_outcome::in_flight : cancel_outcome::cancelled});
}

void engine::impl::execute(request_id id, get_timer&, entry* e) {
    const batch_number seen = e ? e->batch : 0;
    if (!alive(e)) {
        return answer_after(seen, id,
                            failure{failure_code::not_found, "no timer has this id", {}, 0, {}});
    }
    answer_after(seen, id, make_view(*e));
}

// --- entries and their rows -------------------------------------------------------------------

store::sequence engine::impl::next_sequence() {
    return {store::sequence::first_of(epoch_).value + ++next_count_};
}

entry& engine::impl::create(std::string_view ns, std::string_view id, std::string_view queue,
                            std::string_view payload) {
    entry& e = pool_.take();
    e.set_bytes(ns, id, payload);
    bytes_ += e.byte_count();
    e.queue = &queue_of(ns, queue);
    ++e.queue->members;
    e.failures = 0;
    e.owner_epoch = 0;
    e.rewritten = false;
    e.committed = false;
    table_.put(e);
    return e;
}

/// An entry for a row that was read; the caller gives it its state.
entry& engine::impl::adopt(const store::record& r, row_place place) {
    entry& e = create(r.ns, r.id, r.queue, r.payload);
    e.seq = r.seq;
    e.kind = r.kind;
    e.due = r.due.at;
    e.due_clock = r.due.clock;
    e.next = r.next.at;
    e.next_clock = r.next.clock;
    e.failures = r.failures;
    e.rewritten = r.rewritten;
    e.place = place;
    e.committed = true;
    return e;
}

void engine::impl::free_entry(entry& e) {
    if (e.in_table) {
        if (!lookups_.empty()) {
            const auto at = lookups_.find(key_view{e.ns(), e.id()});
            if (at != lookups_.end()) at->second.outdated = true;
        }
        table_.take_out(e);
    }
    bytes_ -= e.byte_count();
    queue_state* q = e.queue;
    --q->members;
    pool_.give_back(e);
    mark(*q);
}

void engine::impl::take_out_of_motion(entry& e) {
    switch (e.state) {
        case entry_state::scheduled: wheel_of(e.next_clock).cancel(e); break;
        case entry_state::ready: e.queue->remove_ready(e); break;
        case entry_state::leased:
            save_lease(e);
            wheel_of(store::clock_kind::service).cancel(e);
            --e.queue->in_flight;
            --in_flight_;
            mark(*e.queue);
            break;
        default: break;
    }
}

void engine::impl::insert_row(entry& e) {
    pending_commit& c = commits_.touch(e);
    store::record r = make_record(e);
    switch (e.place) {
        case row_place::near:
            c.what.operations.emplace_back(store::put_near{std::move(r)});
            ++c.pending_delta;
            ++near_rows_;
            break;
        case row_place::far: {
            tick& least = c.far_min[static_cast<std::size_t>(e.next_clock)];
            least = std::min(least, e.next);
            c.what.operations.emplace_back(store::put_far{std::move(r)});
            ++c.pending_delta;
            ++far_rows_;
            break;
        }
        case row_place::dead:
            c.what.operations.emplace_back(store::put_dead{std::move(r)});
            ++c.dead_delta;
            ++dead_rows_;
            break;
    }
}

void engine::impl::overwrite_near_row(entry& e, tick lease_until) {
    e.rewritten = true;
    store::record r = make_record(e);
    r.lease_until = lease_until;
    commits_.touch(e).what.operations.emplace_back(store::put_near{std::move(r)});
}

void engine::impl::remove_row(entry& e) {
    pending_commit& c = commits_.touch(e);
    const auto name = [&] { return std::pair{std::string{e.ns()}, std::string{e.id()}}; };
    switch (e.place) {
        case row_place::near:
            c.what.operations.emplace_back(store::remove_near{e.seq, !e.rewritten});
            --c.pending_delta;
            --near_rows_;
            break;
        case row_place::far: {
            auto [ns, id] = name();
            c.what.operations.emplace_back(
                store::remove_far{e.next_point(), e.seq, std::move(ns), std::move(id)});
            --c.pending_delta;
            --far_rows_;
            removed_far_.insert_or_assign({e.next.count, e.seq.value}, c.number);
            break;
        }
        case row_place::dead: {
            auto [ns, id] = name();
            c.what.operations.emplace_back(store::remove_dead{e.seq, std::move(ns), std::move(id)});
            --c.dead_delta;
            --dead_rows_;
            break;
        }
    }
}

/// Its row goes to another keyspace under the same sequence; from here on its near key counts as
/// rewritten, so that no single-delete ever meets two values.
void engine::impl::move_row(entry& e, row_place to) {
    e.rewritten = true;
    remove_row(e);
    e.place = to;
    insert_row(e);
}

/// The timer ends here: out of the wheel or queue now, off the disk with the open commit.
void engine::impl::retire(entry& e) {
    take_out_of_motion(e);
    remove_row(e);
    e.state = entry_state::leaving;
}

/// The last commit that changes `e` is durable.
void engine::impl::settle_entry(entry& e) {
    if (e.state != entry_state::leased) saved_leases_.erase(e.seq.value);
    switch (e.state) {
        case entry_state::committing: schedule(e); break;
        case entry_state::parked:
        case entry_state::leaving: free_entry(e); break;
        default: break;
    }
}

store::record engine::impl::make_record(const entry& e) const {
    store::record r;
    r.ns = e.ns();
    r.id = e.id();
    r.queue = e.queue->name;
    r.payload = e.payload();
    r.kind = e.kind;
    r.seq = e.seq;
    r.due = e.due_point();
    r.next = e.next_point();
    r.failures = e.failures;
    r.rewritten = e.rewritten;
    return r;
}

timer_view engine::impl::make_view(const entry& e) const {
    timer_view v;
    v.id = e.id();
    v.generation = e.seq;
    v.queue = e.queue->name;
    v.attempt = e.failures;
    v.due_ms = clock_.to_wall(e.due_point());
    v.payload = e.payload();
    v.kind = e.kind;
    if (e.place == row_place::dead) {
        v.state = timer_state::dead;
    } else if (e.state == entry_state::leased) {
        v.state = timer_state::in_flight;
        v.attempt = e.attempt();
    }
    return v;
}

timer_view engine::impl::make_view(const store::record& r, timer_state s) const {
    return {r.id, r.seq, r.queue, s, r.failures, clock_.to_wall(r.due), r.payload, r.kind};
}

}  // namespace foliot::engine
