// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/checker.hpp"

#include <algorithm>

namespace foliot::sim {

/// 1. An acknowledged set is one day acked, dead-lettered, replaced or cancelled, never lost: until
/// then nobody is told that it is gone, it has a row, and it is offered when it is due.
class nothing_lost final : public checker {
public:
    nothing_lost(const ledger& l, const plan& p, std::vector<breach>& b)
        : checker("nothing_lost", l, p, b) {}

    void on_answer(const answered& a) override {
        std::visit([&](const auto& meant) { look(a, meant); }, a.meant);
    }

    void on_quiet(const quiet_moment& q) override {
        for (const auto& [n, h] : ledger_.all()) {
            for (const auto& x : h.timers) {
                if (!ledger_.certain(h, x)) continue;
                const bool there = std::any_of(q.rows.begin(), q.rows.end(), [&](const auto& r) {
                    return r.row.seq.value == x.gen && r.row.id == n.second && r.row.ns == n.first;
                });
                if (!there) broken(text(n) + " " + text(x.gen) + " has no row");
            }
        }
    }

    void on_withheld(const store::record& r) override {
        broken(text({r.ns, r.id}) + " " + text(r.seq.value) + " is due and is not offered");
    }

private:
    void gone(const answered& a, const timer_name& n, const char* who) {
        if (const timer* x = ledger_.certain_of(n, a.index)) {
            broken(std::string(who) + " was told that there is no " + text(n) + ", but there is " +
                   text(x->gen));
        }
    }

    void look(const answered& a, const set_intent& s) {
        if (const auto* f = std::get_if<refusal>(&a.said)) {
            if (f->code == "precondition_failed" && !f->current) gone(a, s.name, "a set");
            return;
        }
        const auto* done = std::get_if<set_answer>(&a.said);
        if (!done) return;
        const timer* x = ledger_.certain_of(s.name, a.index);
        if (x && done->previous != x->gen) {
            broken("a set of " + text(s.name) + " says that it replaced " + text(done->previous) +
                   ", but there was " + text(x->gen));
        }
    }
    void look(const answered& a, const cancel_intent& c) {
        const auto* f = std::get_if<refusal>(&a.said);
        if (f && f->code == "precondition_failed" && !f->current) gone(a, c.name, "a cancel");
        const auto* done = std::get_if<cancel_answer>(&a.said);
        if (done && done->outcome == "gone") gone(a, c.name, "a cancel");
    }
    void look(const answered& a, const get_intent& g) {
        const auto* f = std::get_if<refusal>(&a.said);
        if (f && f->code == "not_found") gone(a, g.name, "a get");
    }
    void look(const answered& a, const settle_intent& s) {
        const auto* done = std::get_if<settle_answer>(&a.said);
        if (!done) return;
        for (std::size_t i = 0; i < s.what.size(); ++i) {
            const auto& name = s.what[i].name;
            const bool again =  // an earlier token of the same request ended it
                std::any_of(s.what.begin(), s.what.begin() + static_cast<std::ptrdiff_t>(i),
                            [&](const held_delivery& d) { return d.name == name; });
            if (done->outcomes[i] == "unknown" && !again) gone(a, name, "an ack");
        }
    }
    /// A list that was read whole has all that were there all the time and were never offered.
    void look(const answered& a, const list_intent& l) {
        const auto* page = std::get_if<page_answer>(&a.said);
        if (!page || !l.first_page || !page->cursor.empty()) return;
        for (const auto& [n, h] : ledger_.all()) {
            if (n.first != l.space || !n.second.starts_with(l.prefix)) continue;
            for (const auto& x : h.timers) {
                if (!ledger_.certain(h, x) || x.index > a.index || x.given) continue;
                if (x.told_after >= a.index) continue;
                const bool listed =
                    std::any_of(page->timers.begin(), page->timers.end(),
                                [&](const seen_timer& t) { return t.gen == x.gen; });
                if (!listed) broken("a list does not show " + text(n) + " " + text(x.gen));
            }
        }
    }
    void look(const answered&, const auto&) {}
};

}  // namespace foliot::sim
