// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace foliot::interleaving {

/// Of one execution, all that it ever starts.
inline constexpr std::size_t max_threads = 8;

/// How many events of each thread happened before something.
struct vector_clock {
    std::array<std::uint32_t, max_threads> events{};

    void join(const vector_clock& other) noexcept {
        for (std::size_t i = 0; i < max_threads; ++i) {
            events[i] = std::max(events[i], other.events[i]);
        }
    }
    /// Whether it knows of the event `number` (from 1) of `thread`.
    [[nodiscard]] bool knows(unsigned thread, std::uint32_t number) const noexcept {
        return events[thread] >= number;
    }
};

/// A set of threads of one execution.
class thread_set {
public:
    constexpr thread_set() noexcept = default;
    [[nodiscard]] static constexpr thread_set of(unsigned thread) noexcept {
        return thread_set(static_cast<std::uint8_t>(1U << thread));
    }

    [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
    [[nodiscard]] constexpr bool has(unsigned thread) const noexcept {
        return ((bits_ >> thread) & 1U) != 0;
    }
    void add(unsigned thread) noexcept { *this = *this | of(thread); }
    void remove(unsigned thread) noexcept { *this = *this - of(thread); }
    /// The lowest; there must be one.
    [[nodiscard]] unsigned first() const noexcept {
        unsigned t = 0;
        while (!has(t)) ++t;
        return t;
    }
    [[nodiscard]] unsigned size() const noexcept {
        unsigned n = 0;
        for (unsigned t = 0; t < max_threads; ++t) n += has(t) ? 1 : 0;
        return n;
    }

    friend constexpr thread_set operator|(thread_set a, thread_set b) noexcept {
        return thread_set(static_cast<std::uint8_t>(a.bits_ | b.bits_));
    }
    friend constexpr thread_set operator&(thread_set a, thread_set b) noexcept {
        return thread_set(static_cast<std::uint8_t>(a.bits_ & b.bits_));
    }
    friend constexpr thread_set operator-(thread_set a, thread_set b) noexcept {
        return thread_set(static_cast<std::uint8_t>(a.bits_ & ~b.bits_));
    }
    friend constexpr bool operator==(thread_set, thread_set) noexcept = default;

private:
    explicit constexpr thread_set(std::uint8_t bits) noexcept : bits_(bits) {}

    std::uint8_t bits_ = 0;
};

}  // namespace foliot::interleaving
