// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "sim/engine/ledger.hpp"

#include "protocol/base64.hpp"

#include <algorithm>

namespace foliot::sim {

std::string payload_text(const store::record& row) {
    if (row.kind == store::payload_kind::json) return row.payload;
    return '"' + protocol::base64_encode(row.payload, protocol::base64_form::standard) + '"';
}

event_number ledger::arrives(const intent& what, ns t) {
    const auto index = ++last_;
    arrived_[index] = machine_.service(t);
    std::visit(
        [&](const auto& w) {
            if constexpr (requires { arrive(w, index, t); }) arrive(w, index, t);
        },
        what);
    return index;
}

void ledger::learns(event_number index, const intent& what, answer_seen& said, ns t) {
    std::visit(
        [&](const auto& w) {
            if constexpr (requires { learn(index, w, said, t); }) learn(index, w, said, t);
        },
        what);
}

void ledger::unanswered(event_number index, const intent& what, ns t) {
    answer_seen nobody_knows = refusal{503, "store_unavailable", {}};
    learns(index, what, nobody_knows, t);
}

// --- what must, may and cannot be ---------------------------------------------------------------

bool ledger::certain(const history& h, const timer& x, event_number at) const {
    if (x.set != timer::told::done || (x.dead_by != 0 && x.dead_by < at)) return false;
    if (x.index >= at) return false;
    const auto between = [&](event_number i) { return i > x.index && i < at; };
    const bool replaced = std::any_of(h.timers.begin(), h.timers.end(), [&](const timer& o) {
        return between(o.index) && o.set != timer::told::refused;
    });
    return !replaced && std::none_of(h.removals.begin(), h.removals.end(), [&](const removal& r) {
        return between(r.index) && (!r.only || r.only == x.gen);
    });
}

const timer* ledger::certain_of(const timer_name& n, event_number at) const {
    const auto h = histories_.find(n);
    if (h == histories_.end()) return nullptr;
    for (const auto& x : h->second.timers) {
        if (certain(h->second, x, at)) return &x;
    }
    return nullptr;
}

bool ledger::possible(const timer& x, event_number at) {
    return x.set != timer::told::refused && x.index < at && (x.dead_by == 0 || x.dead_by >= at);
}

std::vector<const timer*> ledger::made(const timer_name& n, generation g,
                                       const std::string& payload) const {
    std::vector<const timer*> found;
    const auto h = histories_.find(n);
    if (h == histories_.end()) return found;
    for (const auto& x : h->second.timers) {
        if (x.gen == g) return {&x};
    }
    for (const auto& x : h->second.timers) {
        if (!x.gen && x.meant.payload == payload && x.set != timer::told::refused) {
            found.push_back(&x);
        }
    }
    return found;
}

// --- arrivals -----------------------------------------------------------------------------------

void ledger::arrive(const set_intent& s, event_number index, ns t) {
    timer x;
    x.meant = s;
    x.index = index;
    x.arrived = machine_.service(t);
    x.readings = readings.count();
    histories_[s.name].timers.push_back(std::move(x));
}

void ledger::arrive(const cancel_intent& c, event_number index, ns) {
    histories_[c.name].removals.push_back({index, {}});
}

void ledger::arrive(const settle_intent& s, event_number index, ns t) {
    for (const auto& d : s.what) {
        timer* x = find_generation(d.name, d.gen);
        if (s.how == verb::ack) histories_[d.name].removals.push_back({index, d.gen});
        if (!x || !x->lease || x->lease->given != d.given) continue;
        if (s.how == verb::extend) {
            x->lease->low = std::min(x->lease->low, machine_.service(t) + s.lease);
        } else {
            if (x->lease->settled_by == 0) x->lease->settled_by = index;
        }
    }
}

// --- answers ------------------------------------------------------------------------------------

void ledger::learn(event_number i, const set_intent& s, const answer_seen& said, ns t) {
    timer* x = find(s.name, i);
    if (const auto* f = std::get_if<refusal>(&said)) {
        x->set = f->open() ? timer::told::maybe : timer::told::refused;
        if (f->code == "precondition_failed" && !f->current) {
            kill_before(s.name, i, "a set was told that there is none", t);
        }
        return;
    }
    const auto* a = std::get_if<set_answer>(&said);
    if (!a) return;
    x->set = timer::told::done;
    x->gen = a->gen;
    x->told_at = t;
    x->told_after = last_;
    kill_before(s.name, i, "it was replaced", t);
}

void ledger::learn(event_number i, const cancel_intent& c, const answer_seen& said, ns t) {
    if (const auto* f = std::get_if<refusal>(&said)) {
        if (f->open()) return;
        forget_removal(c.name, i);
        if (f->code == "precondition_failed" && !f->current) {
            kill_before(c.name, i, "a cancel was told that there is none", t);
        }
        return;
    }
    const auto* a = std::get_if<cancel_answer>(&said);
    if (!a) return;
    forget_removal(c.name, i);
    kill_before(c.name, i, "a cancel said " + a->outcome, t);
}

void ledger::learn(event_number i, const get_intent& g, const answer_seen& said, ns t) {
    if (const auto* v = std::get_if<seen_timer>(&said)) {
        identify(g.name, v->gen, v->payload, t);
        return;
    }
    const auto* f = std::get_if<refusal>(&said);
    if (f && f->code == "not_found") kill_before(g.name, i, "a get said not_found", t);
}

void ledger::learn(event_number, const lease_intent& l, answer_seen& said, ns t) {
    auto* a = std::get_if<lease_answer>(&said);
    if (!a) return;
    for (auto& d : a->given) {
        d.what.given = ++last_;
        timer* x = identify(d.what.name, d.what.gen, d.payload, t);
        const ns end = machine_.service(t) + l.lease;
        if (!x) {
            unknown_leases_.push_back(end + ms{2});
            continue;
        }
        // The engine made it in this step, at a clock that was read just before.
        x->lease = {d.what.given, d.what.attempt, end, end + ms{2}, process_, 0};
        x->attempts = std::max(x->attempts, d.what.attempt);
        x->given = true;
    }
}

void ledger::learn(event_number i, const settle_intent& s, const answer_seen& said, ns t) {
    const auto* a = std::get_if<settle_answer>(&said);
    const auto* f = std::get_if<refusal>(&said);
    for (std::size_t k = 0; k < s.what.size(); ++k) {
        const auto& d = s.what[k];
        if (f && f->open()) continue;
        if (s.how == verb::ack) forget_removal(d.name, i);
        learn_one(i, s, d, a ? a->outcomes[k] : "stale", t);
    }
}

void ledger::learn_one(event_number i, const settle_intent& s, const held_delivery& d,
                       const std::string& outcome, ns t) {
    if (outcome == "unknown") return kill_before(d.name, i, "an ack said unknown", t);
    timer* x = find_generation(d.name, d.gen);
    const bool of_last = x && x->lease && x->lease->given == d.given;
    const ns end_of_extension = machine_.service(t) + s.lease + ms{2};
    if (outcome == "extended" && !of_last) unknown_leases_.push_back(end_of_extension);
    if (!x) return;
    if (outcome == "acked") end(*x, i, "it was acked", t);
    if (!of_last) return;
    if (outcome == "stale" && x->lease->settled_by == i) x->lease->settled_by = 0;
    if (outcome == "nacked" && s.delay) x->not_before = arrived_at(i) + *s.delay;
    if (outcome == "extended") x->lease->high = end_of_extension;
}

// --- when nobody knows, and when all is known ---------------------------------------------------

void ledger::process_ended(bool kept_leases) {
    for (auto& [n, h] : histories_) {
        for (auto& x : h.timers) {
            if (x.lease && x.lease->given < last_restart_) x.lease->process = 0;
        }
    }
    if (!kept_leases) ++process_;
    last_restart_ = ++last_;
    if (kept_leases) last_stop_ = last_;
}

void ledger::rolled_back(ns since) {
    last_rollback_ = ++last_;
    for (auto& [n, h] : histories_) {
        for (auto& x : h.timers) {
            x.attempts = 0;
            x.lease.reset();
            x.not_before = {};
            if (x.set == timer::told::done && x.told_at >= since) x.set = timer::told::maybe;
            if (x.dead_by == 0 || x.dead_told_at < since) continue;
            x.dead_by = 0;
            x.dead_told_after = 0;
            x.set = timer::told::maybe;
        }
    }
}

void ledger::settles(const std::vector<scanned_row>& rows, ns t) {
    std::map<timer_name, generation> there;
    for (const auto& r : rows) {
        const timer_name n{r.row.ns, r.row.id};
        there[n] = r.row.seq.value;
        identify(n, r.row.seq.value, payload_text(r.row), t, true);
    }
    const auto now = ++last_;
    for (auto& [n, h] : histories_) {
        h.removals.clear();
        const auto is = there.find(n);
        for (auto& x : h.timers) {
            if (x.set == timer::told::waiting) continue;
            const bool alive = is != there.end() && x.gen == is->second;
            if (alive || x.dead_by != 0 || x.set == timer::told::refused) continue;
            end(x, now, "it has no row", t);
        }
    }
}

// --- helpers ------------------------------------------------------------------------------------

timer* ledger::find(const timer_name& n, event_number index) {
    for (auto& x : histories_[n].timers) {
        if (x.index == index) return &x;
    }
    return nullptr;
}

timer* ledger::find_generation(const timer_name& n, generation g) {
    const auto h = histories_.find(n);
    if (h == histories_.end()) return nullptr;
    for (auto& x : h->second.timers) {
        if (x.gen == g) return &x;
    }
    return nullptr;
}

/// Answers come in another order than the events that they tell of: the earliest end counts.
void ledger::end(timer& x, event_number by, const std::string& why, ns t) {
    if (x.dead_by != 0 && x.dead_by <= by) return;
    if (x.dead_by == 0) {
        x.dead_told_at = t;
        x.dead_told_after = last_;
    }
    x.dead_by = by;
    x.dead_why = why;
}

void ledger::kill_before(const timer_name& n, event_number index, const std::string& why, ns t) {
    const auto h = histories_.find(n);
    if (h == histories_.end()) return;
    for (auto& x : h->second.timers) {
        if (x.index < index) end(x, index, why, t);
    }
}

void ledger::forget_removal(const timer_name& n, event_number index) {
    std::erase_if(histories_[n].removals, [&](const removal& r) { return r.index == index; });
}

timer* ledger::identify(const timer_name& n, generation g, const std::string& payload, ns t,
                        bool choose) {
    timer* x = find_generation(n, g);
    if (!x) {
        std::vector<const timer*> could = made(n, g, payload);
        std::erase_if(could, [](const timer* c) { return c->dead_by != 0; });
        // Of two arrivals of one request it is not known which; the first has the earlier due.
        if (could.empty() || (could.size() > 1 && !choose)) return nullptr;
        x = find(n, could.front()->index);
        x->gen = g;
    }
    if (x->set == timer::told::maybe) {
        x->set = timer::told::done;
        x->told_at = t;
        x->told_after = last_;
    }
    return x;
}

}  // namespace foliot::sim
