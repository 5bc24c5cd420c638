// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/checker.hpp"

#include <algorithm>

namespace foliot::sim {

/// 4. No delivery starts after an acknowledged cancel, replace or ack; and what is over is shown to
/// nobody, replaced by nothing, acked once, and has no row.
class final_end final : public checker {
public:
    final_end(const ledger& l, const plan& p, std::vector<breach>& b)
        : checker("final_end", l, p, b) {}

    void on_delivery(const delivered& d) override {
        look(d.what.what.name, d.made_by, d.what.what.gen, ~0ULL, "is delivered");
        for (const timer* x : d.made_by) {
            if (x->meant.payload == d.what.payload && x->meant.queue == d.to.queue) return;
        }
        if (!d.made_by.empty()) {
            broken(text(d.what.what.name) + " is delivered with the payload or queue of another");
        }
    }

    void on_answer(const answered& a) override {
        if (const auto* v = std::get_if<seen_timer>(&a.said)) {
            const auto& n = std::get<get_intent>(a.meant).name;
            look(n, ledger_.made(n, v->gen, v->payload), v->gen, a.index, "is shown");
        } else if (const auto* set = std::get_if<set_answer>(&a.said)) {
            if (set->previous) replaced(std::get<set_intent>(a.meant).name, *set, a.index);
        } else if (const auto* s = std::get_if<settle_answer>(&a.said)) {
            settled(std::get<settle_intent>(a.meant), *s, a.index);
        } else if (const auto* page = std::get_if<page_answer>(&a.said)) {
            for (const auto& one : page->timers) listed(a, one);
        }
    }

    void on_quiet(const quiet_moment& q) override {
        for (const auto& r : q.rows) {
            const timer_name n{r.row.ns, r.row.id};
            look(n, ledger_.made(n, r.row.seq.value, payload_text(r.row)), r.row.seq.value, ~0ULL,
                 "has a row");
        }
    }

private:
    void look(const timer_name& n, const std::vector<const timer*>& made_by, generation g,
              event_number at, const char* what) {
        if (made_by.empty()) {
            broken(text(n) + " " + text(g) + " " + what + ", but nobody set it");
            return;
        }
        const bool may_be = std::any_of(made_by.begin(), made_by.end(),
                                        [&](const timer* x) { return ledger::possible(*x, at); });
        if (!may_be) {
            broken(text(n) + " " + text(g) + " " + what + ", but " + made_by.front()->dead_why);
        }
    }
    void replaced(const timer_name& n, const set_answer& set, event_number at) {
        for (const timer* x : ledger_.made(n, *set.previous, {})) {
            if (!ledger::possible(*x, at)) {
                broken(text(n) + " " + text(set.previous) + " is replaced, but " + x->dead_why);
            }
        }
        if (*set.previous >= set.gen) broken(text(n) + ": generations do not grow");
    }
    void settled(const settle_intent& s, const settle_answer& a, event_number at) {
        for (std::size_t i = 0; i < s.what.size(); ++i) {
            if (a.outcomes[i] == "stale" || a.outcomes[i] == "unknown") continue;
            const auto& d = s.what[i];
            const auto made_by = ledger_.made(d.name, d.gen, {});
            if (!made_by.empty()) look(d.name, made_by, d.gen, at, a.outcomes[i].c_str());
        }
    }
    /// A page shows its own moment: what ended while it was made may be on it.
    void listed(const answered& a, const seen_timer& v) {
        const auto* l = std::get_if<list_intent>(&a.meant);
        const timer_name n{l ? l->space : std::get<dead_intent>(a.meant).space, v.id};
        const auto made_by = ledger_.made(n, v.gen, v.payload);
        const bool over_before = std::all_of(made_by.begin(), made_by.end(), [&](const timer* x) {
            return x->dead_by != 0 && x->dead_told_after < a.index;
        });
        if (over_before) look(n, made_by, v.gen, ~0ULL, "is listed");
    }
};

}  // namespace foliot::sim
