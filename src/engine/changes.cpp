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
        ++looking_up_;
        return;
    }
    entry* e = table_.find({key.ns, key.id});
    if (e || !may_be_on_disk()) return execute(w, e);
    lookup& l = lookups_[key];
    l.waiting.push_back(std::move(w));
    ++looking_up_;
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
            if (far && was_leased(f->row)) {
                install(*e, f->row);  // its consumer is at work
            } else {
                e->state = entry_state::parked;
            }
        }
        looking_up_ -= l.waiting.size();
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

}  // namespace foliot::engine
