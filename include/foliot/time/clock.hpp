// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <concepts>

namespace foliot {

/// Where time comes from, for the parts that must ask: an object, not a global, so that a test can
/// hand in its own.
///
/// `now()` is the time since an origin that is fixed for the clock's life. It never runs backwards.
/// The clocks that read the machine live with the programs that need them; wheels and engine read
/// none at all: time is an argument there.
template <class C>
concept monotonic_clock = requires(const C& c) {
    { c.now() } -> std::same_as<std::chrono::nanoseconds>;
};

}  // namespace foliot
