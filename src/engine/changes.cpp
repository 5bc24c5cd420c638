// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Commands on one timer: look it up, decide, gather the write, answer when it is durable.
#include "engine/engine_impl.hpp"
#include "engine/fingerprint.hpp"

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

/// What there is under an id: an entry that is being removed is not.
entry* present(entry* e) { return e && e->state != entry_state::leaving ? e : nullptr; }

/// The timer that a change is about: one that has ended is none any more.
entry* alive(entry* e) { return present(e) && !e->ended ? e : nullptr; }

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
    if (!c.key.empty() && present(e)) {
        if (auto r = answer_repeated(c, *e)) return answer_after(seen, id, std::move(*r));
    }
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
    const tick told = clock_.to_wall(due);
    const sequence seq = next_sequence();
    std::string extra;
    if (c.retain || !c.key.empty()) {
        store::extra_fields x;
        x.retain = c.retain;
        if (!c.key.empty()) {
            x.keyed = {fingerprint(c), told, seq, previous.value_or(sequence{}), std::move(c.key)};
        }
        extra = store::encode_extra(x);
    }
    if (present(e)) retire(*e);
    const entry& fresh = insert_fresh({c.ns, c.id, c.queue, c.payload, c.kind, seq, due, extra});
    if (old) ++totals_.replaced_total;
    answer_after(fresh.batch, id, timer_set{c.id, fresh.seq, previous, told});
}

/// The answer to a set whose key made what there is under its id, or what that came from.
std::optional<reply> engine::impl::answer_repeated(const set_timer& c, const entry& e) const {
    const auto x = extra_of(e);
    if (!x.keyed || x.keyed->key != c.key) return std::nullopt;
    if (x.keyed->fingerprint != fingerprint(c)) {
        return failure{failure_code::key_reused,
                       "the idempotency key was used for another set of this id; nothing was "
                       "changed",
                       {},
                       0,
                       {}};
    }
    std::optional<sequence> previous;
    if (x.keyed->previous != sequence{}) previous = x.keyed->previous;
    return timer_set{c.id, x.keyed->generation, previous, x.keyed->told_due};
}

/// Writes a new timer. What it takes the place of is retired already, in the same change.
entry& engine::impl::insert_fresh(const fresh_timer& t) {
    entry& fresh = create(t.ns, t.id, t.queue, t.payload, t.extra);
    fresh.kind = t.kind;
    fresh.seq = t.seq;
    fresh.due_clock = fresh.next_clock = t.due.clock;
    fresh.due = fresh.next = t.due.at;
    const bool far = goes_far(fresh.next_point());
    fresh.place = far ? row_place::far : row_place::near;
    fresh.state = far ? entry_state::parked : entry_state::committing;
    insert_row(fresh);
    ++totals_.set_total;
    return fresh;
}

void engine::impl::execute(request_id id, cancel_timer& c, entry* e) {
    const batch_number seen = e ? e->batch : 0;
    entry* old = alive(e);
    if (auto f = check(c.require, old)) return answer_after(seen, id, std::move(*f));
    if (!old) return answer_after(seen, id, timer_cancelled{c.id, cancel_outcome::gone});
    const bool out = old->state == entry_state::leased;
    end_timer(*old, store::ending::cancelled);
    ++totals_.cancelled_total;
    answer_after(
        old->batch, id,
        timer_cancelled{c.id, out ? cancel_outcome::in_flight : cancel_outcome::cancelled});
}

void engine::impl::execute(request_id id, get_timer&, entry* e) {
    const batch_number seen = e ? e->batch : 0;
    if (!present(e)) {
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
                            std::string_view payload, std::string_view extra) {
    entry& e = pool_.take();
    e.set_bytes(ns, id, payload, extra);
    bytes_ += e.byte_count();
    e.queue = &queue_of(ns, queue);
    ++e.queue->members;
    e.failures = 0;
    e.owner_epoch = 0;
    e.rewritten = false;
    e.committed = false;
    e.ended = false;
    table_.put(e);
    return e;
}

/// An entry for a row that was read; the caller gives it its state.
entry& engine::impl::adopt(const store::record& r, row_place place) {
    entry& e = create(r.ns, r.id, r.queue, r.payload, r.extra);
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
    e.ended = end_of(r).has_value();
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
            count_row(c, e, +1);
            ++near_rows_;
            break;
        case row_place::far: {
            tick& least = c.far_min[static_cast<std::size_t>(e.next_clock)];
            least = std::min(least, e.next);
            c.what.operations.emplace_back(store::put_far{std::move(r)});
            count_row(c, e, +1);
            ++far_rows_;
            // No load that is out reaches it: it is not to be taken for what stood here before.
            if (!removed_far_.empty()) removed_far_.erase({e.next.count, e.seq.value});
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
            count_row(c, e, -1);
            --near_rows_;
            break;
        case row_place::far: {
            auto [ns, id] = name();
            c.what.operations.emplace_back(
                store::remove_far{e.next_point(), e.seq, std::move(ns), std::move(id)});
            count_row(c, e, -1);
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

/// The timer is no more. Its row is kept for as long as its set said, for those who ask: without
/// the payload, and until a due of its own, at which it goes as a timer would fire.
void engine::impl::end_timer(entry& e, store::ending how) {
    auto x = extra_of(e);
    auto keep = x.keyed ? opt_.retain_idempotent : std::chrono::milliseconds{0};
    if (x.retain) keep = *x.retain;
    if (keep.count() == 0) return retire(e);
    take_out_of_motion(e);
    const auto m = begin_move(e, {store::clock_kind::service, clock_.service_due(keep)});
    if (m.in_place) count_row(commits_.open(), e, -1);
    x.end = store::ended{how, clock_.now_tick(store::clock_kind::wall)};
    bytes_ -= e.byte_count();
    e.set_bytes(e.ns(), e.id(), {}, store::encode_extra(x));
    bytes_ += e.byte_count();
    e.ended = true;
    if (m.in_place) count_row(commits_.open(), e, +1);
    finish_move(e, m);
}

/// Off its place, unless it can be overwritten there.
row_move engine::impl::begin_move(entry& e, store::due_point next) {
    const bool far = goes_far(next);
    const row_move m{next, far, e.place == row_place::near && !far};
    if (!m.in_place) {
        e.rewritten = true;
        remove_row(e);
    }
    return m;
}

void engine::impl::finish_move(entry& e, const row_move& m) {
    e.next_clock = m.next.clock;
    e.next = m.next.at;
    e.place = m.far ? row_place::far : row_place::near;
    e.state = m.far ? entry_state::parked : entry_state::committing;
    if (m.in_place) {
        overwrite_near_row(e, tick{});
    } else {
        insert_row(e);
    }
}

void engine::impl::count_row(pending_commit& c, const entry& e, int by) {
    (e.ended ? c.retained_delta : c.pending_delta) += by;
}

/// Its bytes were checked when they were read, or are ours.
store::extra_fields engine::impl::extra_of(const entry& e) {
    if (!e.has_extra) return {};
    auto x = store::decode_extra(e.extra());
    return x ? *std::move(x) : store::extra_fields{};
}

std::optional<store::ended> engine::impl::end_of(const store::record& r) {
    if (r.extra.empty()) return std::nullopt;
    const auto x = store::decode_extra(r.extra);
    return x ? x->end : std::nullopt;
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
    r.extra = e.extra();
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
    if (const auto end = e.ended ? extra_of(e).end : std::nullopt) {
        v.state = end->how == store::ending::acked ? timer_state::acked : timer_state::cancelled;
        v.ended_ms = end->at;
        v.attempt = end->how == store::ending::acked ? e.attempt() : e.failures;
    } else if (e.place == row_place::dead) {
        v.state = timer_state::dead;
    } else if (e.state == entry_state::leased) {
        v.state = timer_state::in_flight;
        v.attempt = e.attempt();
    }
    return v;
}

timer_view engine::impl::make_view(const store::record& r, timer_state s) const {
    return {r.id, r.seq, r.queue, s, r.failures, clock_.to_wall(r.due), r.payload, r.kind, {}};
}

}  // namespace foliot::engine
