// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

namespace foliot::detail {

/// Ends the process: the caller broke a documented precondition and going on would lose timers.
[[noreturn]] inline void contract_breach(const char* what) noexcept {
    std::fprintf(stderr, "foliot: contract breach: %s\n", what);
    std::abort();
}

/// Checked in release builds too.
constexpr void require(bool holds, const char* what) noexcept {
    if (!holds) [[unlikely]]
        contract_breach(what);
}

/// For checks that cost too much for release builds: on without NDEBUG, or with FOLIOT_HARDENED.
#if !defined(NDEBUG) || defined(FOLIOT_HARDENED)
inline constexpr bool hardened = true;
#else
inline constexpr bool hardened = false;
#endif

}  // namespace foliot::detail
