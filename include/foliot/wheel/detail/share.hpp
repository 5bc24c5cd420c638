// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/tick.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace foliot::detail {

/// How a number of hooks is moved evenly over the ticks from `begin` to before
/// `start`.
struct share {
    tick begin;
    tick start;

    /// How many of n are to be moved by the end of tick `now`, which is not
    /// before begin - 1.
    [[nodiscard]] std::size_t of(std::size_t n, tick now) const noexcept {
        std::uint64_t whole = start.count - begin.count;
        std::uint64_t part = now.count + 1 - begin.count;
        if (part >= whole) return n;
        while (whole >> 32 != 0) whole >>= 1, part >>= 1;
        return static_cast<std::size_t>(n * part / whole);
    }

    /// The first tick after `now` by which `amount` of n are to be moved; the
    /// last one before `start` if there are not so many.
    [[nodiscard]] tick due(std::size_t amount, std::size_t n, tick now) const noexcept {
        const std::uint64_t whole = start.count - begin.count;
        std::uint64_t ticks = whole;
        if (n > amount) ticks = whole / n * amount + whole % n * amount / n + 1;
        return std::max(tick{begin.count + std::min(ticks, whole) - 1}, tick{now.count + 1});
    }
};

}  // namespace foliot::detail
