// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/interleaving/operation.hpp"
#include "support/interleaving/vector_clock.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace foliot::interleaving {

/// Who may go on, when one of the threads is to take its next step.
struct turn {
    thread_set ready;
    thread_set early;                        // of these, those whose wait would end by itself
    unsigned current;                        // who took the last step
    std::span<const operation* const> next;  // of each thread that is ready: its next step
};

/// Decides, execution after execution, who takes the next step, until there is nothing new to
/// decide.
class strategy {
public:
    strategy() = default;
    strategy(const strategy&) = delete;
    strategy& operator=(const strategy&) = delete;
    virtual ~strategy() = default;

    /// An execution begins, from the start.
    virtual void begin() = 0;
    [[nodiscard]] virtual unsigned pick_thread(const turn& t) = 0;
    /// Of `count` values, one.
    [[nodiscard]] virtual unsigned pick_value(unsigned count) = 0;

    // What comes of it. The number of an event is how many there were before.
    virtual void happened(unsigned thread, const operation& what) = 0;
    virtual void started(unsigned parent, unsigned child) = 0;
    virtual void joined(unsigned thread, unsigned ended) = 0;
    virtual void all_waited() = 0;  // and time went on
    [[nodiscard]] virtual std::uint32_t events() const = 0;

    /// Prepares the next execution. False: there is none.
    [[nodiscard]] virtual bool next() = 0;
    /// How many executions were nothing but others in another order.
    [[nodiscard]] virtual std::uint64_t cut() const { return 0; }
};

/// One execution of each set of those that differ only in the order of steps which do not touch
/// each other's objects.
[[nodiscard]] std::unique_ptr<strategy> reduced_strategy();

/// Every order with at most so many preemptions: a thread that could go on has to stand back for
/// another. A wait that ends by itself counts as one too, unless nothing else is left.
[[nodiscard]] std::unique_ptr<strategy> bounded_strategy(unsigned preemptions);

/// Any order, so many times.
[[nodiscard]] std::unique_ptr<strategy> random_strategy(std::uint64_t executions,
                                                        std::uint64_t seed);

/// One order, which is known; as far as it fits.
[[nodiscard]] std::unique_ptr<strategy> known_strategy(std::span<const std::uint8_t> choices);

}  // namespace foliot::interleaving
