// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Entries in memory and their rows: made, moved, ended, removed, each with the open commit.
#include "engine/engine_impl.hpp"

#include <algorithm>
#include <utility>

namespace foliot::engine {

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
