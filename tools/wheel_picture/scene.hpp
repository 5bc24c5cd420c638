// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "observed_wheel.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wheel_picture {

/// What the picture shows of a wheel that ran for a while.
struct scene {
    using wheel = observed_wheel<12, 3>;

    foliot::tick cursor;
    std::array<std::array<std::size_t, wheel::ring>, wheel::levels> held{};
    std::size_t overflow = 0;
    std::size_t late = 0;
    std::size_t pending = 0;

    /// One timer, and all places where it waits until it fires.
    foliot::tick followed_due;
    std::vector<where> followed_path;
};

/// Runs the wheel: the same on every machine. Throws std::logic_error if it misbehaves.
scene run_scene();

}  // namespace wheel_picture
