// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>

#include <cstdint>

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

    [[nodiscard]] bool armed() const noexcept { return place_ != 0; }

    /// The tick that was asked for last; kept when the hook fires or is cancelled.
    [[nodiscard]] tick due() const noexcept { return due_; }

private:
    friend struct detail::hook_access;

    tick due_;
    std::uint64_t place_ = 0;  // where its queue finds it; 0: not armed
};

namespace detail {

/// Where a hook is: the address of its entry (48 bits) and the number of its list (16 bits), in
/// one word. Never 0.
using hook_place = std::uint64_t;

/// The queues' side of a hook.
struct hook_access {
    static tick& due(timer_hook& h) noexcept { return h.due_; }
    static hook_place& place(timer_hook& h) noexcept { return h.place_; }
    static void disarm(timer_hook& h) noexcept { h.place_ = 0; }

    static void set_place(timer_hook& h, std::uintptr_t* entry, std::uint32_t list) noexcept {
        h.place_ = std::uint64_t{list} << 48 | reinterpret_cast<std::uintptr_t>(entry);
    }
    static std::uintptr_t* entry(hook_place p) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): a word holds both parts of a place
        return reinterpret_cast<std::uintptr_t*>(static_cast<std::uintptr_t>(p << 16 >> 16));
    }
    static std::uint32_t list(hook_place p) noexcept { return static_cast<std::uint32_t>(p >> 48); }
    /// Armed, and in one of the lists 0 to end - 1.
    static bool is_below(const timer_hook& h, std::uint32_t end) noexcept {
        return h.place_ - 1 < (std::uint64_t{end} << 48) - 1;
    }
    static constexpr std::uint32_t max_lists = 1U << 16;
};

}  // namespace detail

static_assert(sizeof(timer_hook) == 16);

}  // namespace foliot
