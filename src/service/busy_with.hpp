// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/timer_node.hpp>

#include <cstdint>

namespace foliot::detail {

/// A timer whose callback this thread runs or destroys, for as long as this is there.
struct busy_with {
    // A stand-in's callback is that of a reusable_timer, which may be gone before it returns.
    enum class by : std::uint8_t { running, standing_in, destroying };

    busy_with(timer_node& n, by w) noexcept : node(n), what(w), outer(innermost) {
        innermost = this;
    }
    busy_with(const busy_with&) = delete;
    busy_with& operator=(const busy_with&) = delete;
    ~busy_with() { innermost = outer; }

    timer_node& node;
    const by what;
    const busy_with* const outer;

    // The latest of this thread: a callback may poll, so there may be several.
    static thread_local const busy_with* innermost;

    [[nodiscard]] static bool is_here(const timer_node& node) noexcept {
        const busy_with* b = innermost;
        while (b != nullptr && &b->node != &node) b = b->outer;
        return b != nullptr;
    }
};

}  // namespace foliot::detail
