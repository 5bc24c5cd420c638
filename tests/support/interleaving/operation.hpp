// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace foliot::interleaving {

/// What an operation does to an object that threads share.
enum class access : std::uint8_t {
    // a value: an atomic, the clock
    read,
    write,
    // a mutex
    acquire,
    release,
    try_acquire,  // try_lock that got it
    refused,      // try_lock that did not
    try_lock,     // not made yet
    // a condition variable
    enqueue,        // a wait begins
    notify,         // of somebody
    notify_nobody,  // nobody waited
    wake,           // a wait ends, as it was notified
    wake_early,     // it ends by itself: its time is over, or for no reason
    // the history of calls
    invoke,
    respond,
    // anything
    destroy,
};

/// One touch of one object.
struct touch {
    std::uint32_t object;
    access how;
};

/// One step of a thread that others can notice. What a thread does between two of these, only it
/// sees.
struct operation {
    static constexpr std::uint32_t none = 0xFFFF'FFFF;
    static constexpr std::size_t most_touches = 3;

    const char* name = "";
    std::array<touch, most_touches> touches{};
    std::uint8_t count = 0;
    // Of a wake: the event that notified it, and what it would be without, if it could be.
    std::uint32_t notified_by = none;
    std::array<touch, 2> otherwise{};
    std::uint8_t otherwise_count = 0;

    operation() = default;
    explicit operation(const char* what) noexcept : name(what) {}

    operation& on(std::uint32_t object, access how) noexcept {
        touches[count++] = {object, how};
        return *this;
    }
    operation& or_on(std::uint32_t object, access how) noexcept {
        otherwise[otherwise_count++] = {object, how};
        return *this;
    }
    [[nodiscard]] std::span<const touch> all() const noexcept { return {touches.data(), count}; }
    [[nodiscard]] std::span<const touch> all_otherwise() const noexcept {
        return {otherwise.data(), otherwise_count};
    }
};

/// What two touches of one object by two threads, an earlier and a later one, are to each other.
enum class relation : std::uint8_t {
    none,      // in the other order the same comes out
    race,      // the other order is possible too, and something else may come out
    acquires,  // the same, of two that want a mutex: the first one's release lies in between
    enables,   // the later one could not have come first
    instead,   // before the earlier one, the thread would have done something else
    through,   // nor here: a release; the acquire before it races instead
};

/// `notified`: the earlier is the notify that the later, a wake, waited for.
[[nodiscard]] relation between(access earlier, access later, bool notified,
                               bool could_be_early) noexcept;

/// Whether two touches of one object may not be exchanged, the second not made yet.
[[nodiscard]] bool depends(access made, access next) noexcept;

}  // namespace foliot::interleaving
