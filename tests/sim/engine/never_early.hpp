// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/checker.hpp"

#include <algorithm>

namespace foliot::sim {

/// 2. Nothing fires before its due, by the clock that it goes by: a delay counts from when the
/// request reached the server.
class never_early final : public checker {
public:
    never_early(const ledger& l, const plan& p, std::vector<breach>& b)
        : checker("never_early", l, p, b) {}

    void on_delivery(const delivered& d) override {
        if (d.what.lateness_ms < 0) broken(text(d.what.what.name) + " has a negative lateness");
        if (d.made_by.empty()) return;
        ns least = ns::max();
        for (const timer* x : d.made_by) least = std::min(least, early_by(*x, d));
        if (least > ns{0}) {
            broken(text(d.what.what.name) + " " + text(d.what.what.gen) + " came " +
                   std::to_string(least.count()) + " ns early");
        }
    }

private:
    [[nodiscard]] ns early_by(const timer& x, const delivered& d) const {
        if (x.meant.clock == store::clock_kind::service) {
            return std::max(x.arrived + x.meant.delay, x.not_before) - d.now;
        }
        const ns due = ms{static_cast<std::int64_t>(x.meant.due_ms.count)};
        return std::max(due - std::max(ledger_.readings.latest_after(x.readings), d.wall),
                        x.not_before - d.now);
    }
};

}  // namespace foliot::sim
