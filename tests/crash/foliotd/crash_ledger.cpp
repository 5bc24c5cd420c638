// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/crash_ledger.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace foliot::crash_test {

namespace {

using client::cancel_outcome;
using generation = crash_ledger::generation;

template <class Clock>
std::int64_t microseconds() {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
        .count();
}

bool before(moment a, moment b) { return a.steady_us < b.steady_us; }

/// An acknowledged change of an id, from which on only generations >= `floor` may be met.
struct change {
    moment heard;
    generation floor = 0;
};

template <class Sets, class Cancels>
std::vector<change> changes_of(const Sets& sets, const Cancels& cancels) {
    std::vector<change> out;
    for (const auto& s : sets) out.push_back({s.heard, s.gen});
    for (const auto& c : cancels) {
        generation last = 0;
        for (const auto& s : sets) {
            if (before(s.heard, c.heard)) last = std::max(last, s.gen);
        }
        out.push_back({c.heard, last + 1});
    }
    return out;
}

generation floor_at(const std::vector<change>& changes, moment when) {
    generation floor = 0;
    for (const auto& c : changes) {
        if (before(c.heard, when)) floor = std::max(floor, c.floor);
    }
    return floor;
}

std::string text(generation g) { return std::to_string(g); }

}  // namespace

moment now() {
    return {.wall_us = microseconds<std::chrono::system_clock>(),
            .steady_us = microseconds<std::chrono::steady_clock>()};
}

void crash_ledger::set(const std::string& id, const set_event& e) {
    const std::lock_guard lock(mutex_);
    ids_[id].sets.push_back(e);
}

void crash_ledger::cancelled(const std::string& id, const cancel_event& e) {
    const std::lock_guard lock(mutex_);
    ids_[id].cancels.push_back(e);
}

void crash_ledger::delivered(const receipt& r) {
    const std::lock_guard lock(mutex_);
    ids_[r.id].receipts.push_back(r);
}

void crash_ledger::settling(const std::string& id, generation gen, moment sent) {
    const std::lock_guard lock(mutex_);
    ids_[id].first_settling.emplace(gen, sent);
}

void crash_ledger::settled(const settle_event& e) {
    const std::lock_guard lock(mutex_);
    ids_[e.id].settles.push_back(e);
}

std::vector<crash_ledger::live_timer> crash_ledger::live() const {
    const std::lock_guard lock(mutex_);
    std::vector<live_timer> out;
    for (const auto& [id, h] : ids_) {
        if (h.sets.empty()) continue;
        const auto& last = h.sets.back();
        if (!h.cancels.empty() && before(last.heard, h.cancels.back().heard)) continue;
        const bool acked = std::any_of(h.settles.begin(), h.settles.end(), [&](const auto& s) {
            return s.gen == last.gen && s.what == verb::ack &&
                   (s.outcome.empty() || s.outcome == "acked");
        });
        if (!acked) out.push_back({.id = id, .gen = last.gen, .due_ms = last.due_ms});
    }
    return out;
}

crash_ledger::counts crash_ledger::totals() const {
    const std::lock_guard lock(mutex_);
    counts c;
    for (const auto& [id, h] : ids_) {
        c.sets += h.sets.size();
        c.cancels += h.cancels.size();
        c.receipts += h.receipts.size();
        for (const auto& s : h.sets) c.repeated += s.repeated ? 1 : 0;
        for (const auto& s : h.cancels) c.repeated += s.repeated ? 1 : 0;
        for (const auto& s : h.settles) {
            if (s.outcome == "acked") ++c.acks;
            if (s.outcome == "nacked") ++c.nacks;
        }
    }
    return c;
}

std::vector<std::string> crash_ledger::judge(std::int64_t until_ms) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const auto& [id, h] : ids_) {
        for (auto& breach : judge_id(id, h, until_ms)) out.push_back(std::move(breach));
    }
    return out;
}

namespace {

/// The checks of one id; each adds a sentence for a breach.
template <class History>
class judge_one {
public:
    judge_one(const std::string& id, const History& h, std::vector<std::string>& out)
        : id_(id), h_(h), out_(out), changes_(changes_of(h.sets, h.cancels)) {}

    void run(std::int64_t until_ms) {
        for (const auto& s : h_.sets) check_set(s);
        for (const auto& c : h_.cancels) check_cancel(c);
        for (const auto& r : h_.receipts) check_receipt(r);
        for (const auto& s : h_.settles) check_settle(s);
        check_leases();
        check_lost(until_ms);
    }

private:
    using set_event = crash_ledger::set_event;
    using cancel_event = crash_ledger::cancel_event;
    using receipt = crash_ledger::receipt;
    using settle_event = crash_ledger::settle_event;
    using verb = crash_ledger::verb;

    void breach(const std::string& what) { out_.push_back(id_ + ": " + what); }

    [[nodiscard]] const set_event* set_of(generation gen) const {
        for (const auto& s : h_.sets) {
            if (s.gen == gen) return &s;
        }
        return nullptr;
    }

    /// Did anybody try to settle this generation before then? If so it need not be there any more.
    [[nodiscard]] bool settling_before(generation gen, moment when) const {
        const auto found = h_.first_settling.find(gen);
        return found != h_.first_settling.end() && before(found->second, when);
    }

    /// The set before `when` that nothing acknowledged has ended, or nullptr.
    [[nodiscard]] const set_event* standing_at(moment when) const {
        const set_event* last = nullptr;
        for (const auto& s : h_.sets) {
            if (before(s.heard, when)) last = &s;
        }
        for (const auto& c : h_.cancels) {
            if (last != nullptr && before(c.heard, when) && before(last->heard, c.heard)) {
                return nullptr;
            }
        }
        return last;
    }

    void check_set(const set_event& s) {
        if (s.delay_ms && s.due_ms * 1000 < s.sent.wall_us + *s.delay_ms * 1000) {
            breach("due " + std::to_string(s.due_ms) + " is before the request plus its delay");
        }
        const auto* standing = standing_at(s.heard);
        if (standing != nullptr && standing->gen >= s.gen) {
            breach("generation " + text(s.gen) + " does not grow over " + text(standing->gen));
        }
        if (s.repeated || standing == nullptr) return;
        if (!settling_before(standing->gen, s.heard) && s.previous != standing->gen) {
            breach("lost: a set found " +
                   (s.previous ? text(*s.previous) : std::string("nothing")) + " where " +
                   text(standing->gen) + " stood");
        }
    }

    void check_cancel(const cancel_event& c) {
        if (c.repeated || c.outcome != cancel_outcome::gone) return;
        const auto* standing = standing_at(c.heard);
        if (standing != nullptr && !settling_before(standing->gen, c.heard)) {
            breach("lost: a cancel found nothing where " + text(standing->gen) + " stood");
        }
    }

    void check_receipt(const receipt& r) {
        const auto floor = floor_at(changes_, r.asked);
        if (r.gen < floor) {
            breach("delivered generation " + text(r.gen) + " after an acknowledged cancel or " +
                   "replace (only " + text(floor) + " and later may come)");
        }
        if (r.received.wall_us < r.due_ms * 1000) {
            breach("delivered " + std::to_string(r.due_ms * 1000 - r.received.wall_us) +
                   " us before the due it carries");
        }
        if (const auto* set = set_of(r.gen)) {
            if (r.received.wall_us < set->due_ms * 1000) {
                breach("delivered " + std::to_string(set->due_ms * 1000 - r.received.wall_us) +
                       " us before its promised due");
            }
            if (r.due_ms != set->due_ms) {
                breach("due moved from " + std::to_string(set->due_ms) + " to " +
                       std::to_string(r.due_ms));
            }
        }
        for (const auto& s : h_.settles) {
            if (s.gen != r.gen || !before(s.heard, r.asked)) continue;
            if (s.outcome == "acked") breach("delivered " + text(r.gen) + " after its ack");
            const auto until = s.sent.steady_us + s.delay_ms * 1000;
            if (s.outcome == "nacked" && r.received.steady_us < until) {
                breach("delivered before the delay of its nack was over");
            }
        }
    }

    void check_settle(const settle_event& s) {
        if (s.outcome != "acked" && s.outcome != "nacked" && s.outcome != "extended") return;
        if (s.gen < floor_at(changes_, s.sent)) {
            breach("told " + s.outcome + " for " + text(s.gen) +
                   ", which had been cancelled or replaced");
        }
    }

    /// Two leases of one generation at a time, from one run of foliotd.
    void check_leases() {
        auto sorted = h_.receipts;
        std::sort(sorted.begin(), sorted.end(),
                  [](const receipt& a, const receipt& b) { return before(a.asked, b.asked); });
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            for (std::size_t k = i + 1; k < sorted.size(); ++k) check_pair(sorted[i], sorted[k]);
        }
    }

    void check_pair(const receipt& a, const receipt& b) {
        const bool one_life = a.asked_life == a.received_life && b.asked_life == b.received_life &&
                              a.asked_life == b.asked_life;
        if (a.gen != b.gen || !one_life) return;
        if (settling_before(a.gen, b.received)) return;
        const auto first_end = a.asked.steady_us + a.lease_ms * 1000;
        const auto second_end = b.asked.steady_us + b.lease_ms * 1000;
        // Whichever was given first, the other was received before that lease can have ended.
        const auto last = std::max(a.received.steady_us, b.received.steady_us);
        if (last < std::min(first_end, second_end)) {
            breach("generation " + text(a.gen) + " was leased twice at a time");
        }
    }

    void check_lost(std::int64_t until_ms) {
        const auto* last = standing_at({.wall_us = INT64_MAX, .steady_us = INT64_MAX});
        if (last == nullptr) return;
        const bool came = std::any_of(h_.receipts.begin(), h_.receipts.end(),
                                      [&](const receipt& r) { return r.gen == last->gen; });
        if (last->due_ms < until_ms && !came) {
            breach("lost: generation " + text(last->gen) + ", due " + std::to_string(last->due_ms) +
                   ", never came");
        }
    }

    const std::string& id_;
    const History& h_;
    std::vector<std::string>& out_;
    std::vector<change> changes_;
};

}  // namespace

std::vector<std::string> crash_ledger::judge_id(const std::string& id, const history& h,
                                                std::int64_t until_ms) const {
    std::vector<std::string> out;
    judge_one<history>(id, h, out).run(until_ms);
    return out;
}

}  // namespace foliot::crash_test
