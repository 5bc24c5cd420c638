// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/checker.hpp"

namespace foliot::sim {

/// 7. Memory stays within its documented budget, whatever is pending: 5/4 of the window, and two
/// entries for each change that waits: the old timer and the new one.
class bounded_memory final : public checker {
public:
    bounded_memory(const ledger& l, const plan& p, std::vector<breach>& b)
        : checker("bounded_memory", l, p, b) {}

    void on_step(const engine::stats& s) override {
        const auto& o = plan_.options;
        const std::size_t budget = o.window_max_timers * 5 / 4 + 1 + 2 * o.max_waiting_commands;
        if (s.in_memory <= budget) return;
        broken(std::to_string(s.in_memory) + " timers are in memory; the budget is " +
               std::to_string(budget));
    }
};

}  // namespace foliot::sim
