// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Pages in due order: the entries in memory, swept in portions so that firing goes on, merged with
// the far rows of the store. A page is weakly consistent: a timer set or moved while it is made may
// show once, or not.
#include "engine/engine_impl.hpp"

#include <algorithm>
#include <utility>

namespace foliot::engine {

namespace {

constexpr store::sequence last_sequence{~std::uint64_t{0}};

bool matches(const list_timers& q, std::string_view ns, std::string_view id, list_cursor at) {
    return ns == q.ns && id.starts_with(q.prefix) && at.due_ms >= q.from_ms &&
           (at.due_ms < q.to_ms || q.to_ms == tick::max()) && (!q.cursor || at > *q.cursor);
}

}  // namespace

void engine::impl::run(request_id id, list_timers& c) {
    if (auto f = refuse()) return answer_now(id, std::move(*f));
    list_job job;
    job.request = id;
    job.query = std::move(c);
    lists_.push_back(std::move(job));
}

void engine::impl::consider(list_job& job, list_cursor at, timer_view view) const {
    job.best.emplace(at, std::move(view));
    if (job.best.size() > job.query.limit + 1) job.best.erase(std::prev(job.best.end()));
}

void engine::impl::list_some() {
    const auto at =
        std::find_if(lists_.begin(), lists_.end(), [](const list_job& j) { return j.sweeping; });
    if (at == lists_.end()) return;
    list_job& job = *at;
    const std::size_t end = std::min(pool_.cells(), job.swept + cells_per_step);
    for (; job.swept < end; ++job.swept) {
        const entry& e = pool_.at(job.swept);
        if (e.state == entry_state::free || !e.committed || e.ended) continue;
        if (e.place == row_place::dead) continue;
        const list_cursor pos{clock_.to_wall(e.next_point()), e.seq};
        const bool full = job.best.size() > job.query.limit;
        if (full && pos > job.best.rbegin()->first) continue;
        if (matches(job.query, e.ns(), e.id(), pos)) consider(job, pos, make_view(e));
    }
    if (job.swept < pool_.cells()) return;
    job.sweeping = false;
    job.asked_at = steady_;
    if (far_rows_ > 0) ask_store_for_list(job);
    if (job.loads_open == 0) finish_list(job);
}

void engine::impl::ask_store_for_list(list_job& job) {
    const list_timers& q = job.query;
    list_cursor after{tick{q.from_ms.count > 0 ? q.from_ms.count - 1 : 0},
                      q.from_ms.count > 0 ? last_sequence : store::sequence{}};
    if (q.cursor) after = std::max(after, *q.cursor);
    for (const auto c : both_clocks) {
        const store::far_position from{clock_.from_wall(c, after.due_ms), after.seq};
        const tick to = clock_.from_wall(c, q.to_ms);
        const std::size_t limit = std::min(opt_.load_rows, q.limit * 2 + 16);
        const io_id id = ask(load_far_request{epoch_, c, from, to, limit});
        outstanding_.emplace(id, for_list{job.request});
        ++job.loads_open;
    }
}

void engine::impl::list_page(request_id id, store::store_result<store::page>& r) {
    const auto at = std::find_if(lists_.begin(), lists_.end(),
                                 [&](const list_job& j) { return j.request == id; });
    if (at == lists_.end()) return;
    list_job& job = *at;
    if (!r) {
        ++totals_.store_errors_total;
        answer_now(id, failure{failure_code::store_unavailable,
                               "the store failed (" + r.error().message + ")",
                               {},
                               0,
                               {}});
        lists_.erase(at);
        return;
    }
    for (const auto& row : r->rows) {
        const list_cursor pos{clock_.to_wall(row.next), row.seq};
        if (matches(job.query, row.ns, row.id, pos) && !end_of(row)) {
            consider(job, pos, make_view(row, timer_state::pending));
        }
    }
    if (!r->end) {
        const auto& last = r->rows.back();
        const list_cursor to{clock_.to_wall(last.next), last.seq};
        job.scanned_to = job.scanned_to ? std::min(*job.scanned_to, to) : to;
    }
    if (--job.loads_open == 0) finish_list(job);
}

void engine::impl::finish_list(list_job& job) {
    timer_page page;
    std::size_t bytes = 0;
    bool cut = false;
    list_cursor last{};
    for (auto& [pos, view] : job.best) {
        if (job.scanned_to && pos > *job.scanned_to) break;
        cut = page.timers.size() >= job.query.limit || bytes >= opt_.reply_bytes;
        if (cut) break;
        bytes += view.id.size() + view.payload.size();
        last = pos;
        page.timers.push_back(std::move(view));
    }
    if (cut) {
        page.next = last;
    } else if (job.scanned_to) {
        page.next = job.scanned_to;
    }
    const request_id id = job.request;
    std::erase_if(lists_, [&](const list_job& j) { return j.request == id; });
    answer_now(id, std::move(page));
}

void engine::impl::run(request_id id, list_dead& c) {
    if (auto f = refuse()) return answer_now(id, std::move(*f));
    const std::size_t limit = std::min(opt_.load_rows, c.limit * 2 + 16);
    const io_id asked = ask(load_dead_request{epoch_, c.after, limit});
    outstanding_.emplace(asked, for_dead{id, std::move(c), steady_});
}

void engine::impl::dead_page(request_id id, const list_dead& query,
                             store::store_result<store::page>& r) {
    if (!r) {
        ++totals_.store_errors_total;
        return answer_now(id, failure{failure_code::store_unavailable,
                                      "the store failed (" + r.error().message + ")",
                                      {},
                                      0,
                                      {}});
    }
    timer_page page;
    std::size_t bytes = 0;
    for (const auto& row : r->rows) {
        if (page.timers.size() >= query.limit || bytes >= opt_.reply_bytes) break;
        page.next = list_cursor{clock_.to_wall(row.due), row.seq};
        if (row.ns != query.ns || row.queue != query.queue) continue;
        bytes += row.id.size() + row.payload.size();
        page.timers.push_back(make_view(row, timer_state::dead));
    }
    if (r->end && (r->rows.empty() || page.next->seq == r->rows.back().seq)) page.next.reset();
    answer_now(id, std::move(page));
}

}  // namespace foliot::engine
