// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Whether the store, the memory and the gauges agree; and how old what is overdue is. Both go on in
// portions, beside the work.
#include "engine/engine_impl.hpp"

#include <algorithm>
#include <utility>

namespace foliot::engine {

namespace {

using stage = self_check::stage;
using fault = suspect::fault;

std::string to_text(fault what) {
    switch (what) {
        case fault::unknown_row: return "is in the store and not in memory";
        case fault::missing_row: return "is in memory and not in the store";
        case fault::lost_row: return "is in the store, and was passed by when timers were loaded";
        case fault::wrong_id: return "is in the store, and is not found by its id";
    }
    return {};
}

bool is_far(const suspect& s) { return s.what == fault::lost_row || s.what == fault::wrong_id; }

}  // namespace

// --- a round ----------------------------------------------------------------------------------

void engine::impl::check_some() {
    self_check& c = check_;
    if (opt_.check_interval.count() == 0 || c.asked || steady_ < c.next_at) return;
    switch (c.at) {
        case stage::resting: return begin_check();
        case stage::near:
            return ask_for_check(load_near_request{epoch_, c.near_after, self_check::page_rows});
        case stage::memory: return check_memory();
        case stage::far:
            return ask_for_check(
                load_far_request{epoch_, c.clock, c.far_after, tick::max(), self_check::page_rows});
        case stage::looking_again: return look_again();
    }
}

void engine::impl::forget_check() {
    const std::uint8_t mark = check_.mark;
    check_ = {};
    check_.mark = mark;
    check_.next_at = steady_ + opt_.check_interval;
}

void engine::impl::begin_check() {
    forget_check();
    check_.mark = static_cast<std::uint8_t>(check_.mark % 255 + 1);
    check_.next_at = steady_;
    check_.at = stage::near;
    check_.begun_after = commits_.last_durable();
    check_.changes_before = durable_changes_;
}

void engine::impl::ask_for_check(store_request what) {
    check_.asked = true;
    outstanding_.emplace(ask(std::move(what)), for_check{});
}

/// At most so many rows a second are read, so that the check disturbs nobody.
void engine::impl::rest_after(std::size_t rows) {
    const auto pause = std::chrono::nanoseconds{std::chrono::seconds{1}} *
                       static_cast<std::int64_t>(rows) /
                       static_cast<std::int64_t>(opt_.check_rows_per_second);
    check_.next_at = steady_ + pause;
}

void engine::impl::check_page(store::store_result<store::page>& r) {
    check_.asked = false;
    if (!r) return check_failed(r.error());
    rest_after(r->rows.size());
    switch (check_.at) {
        case stage::near: return check_near_page(*r);
        case stage::far: return check_far_page(*r);
        case stage::looking_again: return decide_suspects(*r);
        default: return;
    }
}

/// A read that fails says nothing about what is stored: the round ends here.
void engine::impl::check_failed(const store::store_error& e) {
    if (e.code == store::store_code::fenced) return store_failed(e);
    ++totals_.store_errors_total;
    forget_check();
}

void engine::impl::check_near_page(const store::page& p) {
    self_check& c = check_;
    c.near_rows += p.rows.size();
    for (const auto& row : p.rows) {
        c.ended_rows += end_of(row) ? 1 : 0;
        if (entry* e = near_entry_of(row)) {
            e->checked = c.mark;
        } else {
            suspect_row(fault::unknown_row, row);
        }
    }
    if (!p.end) {
        c.near_after = p.rows.back().seq;
        return;
    }
    c.at = stage::memory;
}

entry* engine::impl::near_entry_of(const store::record& row) {
    entry* e = table_.find({row.ns, row.id});
    return e && e->seq == row.seq && e->place == row_place::near ? e : nullptr;
}

/// Rows that were durable before the round began, and have not changed since, were on its pages.
void engine::impl::check_memory() {
    self_check& c = check_;
    const std::size_t end = std::min(pool_.cells(), c.next_cell + cells_per_step);
    for (; c.next_cell < end; ++c.next_cell) {
        const entry& e = pool_.at(c.next_cell);
        const bool was_there = e.state != entry_state::free && e.state != entry_state::leaving &&
                               e.place == row_place::near && e.committed &&
                               e.batch <= c.begun_after;
        if (was_there && e.checked != c.mark) {
            add_suspect({fault::missing_row,
                         {std::string{e.ns()}, std::string{e.id()}},
                         {tick{}, e.seq},
                         {}});
        }
    }
    if (c.next_cell < pool_.cells()) return;
    c.at = stage::far;
}

void engine::impl::check_far_page(const store::page& p) {
    self_check& c = check_;
    c.far_rows += p.rows.size();
    for (const auto& row : p.rows) {
        c.ended_rows += end_of(row) ? 1 : 0;
        if (!is_accounted_for(row)) suspect_row(fault::lost_row, row);
    }
    check_ids(p);
    if (!p.end) {
        c.far_after = {p.rows.back().next.at, p.rows.back().seq};
    } else if (c.clock == store::clock_kind::service) {
        c.clock = store::clock_kind::wall;
        c.far_after = {};
    } else {
        c.at = stage::looking_again;
    }
}

/// In memory, or yet to be loaded: in the order of the dues, or with its queue's backlog.
bool engine::impl::is_accounted_for(const store::record& row) {
    if (const entry* e = table_.find({row.ns, row.id}); e && e->seq == row.seq) {
        return e->place == row_place::far;
    }
    const auto i = static_cast<std::size_t>(row.next.clock);
    const store::far_position at{row.next.at, row.seq};
    if (at > edges_[i].loaded) return true;
    const auto q = queues_.find(std::pair{row.ns, row.queue});
    if (q == queues_.end()) return false;
    const auto& resume = q->second->backlog.resume[i];
    return resume && *resume < at && at.next <= q->second->backlog.until[i];
}

/// Of some rows, spread over the page: each look-up may read from the disk.
void engine::impl::check_ids(const store::page& p) {
    if (p.rows.empty()) return;
    const std::size_t stride = std::max<std::size_t>(1, p.rows.size() / self_check::ids_per_page);
    for_check_ids what;
    for (std::size_t i = 0; i < p.rows.size(); i += stride) {
        const auto& row = p.rows[i];
        what.rows.push_back(
            {fault::wrong_id, {row.ns, row.id}, {row.next.at, row.seq}, row.next.clock});
    }
    std::vector<store::timer_key> keys;
    keys.reserve(what.rows.size());
    for (const suspect& s : what.rows) keys.push_back(s.key);
    check_.asked = true;
    outstanding_.emplace(ask(find_request{epoch_, std::move(keys)}), std::move(what));
}

void engine::impl::checked_ids(for_check_ids& what,
                               store::store_result<std::vector<std::optional<store::found>>>& r) {
    check_.asked = false;
    if (!r) return check_failed(r.error());
    for (std::size_t i = 0; i < what.rows.size(); ++i) {
        const auto& f = (*r)[i];
        const bool right = f && f->where == store::place::far && f->row.seq == what.rows[i].at.seq;
        if (!right) add_suspect(std::move(what.rows[i]));
    }
}

// --- suspects -----------------------------------------------------------------------------------

void engine::impl::suspect_row(suspect::fault what, const store::record& row) {
    const bool near = what == fault::unknown_row;
    add_suspect({what,
                 {row.ns, row.id},
                 {near ? tick{} : row.next.at, row.seq},
                 near ? store::clock_kind{} : row.next.clock});
}

void engine::impl::add_suspect(suspect s) {
    if (check_.suspects.size() < self_check::max_suspects) check_.suspects.push_back(std::move(s));
}

/// In the order in which pages bring them: near rows, then far rows by clock.
void engine::impl::sort_suspects() {
    self_check& c = check_;
    c.sorted = true;
    c.look_again_after = commits_.last_opened();
    const auto rank = [](const suspect& s) {
        return is_far(s) ? 1 + static_cast<int>(s.clock) : 0;
    };
    std::sort(c.suspects.begin(), c.suspects.end(), [&](const suspect& a, const suspect& b) {
        return std::pair{rank(a), a.at} > std::pair{rank(b), b.at};
    });  // the last one is looked at first
}

void engine::impl::look_again() {
    self_check& c = check_;
    if (!c.sorted) sort_suspects();
    if (!commits_.durable(c.look_again_after)) return;
    if (c.suspects.empty()) return end_check();
    const suspect& s = c.suspects.back();
    const store::far_position just_before{s.at.next, {s.at.seq.value - 1}};
    if (is_far(s)) {
        ask_for_check(
            load_far_request{epoch_, s.clock, just_before, tick::max(), self_check::page_rows});
    } else {
        ask_for_check(load_near_request{epoch_, just_before.seq, self_check::page_rows});
    }
}

/// The page that was read for the last suspect may decide about some before it, too.
void engine::impl::decide_suspects(const store::page& p) {
    self_check& c = check_;
    const bool far = is_far(c.suspects.back());
    const store::clock_kind clock = c.suspects.back().clock;
    const auto place_of = [far](const store::record& row) {
        return store::far_position{far ? row.next.at : tick{}, row.seq};
    };
    while (!c.suspects.empty()) {
        const suspect& s = c.suspects.back();
        const bool covered = p.end || (!p.rows.empty() && s.at <= place_of(p.rows.back()));
        if (is_far(s) != far || s.clock != clock || !covered) return;
        const auto row = std::find_if(p.rows.begin(), p.rows.end(),
                                      [&](const auto& r) { return place_of(r) == s.at; });
        decide(s, row == p.rows.end() ? nullptr : &*row);
        c.suspects.pop_back();
    }
}

void engine::impl::decide(const suspect& s, const store::record* row) {
    switch (s.what) {
        case fault::unknown_row:
            if (row && !is_being_removed(*row) && !near_entry_of(*row)) disagree(s);
            return;
        case fault::missing_row: {
            const entry* e = table_.find({s.key.ns, s.key.id});
            const bool settled = e && e->seq == s.at.seq && e->place == row_place::near &&
                                 e->committed && commits_.durable(e->batch);
            if (!row && settled && e->batch <= check_.look_again_after) disagree(s);
            return;
        }
        case fault::lost_row:
            if (row && !is_being_removed(*row) && !is_accounted_for(*row)) disagree(s);
            return;
        case fault::wrong_id:  // its id row goes with it, so it was to be found all the time
            if (row && !is_being_removed(*row)) disagree(s);
            return;
    }
}

/// By a commit that is not durable yet: an entry that leaves is out of the table before its row.
bool engine::impl::is_being_removed(const store::record& row) const {
    if (removed_far_.contains({row.next.at.count, row.seq.value})) return true;
    const entry* e = table_.find({row.ns, row.id});
    return e && !commits_.durable(e->batch);
}

void engine::impl::disagree(const suspect& s) {
    if (check_.found++ == 0) {
        check_.first_found = "timer " + s.key.ns + "/" + s.key.id + ", generation " +
                             std::to_string(s.at.seq.value) + ", " + to_text(s.what);
    }
}

// --- gauges -------------------------------------------------------------------------------------

/// What was counted may differ by as many rows as were changed meanwhile.
void engine::impl::check_gauge(const char* name, std::uint64_t gauge, std::uint64_t counted,
                               std::uint64_t slack) {
    const std::uint64_t apart = gauge > counted ? gauge - counted : counted - gauge;
    if (apart <= slack) return;
    if (check_.found++ == 0) {
        check_.first_found = std::string{name} + " is told to be " + std::to_string(gauge) +
                             " and was counted as " + std::to_string(counted);
    }
}

void engine::impl::end_check() {
    self_check& c = check_;
    const std::uint64_t changed = changes_ + commits_.operations() - c.changes_before;
    check_gauge("the number of near rows", near_rows_, c.near_rows, changed);
    check_gauge("the number of pending timers", meta_.pending,
                c.near_rows + c.far_rows - c.ended_rows, changed);
    check_gauge("the number of retained timers", meta_.retained, c.ended_rows, changed);
    std::size_t members = 0;
    std::size_t in_flight = 0;
    for (const auto& [name, q] : queues_) {
        members += q->members;
        in_flight += q->in_flight;
    }
    check_gauge("the number of timers in memory", pool_.live(), members, 0);
    check_gauge("the number of live leases", in_flight_, in_flight, 0);
    ++totals_.checks_total;
    totals_.disagreements = c.found;
    totals_.first_disagreement = std::move(c.first_found);
    totals_.checked_rows_total += c.near_rows + c.far_rows;
    forget_check();
}

void engine::impl::wake_for_check() {
    const auto& told = totals_.overdue_by_age.counts;
    const bool none_told = std::all_of(told.begin(), told.end(), [](auto n) { return n == 0; });
    if (overdue_ages_.running) {
        wake_by(steady_);
    } else if (pool_.live() > 0 || backlogs_ > 0 || !none_told) {
        wake_by(std::max(overdue_ages_.next_at, steady_));
    }
    if (opt_.check_interval.count() == 0 || check_.asked) return;
    const bool waits_for_commit =
        check_.at == stage::looking_again && !commits_.durable(check_.look_again_after);
    if (!waits_for_commit) wake_by(std::max(check_.next_at, steady_));
}

// --- what is overdue ------------------------------------------------------------------------------

void engine::impl::sweep_overdue() {
    constexpr std::chrono::seconds interval{10};
    overdue_sweep& o = overdue_ages_;
    if (!o.running) {
        if (steady_ < o.next_at) return;
        const bool any_ready = std::any_of(queues_.begin(), queues_.end(),
                                           [](const auto& q) { return q.second->ready > 0; });
        o = {steady_ + interval, any_ready ? 0 : pool_.cells(), true, {}};
    }
    const std::size_t end = std::min(pool_.cells(), o.next_cell + cells_per_step);
    for (; o.next_cell < end; ++o.next_cell) {
        const entry& e = pool_.at(o.next_cell);
        if (e.state == entry_state::ready) {
            ++o.ages.counts[overdue_ages::bucket_of(clock_.since(e.next_clock, e.next))];
        }
    }
    if (o.next_cell < pool_.cells()) return;
    // Of those on disk only the oldest is known: they count as so old.
    for (const auto& [name, q] : queues_) {
        if (q->backlog.count == 0) continue;
        std::chrono::nanoseconds oldest{};
        for (const auto c : both_clocks) {
            const auto& resume = q->backlog.resume[static_cast<std::size_t>(c)];
            if (resume) oldest = std::max(oldest, clock_.since(c, resume->next));
        }
        o.ages.counts[overdue_ages::bucket_of(oldest)] += q->backlog.count;
    }
    o.running = false;
    totals_.overdue_by_age = o.ages;
}

}  // namespace foliot::engine
