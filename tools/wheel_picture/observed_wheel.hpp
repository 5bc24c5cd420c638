// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/wheel/hierarchical_wheel.hpp>

#include <cstdint>

namespace wheel_picture {

/// Where a hook waits: a slot of a level; the levels behind the last are overflow and late.
struct where {
    unsigned level = 0;
    std::uint32_t slot = 0;

    friend bool operator==(const where&, const where&) = default;
};

/// A wheel that can be asked where a hook is. It reads what the hook itself knows: nothing is
/// computed from the due.
template <std::uint32_t Slots, unsigned Levels>
struct observed_wheel : foliot::hierarchical_wheel<Slots, Levels> {
    using foliot::hierarchical_wheel<Slots, Levels>::hierarchical_wheel;

    static constexpr std::uint32_t slots = Slots;
    static constexpr std::uint32_t ring = 2 * Slots;
    static constexpr unsigned levels = Levels;

    /// Precondition: the hook is armed in this wheel.
    static where place_of(foliot::timer_hook& hook) {
        using access = foliot::detail::hook_access;
        const std::uint32_t list = access::list(access::place(hook));
        if (list < ring * Levels) return {list / ring, list % ring};
        const std::uint32_t behind = list - ring * Levels;  // two banks of each
        return {Levels + behind / 2, behind % 2};
    }
};

}  // namespace wheel_picture
