// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace foliot {

/// A tick: the smallest step of a wheel, and a count of them since an origin that the caller picks.
///
/// A strong type, so that a tick is never mistaken for a delay in some other unit. Every 64-bit
/// value is a legal due; arithmetic on ticks is `saturating_add`, which never wraps.
struct tick {
    std::uint64_t count = 0;

    friend constexpr auto operator<=>(tick, tick) = default;
    friend constexpr bool operator==(tick, tick) = default;

    static constexpr tick max() { return {std::numeric_limits<std::uint64_t>::max()}; }
};

/// `t + delta`, or the largest tick where that would wrap: "so far away that it never comes".
constexpr tick saturating_add(tick t, std::uint64_t delta) {
    return t.count > tick::max().count - delta ? tick::max() : tick{t.count + delta};
}

}  // namespace foliot
