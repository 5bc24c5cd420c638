// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "ledger.hpp"

#include <algorithm>
#include <chrono>
#include <set>

namespace foliot::demo {

namespace {

using client::cancel_outcome;

constexpr std::string_view id_prefix = "demo-";

template <class Clock>
std::int64_t microseconds() {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
        .count();
}

ledger::spread spread_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const auto at = [&](std::size_t percent) {
        return values[std::min(values.size() - 1, values.size() * percent / 100)];
    };
    return {.count = values.size(), .p50_ms = at(50), .p99_ms = at(99), .max_ms = values.back()};
}

}  // namespace

moment now() {
    return {.wall_us = microseconds<std::chrono::system_clock>(),
            .steady_us = microseconds<std::chrono::steady_clock>()};
}

std::string id_of(std::size_t timer) { return std::string(id_prefix) + std::to_string(timer); }

std::optional<std::size_t> timer_of(const std::string& id) {
    if (!id.starts_with(id_prefix)) return std::nullopt;
    return std::stoull(id.substr(id_prefix.size()));
}

ledger::ledger(const shape& s, std::uint64_t seed) : entries_(s.timers) {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::int64_t> delay(s.min_delay_ms, s.max_delay_ms);
    std::uniform_real_distribution<double> share(0, 1);
    for (std::size_t i = 0; i < s.timers; ++i) {
        plan p;
        p.set_at_us =
            s.setting_us * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(s.timers);
        p.delay_ms = delay(random);
        // Up to the last moment before the due; those that come too late count as not cancelled.
        const double when = share(random) * 1000 * static_cast<double>(p.delay_ms);
        if (share(random) < s.cancelled_share) p.cancel_after_us = static_cast<std::int64_t>(when);
        plans_.push_back(p);
    }
}

void ledger::set_acknowledged(std::size_t timer, const client::timer_set& reply, moment sent) {
    const std::lock_guard lock(mutex_);
    auto& e = entries_[timer];
    e.set = true;
    e.generation = reply.generation;
    e.due_ms = reply.due_ms;
    e.sent = sent;
}

void ledger::cancel_answered(std::size_t timer, cancel_outcome outcome, moment heard,
                             unsigned incarnation) {
    const std::lock_guard lock(mutex_);
    auto& e = entries_[timer];
    e.cancel = outcome;
    e.cancel_heard = heard;
    e.cancel_incarnation = incarnation;
}

void ledger::cancel_unknown(std::size_t timer) {
    const std::lock_guard lock(mutex_);
    entries_[timer].cancel_unknown = true;
}

void ledger::delivered(const client::delivery& d, moment received, unsigned incarnation) {
    const auto timer = timer_of(d.id);
    if (!timer || *timer >= entries_.size()) return;
    const std::lock_guard lock(mutex_);
    entries_[*timer].receipts.push_back(
        {.generation = d.generation, .received = received, .incarnation = incarnation});
}

void ledger::outage(moment killed, moment ready) {
    const std::lock_guard lock(mutex_);
    killed_ = killed;
    ready_ = ready;
}

bool ledger::fired(const entry& e) const {
    return std::any_of(e.receipts.begin(), e.receipts.end(),
                       [&](const receipt& r) { return r.generation == e.generation; });
}

/// A timer is excused by an acknowledged cancel, by `in_flight` (a delivery was on its way, which
/// may have died with the server), and by a `gone` that an earlier, unanswered cancel explains.
/// Any other `gone` means that somebody acked it, so it was delivered.
bool ledger::must_fire(const entry& e) const {
    if (!e.set) return false;
    if (!e.cancel) return !e.cancel_unknown;
    return *e.cancel == cancel_outcome::gone && !e.cancel_unknown;
}

ledger::progress ledger::seen() const {
    const std::lock_guard lock(mutex_);
    progress p;
    for (const auto& e : entries_) {
        if (!e.set) continue;
        ++p.set;
        if (e.cancel == cancel_outcome::cancelled) ++p.cancelled;
        const bool came = fired(e);
        if (came) ++p.fired;
        if (!came && must_fire(e)) ++p.still_due;
        p.last_due_ms = std::max(p.last_due_ms, e.due_ms);
    }
    return p;
}

ledger::verdict ledger::judge() const {
    const std::lock_guard lock(mutex_);
    verdict v;
    std::vector<double> usual;
    std::vector<double> touched;
    for (std::size_t i = 0; i < entries_.size(); ++i) judge_entry(i, v, usual, touched);
    v.lateness = spread_of(std::move(usual));
    v.outage_lateness = spread_of(std::move(touched));
    v.outage_ms = static_cast<double>(ready_.steady_us - killed_.steady_us) / 1000;
    return v;
}

void ledger::judge_entry(std::size_t timer, verdict& v, std::vector<double>& usual,
                         std::vector<double>& touched) const {
    const auto& e = entries_[timer];
    const auto complain = [&](std::size_t& count, const std::string& what) {
        ++count;
        if (v.complaints.size() < 10) {
            v.complaints.push_back(id_of(timer) + " generation " + e.generation + " " + what);
        }
    };
    if (e.set) ++v.set;
    const bool cancelled = e.cancel == cancel_outcome::cancelled;
    if (cancelled) ++v.cancelled;
    if (fired(e)) ++v.fired;
    if (e.set && !cancelled && !fired(e) && !must_fire(e)) ++v.untold;
    if (must_fire(e) && !fired(e)) complain(v.lost, "never came");

    // Not before the due that was promised, nor before the delay after the request was sent.
    const auto due_us = e.due_ms * 1000;
    const auto earliest = std::max(due_us, e.sent.wall_us + plans_[timer].delay_ms * 1000);
    std::set<std::string> came;
    for (const auto& r : e.receipts) {
        const bool first = came.insert(r.generation).second;
        if (!first) ++v.duplicates;
        if (r.generation != e.generation) continue;  // of a set whose acknowledgement was lost
        if (r.received.wall_us < earliest) {
            complain(v.early, "came " + std::to_string(earliest - r.received.wall_us) +
                                  " us before its due");
        }
        // A lease asked for before the server was killed was answered before it, however late
        // this program came to read the answer.
        if (cancelled && r.incarnation >= e.cancel_incarnation &&
            r.received.steady_us > e.cancel_heard.steady_us) {
            complain(v.after_cancel, "came after its cancel was acknowledged");
        }
        if (!first) continue;
        const double late = static_cast<double>(r.received.wall_us - due_us) / 1000;
        const bool in_outage = ready_.wall_us != 0 && due_us <= ready_.wall_us &&
                               r.received.wall_us >= killed_.wall_us;
        (in_outage ? touched : usual).push_back(late);
    }
}

}  // namespace foliot::demo
