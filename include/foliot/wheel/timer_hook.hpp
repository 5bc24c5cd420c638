// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>

#include <cstdint>
#include <limits>

namespace foliot {

namespace detail {
struct hook_access;
}

/// What a thing that waits carries: 16 bytes, embedded by inheritance.
///
///     struct session : foliot::timer_hook { int fd; };
///     wheel.schedule(a_session, foliot::saturating_add(now, 30'000));
///     auto on_due = [](foliot::timer_hook& h) { close(static_cast<session&>(h).fd); };
///     while (!wheel.advance(now, 1000, on_due).drained) {}
///
/// A hook is armed (in exactly one queue, which points to it) or not. It cannot be copied or moved,
/// since the queue holds its address. Its owner must cancel it before it goes away: destroying an
/// armed hook ends the process with a message, in release builds too, because the queue would be
/// left with a pointer to freed memory. (Destroying the *queue* disarms its hooks.)
class timer_hook {
public:
    timer_hook() = default;
    timer_hook(const timer_hook&) = delete;
    timer_hook& operator=(const timer_hook&) = delete;
    ~timer_hook() { detail::require(!armed(), "a timer_hook was destroyed while armed"); }

    [[nodiscard]] bool armed() const noexcept { return slot_ != unarmed; }

    /// The tick that was asked for last; kept when the hook fires or is cancelled.
    [[nodiscard]] tick due() const noexcept { return due_; }

private:
    friend struct detail::hook_access;
    static constexpr std::uint32_t unarmed = std::numeric_limits<std::uint32_t>::max();

    tick due_;
    std::uint32_t index_ = 0;  // of the entry that points here, in its slot
    std::uint32_t slot_ = unarmed;
};

namespace detail {

/// The queues' side of a hook.
struct hook_access {
    static constexpr std::uint32_t unarmed = timer_hook::unarmed;
    static tick& due(timer_hook& h) noexcept { return h.due_; }
    static std::uint32_t& index(timer_hook& h) noexcept { return h.index_; }
    static std::uint32_t& slot(timer_hook& h) noexcept { return h.slot_; }
    static void disarm(timer_hook& h) noexcept { h.slot_ = unarmed; }
};

}  // namespace detail

static_assert(sizeof(timer_hook) == 16);

}  // namespace foliot
