// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/checker.hpp"

namespace foliot::sim {

/// 3. One live lease at most for a generation and attempt, and an ack of a lease that is over is
/// told so. Leases that a crash took away do not count (docs/guarantees.md).
class one_lease final : public checker {
public:
    one_lease(const ledger& l, const plan& p, std::vector<breach>& b)
        : checker("one_lease", l, p, b) {}

    void on_delivery(const delivered& d) override {
        if (d.made_by.size() != 1) return;
        const timer& x = *d.made_by.front();
        const auto attempt = d.what.what.attempt;
        const std::string who = text(d.what.what.name) + " " + text(d.what.what.gen);
        if (attempt < x.attempts) {
            broken(who + " was given as attempt " + std::to_string(attempt) + " after " +
                   std::to_string(x.attempts));
        }
        if (!x.lease || x.lease->process != ledger_.process()) return;
        if (x.lease->settled_by != 0 || x.lease->low <= d.now) return;
        broken(who + " was given as attempt " + std::to_string(attempt) + " while a lease lives (" +
               std::to_string((x.lease->low - d.now) / ms{1}) + " ms more)");
    }

    void on_answer(const answered& a) override {
        const auto* s = std::get_if<settle_intent>(&a.meant);
        const auto* done = std::get_if<settle_answer>(&a.said);
        if (!s || !done) return;
        for (std::size_t i = 0; i < s->what.size(); ++i) look(a, *s, s->what[i], done->outcomes[i]);
    }

private:
    void look(const answered& a, const settle_intent& s, const held_delivery& d,
              const std::string& outcome) {
        const auto made_by = ledger_.made(d.name, d.gen, {});
        if (made_by.size() != 1 || !made_by.front()->lease) return;
        const timer& x = *made_by.front();
        const bool last = x.lease->given == d.given;
        const std::string who = text(d.name) + " " + text(d.gen);
        if (outcome == "stale") {
            const bool lives = last && x.lease->process == ledger_.process() &&
                               x.lease->low > a.now && x.lease->given > ledger_.last_stop() &&
                               s.queue == x.meant.queue && ledger_.certain_of(d.name) == &x;
            if (lives && x.lease->settled_by == 0)
                broken(who + ": a live lease is said to be stale");
            return;
        }
        if (outcome == "unknown" || d.given < ledger_.last_rollback()) return;
        // A kill forgets leases, and a graceful stop writes them, but not who gave them: then a
        // token from before may count.
        const bool known = x.lease->process == ledger_.process() &&
                           x.lease->given > ledger_.last_stop() &&
                           (x.lease->given > ledger_.last_restart() || x.lease->low > a.now);
        if (!last && known && d.given < x.lease->given && x.lease->given < a.index) {
            broken(who + ": " + outcome + " was said to an old token, given again since");
        }
        const bool over = last && x.lease->given > ledger_.last_restart() &&
                          x.lease->high < ledger_.arrived_at(a.index);
        if (over) broken(who + ": " + outcome + " was said after the lease's end");
    }
};

}  // namespace foliot::sim
