// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/tick.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace foliot::detail {

/// Where a due belongs in a hierarchical wheel: arithmetic only.
///
/// A slot of level n is `Slots` to the power of n ticks long. The ring of a
/// level has two times `Slots` slots, so that from the cursor on it reaches to
/// the end of the coarser slot *after* the one in which the cursor stands.
/// Slots are numbered level by level.
template <std::uint32_t Slots, unsigned Levels>
class wheel_levels {
public:
    static constexpr std::uint32_t ring = 2 * Slots;
    static constexpr std::uint32_t slot_count = ring * Levels;
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    static constexpr unsigned top = Levels - 1;
    static_assert(std::uint64_t{Slots} * 2 * Levels < none, "too many slots to number");

    /// unit[n]: how many ticks a slot of level n is long; 0: more than 2^64.
    static constexpr std::array<std::uint64_t, Levels + 1> unit = [] {
        std::array<std::uint64_t, Levels + 1> lengths{};
        std::uint64_t length = 1;
        for (std::uint64_t& l : lengths) {
            l = length;
            const bool fits = length <= std::numeric_limits<std::uint64_t>::max() / Slots;
            length = fits ? length * Slots : 0;
        }
        return lengths;
    }();
    static_assert(unit[top] != 0, "the top level's slots are longer than 2^64 ticks");

    /// Which slot of a level a tick is in, counted from tick 0.
    [[nodiscard]] static constexpr std::uint64_t position(unsigned level, tick t) noexcept {
        if constexpr (std::has_single_bit(Slots)) {
            return t.count >> (level * (std::bit_width(Slots) - 1));
        }
        return t.count / unit[level];
    }
    [[nodiscard]] static constexpr std::uint32_t number(unsigned level,
                                                        std::uint64_t position) noexcept {
        return level * ring + static_cast<std::uint32_t>(position % ring);
    }

    explicit wheel_levels(tick cursor) noexcept { set_cursor(cursor); }

    /// Needed whenever the cursor comes into another slot of level 1.
    void set_cursor(tick cursor) noexcept {
        for (unsigned level = 0; level < Levels; ++level) {
            const std::uint64_t length = unit[level + 1];
            const std::uint64_t end = length == 0 ? 0 : position(level + 1, cursor) + 2;
            const bool all = length == 0 || end > tick::max().count / length;
            reach_[level] = all ? tick::max() : tick{end * length - 1};
        }
    }

    /// The slot for `due`, which is not before the cursor: on the finest level
    /// that reaches it; none if no level does. So the slots that a coarse level
    /// drains ahead of time are never filled meanwhile, and those of the cursor
    /// itself are empty.
    ///
    /// Levels are told apart by branches, not by counting bits: programs have few
    /// distinct delays, and a predicted branch is cheaper than the instructions
    /// that would avoid it.
    [[nodiscard, gnu::always_inline]] std::uint32_t slot_for(tick due) const noexcept {
        return slot_from<0>(due);
    }

    /// The same for any due: none also if it is not after the cursor.
    [[nodiscard, gnu::always_inline]] std::uint32_t slot_after(tick cursor,
                                                               tick due) const noexcept {
        if (due > reach_[0]) [[likely]]
            return slot_from<1>(due);
        if (due <= cursor) [[unlikely]]
            return none;
        return static_cast<std::uint32_t>(due.count % ring);
    }

private:
    template <unsigned Level>
    [[nodiscard, gnu::always_inline]] std::uint32_t slot_from(tick due) const noexcept {
        if constexpr (Level == Levels) {
            return none;
        } else {
            // With ticks of a millisecond, most timeouts are on level 1.
            if (due > reach_[Level]) [[unlikely]]
                return slot_from<Level + 1>(due);
            return Level * ring + static_cast<std::uint32_t>(due.count / unit[Level] % ring);
        }
    }

    std::array<tick, Levels> reach_;  // the last tick that each level reaches
};

}  // namespace foliot::detail
