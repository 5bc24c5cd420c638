// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/clocks.hpp"
#include "sim/engine/checker.hpp"

#include <cstdlib>
#include <map>

namespace foliot::sim {

/// 6. Restart, failover and whatever else change no due: it is what was asked, to the millisecond,
/// from the first write on; and the clock of delays goes on over them.
class same_due final : public checker {
public:
    same_due(const ledger& l, const plan& p, std::vector<breach>& b)
        : checker("same_due", l, p, b) {}

    void on_row(const store::record& r) override {
        const auto [at, is_new] = dues_.try_emplace(r.seq.value, r.due);
        if (!is_new && at->second != r.due) {
            broken(text({r.ns, r.id}) + " " + text(r.seq.value) + " is written with another due");
        }
    }

    void on_delivery(const delivered& d) override {
        const auto at = dues_.find(d.what.what.gen);
        if (at == dues_.end()) return;
        const auto told = ms{d.what.due_ms};
        const ms due{static_cast<std::int64_t>(at->second.at.count)};
        // What the steps of the wall clock add up to is known to the engine up to small ones.
        const bool wall = at->second.clock == store::clock_kind::wall;
        const ns expected = wall ? ns{due} : due + (d.wall - d.now);
        const ns off = told > expected ? told - expected : expected - told;
        if (off > (wall ? ns{0} : engine::clocks::smallest_step + ms{2})) {
            broken(text(d.what.what.name) + " " + text(d.what.what.gen) + " is due at " +
                   std::to_string(due.count()) + ", and delivered as due at " +
                   std::to_string(told.count()));
        }
    }

    void on_quiet(const quiet_moment& q) override {
        for (const auto& r : q.rows) {
            const auto at = dues_.find(r.row.seq.value);
            if (at != dues_.end() && at->second != r.row.due) {
                broken(r.row.id + " has another due on disk");
            }
            check_asked(r.row);
        }
        const ns base = q.service - q.steady;
        if (q.meta.boot != q.boot) {
            broken("the boot is not stored");
        } else if (q.meta.service_base_ns != base.count()) {
            broken("the clock of delays is off by " +
                   std::to_string(q.meta.service_base_ns - base.count()) + " ns");
        }
    }

private:
    void check_asked(const store::record& r) {
        const auto made_by = ledger_.made({r.ns, r.id}, r.seq.value, payload_text(r));
        for (const timer* x : made_by) {
            if (x->meant.clock != r.due.clock) continue;
            if (r.due.clock == store::clock_kind::wall
                    ? r.due.at == x->meant.due_ms
                    : ms{r.due.at.count} >= x->arrived + x->meant.delay) {
                return;
            }
        }
        if (!made_by.empty()) broken(r.id + " has another due than was asked");
    }

    std::map<generation, store::due_point> dues_;
};

}  // namespace foliot::sim
