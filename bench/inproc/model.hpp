// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bench {

/// What a caller's object has beside its timer: what the callback is about.
struct caller {
    explicit caller(std::uint32_t number) noexcept : id(number) {}

    /// The callback: the same in all models. One at a time for an object.
    void fired() noexcept {
        runs.store(runs.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

    std::uint32_t id;
    std::atomic<std::uint32_t> runs{0};
};

/// Whatever the library wants its user to keep, and what the callback is about; no padding.
template <class Timer>
struct caller_object : caller {
    template <class... Args>
    explicit caller_object(std::uint32_t number, Args&&... args)
        : caller(number), timer(static_cast<Args&&>(args)...) {}

    Timer timer;
};

/// What the workloads ask of a model. M is what the threads share; each thread takes a seat at it,
/// and uses its objects through that only. The callback calls object.fired().
template <class M>
concept model =
    std::constructible_from<M, unsigned> && std::constructible_from<typename M::seat, M&> &&
    requires(typename M::seat s, typename M::object& object, void* where, std::uint32_t id,
             std::chrono::milliseconds delay, void (*some)()) {
        { M::name } -> std::convertible_to<std::string_view>;
        { s.make(where, id) } -> std::same_as<typename M::object*>;
        s.unmake(object);
        s.schedule(object, delay);
        // Cancel, then schedule. False: the library says that none was cancelled.
        { s.replace(object, delay) } -> std::same_as<bool>;
        // To now + delay. False: the library says that none was pending.
        { s.refresh(object, delay) } -> std::same_as<bool>;
        // If it is pending, as the library knows it.
        { s.due(object) } -> std::same_as<std::optional<std::chrono::steady_clock::time_point>>;
        s.turn(
            some);  // calls it where the library is used as it is meant to be; then runs its loop
        s.wait();   // a moment, until something has fired perhaps
    };

}  // namespace bench
