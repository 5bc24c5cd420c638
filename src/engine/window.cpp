// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Which timers are in memory: loading, eviction, the backlog.
//
// All near rows are in memory. Of the far rows, those up to an edge per clock are, but for the
// ones put into a queue's backlog: due, without a consumer, and given up for room. So memory holds
// a prefix of the due order, however much is pending.
#include "engine/engine_impl.hpp"

#include <algorithm>
#include <utility>

namespace foliot::engine {

namespace {

constexpr store::sequence last_sequence{~std::uint64_t{0}};

/// An edge nearer than this is urgent: loading may then use all of the memory's bound.
constexpr std::uint64_t urgent_ms = 2'000;

/// Timers nearer than this are not evicted. Well above urgent_ms, or what was evicted would be
/// loaded again at once.
constexpr std::uint64_t too_near_ms = 5'000;

}  // namespace

bool engine::impl::has_room(std::size_t numerator, std::size_t denominator) const {
    return pool_.live() * denominator < opt_.window_max_timers * numerator &&
           bytes_ * denominator < opt_.window_max_bytes * numerator;
}

tick engine::impl::horizon(store::clock_kind c) const {
    return saturating_add(clock_.now_tick(c),
                          static_cast<std::uint64_t>(opt_.window_horizon.count()));
}

/// A far row behind the edge, or in the range of a load that is out, would never be seen.
bool engine::impl::far_is_allowed(store::due_point p) const {
    const window_edge& edge = edges_[static_cast<std::size_t>(p.clock)];
    return p.at > edge.loaded.next && (!edge.loading_to || p.at > *edge.loading_to);
}

bool engine::impl::goes_far(store::due_point p) const {
    return (p.at > horizon(p.clock) || !has_room(1, 1)) && far_is_allowed(p);
}

/// A page is small beside the window, or loading it would at once evict it again.
std::size_t engine::impl::rows_per_load() const {
    return std::clamp<std::size_t>(opt_.window_max_timers / 8, 1, opt_.load_rows);
}

// --- loading ----------------------------------------------------------------------------------

void engine::impl::load_ahead() {
    for (const auto c : both_clocks) load_edge(c);
}

void engine::impl::load_edge(store::clock_kind clock) {
    window_edge& edge = edges_[static_cast<std::size_t>(clock)];
    const tick now = clock_.now_tick(clock);
    const tick target = horizon(clock);
    const auto half = static_cast<std::uint64_t>(opt_.window_horizon.count()) / 2;
    if (edge.loading_to || edge.loaded.next > saturating_add(now, half)) return;
    if (far_rows_ == 0) {
        edge.loaded = {target, last_sequence};
        return;
    }
    if (steady_ < next_load_at_ || (sweep_ && sweep_->evict)) return;
    const bool urgent = edge.loaded.next <= saturating_add(now, std::min(urgent_ms, half));
    if (!(urgent ? has_room(1, 1) : has_room(3, 4))) return;
    const tick uncommitted = commits_.uncommitted_far_min(clock);
    const tick to = uncommitted <= target ? tick{uncommitted.count - 1} : target;
    if (to <= edge.loaded.next) return;
    edge.loading_to = to;
    ++loads_out_;
    const io_id id = ask(load_far_request{epoch_, clock, edge.loaded, to, rows_per_load()});
    outstanding_.emplace(id, for_edge{clock, to});
}

void engine::impl::edge_page(store::clock_kind clock, tick to,
                             store::store_result<store::page>& r) {
    window_edge& edge = edges_[static_cast<std::size_t>(clock)];
    edge.loading_to.reset();
    if (!r) return load_failed(r.error());
    const tick now = clock_.now_tick(clock);
    for (const auto& row : r->rows) {
        if (!is_news(row)) continue;
        ++totals_.loaded_total;
        queue_state& q = queue_of(row.ns, row.queue);
        const bool unwanted = row.next.at <= now && q.waiters.empty() && !q.backlog.loading &&
                              q.ready * 8 >= opt_.window_max_timers && !was_leased(row) &&
                              !end_of(row);
        if (unwanted) {
            q.backlog.add(clock, {row.next.at, row.seq});
            ++backlogs_;
        } else {
            install(adopt(row, row_place::far), row);
        }
    }
    edge.loaded = r->end ? store::far_position{to, last_sequence}
                         : store::far_position{r->rows.back().next.at, r->rows.back().seq};
    end_load();
}

/// Its delivery may still be out: it needs its place in memory.
bool engine::impl::was_leased(const store::record& r) const {
    return saved_leases_.contains(r.seq.value) ||
           r.lease_until > clock_.now_tick(store::clock_kind::service);
}

/// A failed read changes nothing in memory; it is tried again.
void engine::impl::load_failed(const store::store_error& e) {
    end_load();
    if (e.code == store::store_code::fenced) return store_failed(e);
    ++totals_.store_errors_total;
    next_load_at_ = steady_ + opt_.store_retry_interval;
}

void engine::impl::end_load() {
    if (--loads_out_ == 0) forget_removed();
}

void engine::impl::forget_removed() {
    erase_if(removed_far_, [this](const auto& r) { return commits_.durable(r.second); });
}

/// Neither in memory already nor removed by a commit that the load may not have seen.
bool engine::impl::is_news(const store::record& r) const {
    return !removed_far_.contains({r.next.at.count, r.seq.value}) && !table_.find({r.ns, r.id});
}

void engine::impl::wake_for_load(store::clock_kind clock) {
    const window_edge& edge = edges_[static_cast<std::size_t>(clock)];
    if (far_rows_ == 0 || edge.loading_to) return;
    const auto half = static_cast<std::uint64_t>(opt_.window_horizon.count()) / 2;
    const tick wanted{edge.loaded.next.count > half ? edge.loaded.next.count - half : 0};
    // No room, or a failed load: look again soon, the step that makes room may come sooner.
    constexpr std::chrono::milliseconds soon{20};
    wake_by(std::max(clock_.steady_at(clock, wanted), std::max(steady_ + soon, next_load_at_)));
}

// --- the backlog ------------------------------------------------------------------------------

/// A consumer wants more than memory holds: read on where rows of its queue were put aside.
void engine::impl::load_backlog(queue_state& q) {
    if (q.backlog.loading || steady_ < next_load_at_ || !has_room(1, 1)) return;
    for (const auto clock : both_clocks) {
        const auto i = static_cast<std::size_t>(clock);
        auto& resume = q.backlog.resume[i];
        if (!resume) continue;
        const tick uncommitted = commits_.uncommitted_far_min(clock);
        const tick last = q.backlog.until[i];
        const tick to = uncommitted <= last ? tick{uncommitted.count - 1} : last;
        if (to < resume->next)
            continue;  // its own rows are being written; when they are, it goes on
        q.backlog.loading = true;
        ++loads_out_;
        const io_id id = ask(load_far_request{epoch_, clock, *resume, to, rows_per_load()});
        outstanding_.emplace(id, for_backlog{&q, clock, to});
        return;
    }
}

void engine::impl::backlog_page(queue_state& q, store::clock_kind clock, tick to,
                                store::store_result<store::page>& r) {
    q.backlog.loading = false;
    mark(q);
    if (!r) return load_failed(r.error());
    auto& resume = q.backlog.resume[static_cast<std::size_t>(clock)];
    for (const auto& row : r->rows) {
        if (row.queue != q.name || row.ns != q.ns || !is_news(row)) continue;
        ++totals_.loaded_total;
        if (q.backlog.count > 0) --q.backlog.count;
        entry& e = adopt(row, row_place::far);
        if (e.next <= clock_.now_tick(clock)) {
            offer(e);
        } else {
            schedule(e);  // the wall clock was stepped back since
        }
    }
    if (r->end && to >= q.backlog.until[static_cast<std::size_t>(clock)]) {
        resume.reset();
    } else if (!r->rows.empty()) {
        resume = store::far_position{r->rows.back().next.at, r->rows.back().seq};
    }
    if (!q.backlog.any()) q.backlog.count = 0;
    end_load();
}

// --- eviction ---------------------------------------------------------------------------------

/// Memory is full: first give up what waits for a consumer that does not come, else what is due
/// last.
void engine::impl::make_room() {
    if (has_room(1, 1) || (sweep_ && sweep_->evict)) return;
    if (!spill_ready()) lower_edges();
}

/// Put the tail of the longest ready list back on disk, if that list is long.
bool engine::impl::spill_ready() {
    constexpr std::size_t portion = 1024;
    queue_state* longest = nullptr;
    for (auto& [name, q] : queues_) {
        if (!q->backlog.loading && (!longest || q->ready > longest->ready)) longest = q.get();
    }
    if (!longest || longest->ready * 8 < pool_.live()) return false;
    const std::size_t keep = longest->waiters.empty() ? 0 : longest->ready / 2;
    for (std::size_t i = 0; i < portion && longest->ready > keep; ++i) {
        put_aside(*longest->last_ready);
    }
    return true;
}

void engine::impl::put_aside(entry& e) {
    // What lies beyond the edge comes with the edge.
    const store::due_point at = e.next_point();
    if (e.place == row_place::far || !far_is_allowed(at)) {
        e.queue->backlog.add(at.clock, {at.at, e.seq});
        ++backlogs_;
    }
    evict(e);
}

/// Out of memory, onto disk. Precondition: scheduled or ready.
void engine::impl::evict(entry& e) {
    ++totals_.evicted_total;
    commits_.begin_change();
    take_out_of_motion(e);
    if (e.place == row_place::near) {
        move_row(e, row_place::far);
        e.state = entry_state::parked;
    } else if (commits_.durable(e.batch)) {
        free_entry(e);
    } else {
        e.state = entry_state::parked;
    }
}

/// Choose an earlier edge such that an eighth of the memory becomes free, and sweep to it.
void engine::impl::lower_edges() {
    constexpr std::size_t samples = 1024;
    if (edges_[0].loading_to || edges_[1].loading_to) return;
    std::vector<std::uint64_t> remaining;
    const std::size_t stride = std::max<std::size_t>(1, pool_.cells() / samples);
    for (std::size_t i = 0; i < pool_.cells(); i += stride) {
        const entry& e = pool_.at(i);
        if (e.state != entry_state::scheduled) continue;
        const tick now = clock_.now_tick(e.next_clock);
        remaining.push_back(e.next > now ? e.next.count - now.count : 0);
    }
    if (remaining.empty()) return;
    const auto keep = remaining.begin() + static_cast<std::ptrdiff_t>(remaining.size() * 7 / 8);
    std::nth_element(remaining.begin(), keep, remaining.end());
    // Where many are due together, the edge must fall before them, or nothing becomes free.
    const bool tie = *std::max_element(keep, remaining.end()) == *keep;
    const std::uint64_t last = *keep - (tie && *keep > 0 ? 1 : 0);
    if (last < too_near_ms) return;
    sweep_ = sweep{};
    sweep_->evict = true;
    for (const auto c : both_clocks) {
        const auto i = static_cast<std::size_t>(c);
        const tick edge = saturating_add(clock_.now_tick(c), last);
        sweep_->limit[i] = edge;
        if (edges_[i].loaded.next > edge) edges_[i].loaded = {edge, last_sequence};
    }
}

void engine::impl::sweep_some() {
    constexpr auto low_water_interval = std::chrono::minutes{1};
    if (!sweep_) {
        if (steady_ < next_low_water_ || far_rows_ == 0) return;
        next_low_water_ = steady_ + low_water_interval;
        sweep_ = sweep{};
        for (const auto c : both_clocks) sweep_->limit[static_cast<std::size_t>(c)] = far_bound(c);
    }
    constexpr std::size_t evictions_per_step = 2048;
    std::size_t evicted = 0;
    const std::size_t end = std::min(pool_.cells(), sweep_->next_cell + cells_per_step);
    for (; sweep_->next_cell < end && evicted < evictions_per_step; ++sweep_->next_cell) {
        entry& e = pool_.at(sweep_->next_cell);
        if (e.state == entry_state::free) continue;
        tick& limit = sweep_->limit[static_cast<std::size_t>(e.next_clock)];
        if (!sweep_->evict) {
            if (e.place == row_place::far) limit = std::min(limit, e.next);
        } else if (e.state == entry_state::scheduled && e.next > limit &&
                   far_is_allowed(e.next_point())) {
            evict(e);
            ++evicted;
        }
    }
    if (sweep_->next_cell < pool_.cells()) return;
    if (!sweep_->evict) raise_low_water(*sweep_);
    sweep_.reset();
}

/// No far row outside memory is due before this.
tick engine::impl::far_bound(store::clock_kind c) const {
    const auto i = static_cast<std::size_t>(c);
    tick least = std::min(edges_[i].loaded.next, commits_.uncommitted_far_min(c));
    for (const auto& [name, q] : queues_) {
        if (q->backlog.resume[i]) least = std::min(least, q->backlog.resume[i]->next);
    }
    return least;
}

void engine::impl::raise_low_water(const sweep& s) {
    for (const auto clock : both_clocks) {
        const auto i = static_cast<std::size_t>(clock);
        const tick bound = std::min(s.limit[i], far_bound(clock));
        if (bound <= meta_.far_low_water[i]) continue;
        pending_commit& c = commits_.open();
        c.low_water[i] = std::max(c.low_water[i], bound);
        c.dirty_meta = true;
    }
}

}  // namespace foliot::engine
