// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "contender.hpp"
#include "model.hpp"

#include <cstdint>
#include <vector>

namespace bench {

/// How long each tick took, and how much was done in it.
class tick_log {
public:
    explicit tick_log(std::size_t ticks) { times_.reserve(ticks); }

    void add(double ns, const work& done) {
        times_.push_back(ns);
        const std::uint64_t entries = done.fired + done.moved;
        busiest_ = entries > busiest_ ? entries : busiest_;
        entries_ += entries;
    }

    /// Adds the metrics of ticks to the outcome. Sorts.
    void report(outcome& result);

private:
    std::vector<double> times_;
    std::uint64_t busiest_ = 0;
    std::uint64_t entries_ = 0;
};

}  // namespace bench
