// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/tick.hpp>
#include <foliot/wheel/timer_hook.hpp>

#include <concepts>
#include <cstddef>
#include <optional>

namespace foliot {

/// What one call of `advance` did.
struct [[nodiscard]] advance_result {
    std::size_t fired = 0;

    /// Everything that was due is fired. False: the budget ran out, or `now` was earlier than
    /// before while work is left; call `advance` again with a `now` that is not earlier.
    bool drained = true;

    /// Hooks that were re-placed rather than fired; `fired + moved` is at most the budget.
    std::size_t moved = 0;
};

/// A set of pending timers, driven from outside: it reads no clock and owns no thread.
///
/// The caller embeds a `timer_hook` in the thing that waits, and owns it; the queue only points
/// to it. Every model keeps the same promises, and tests/conformance/wheel checks them:
///
/// - Never early: `advance(now)` fires the hooks with `due <= now` and no other, lower ticks first.
/// - Every 64-bit due is legal. None wraps, none fires early. A due at or before `cursor()` is late
///   from the start: it fires in the next pass.
/// - After `cancel` returned, the queue never touches the hook again: free it at once.
/// - `advance` handles at most `budget` hooks (fired or moved) and resumes exactly there.
/// - Empty ticks cost nothing, however many.
/// - `next_wakeup()` is never later than the first due; after a wake-up that fired nothing, the
///   next one is strictly later.
///
/// **Passes.** A pass begins with an `advance(now)` that finds no pass unfinished, and ends when
/// every hook that is due up to that `now` is fired. It fires the hooks that were late when it
/// began, then tick by tick. A hook scheduled at or before `cursor()` while a pass is running, by
/// the sink or between two calls, belongs to the next pass, so a timer that re-schedules itself
/// with no delay cannot keep a pass from ending, whatever the budget. One call finishes the old
/// pass and begins at most one new one.
///
/// **The sink** gets each hook disarmed, and may schedule, cancel and reschedule any hook, this one
/// too, free it, and throw: the hook counts as fired, and the next `advance` resumes after it. It
/// must not call `advance`, `clear` or `reset` (checked).
template <class Q>
concept timer_queue = std::constructible_from<Q, tick> &&
                      requires(Q q, const Q& c, timer_hook& hook, tick t, std::size_t budget,
                               unsigned place, void (*sink)(timer_hook&)) {
                          /// Arms an unarmed hook (checked).
                          { q.schedule(hook, t) } -> std::same_as<void>;
                          /// True: the hook was armed, and the sink never gets it. False: it was not armed.
                          { q.cancel(hook) } noexcept -> std::same_as<bool>;
                          /// Arms the hook or changes its due. Later than before: one write to the hook.
                          { q.reschedule(hook, t) } -> std::same_as<void>;
                          { q.advance(t, budget, sink) } -> std::same_as<advance_result>;
                          /// When to call `advance` next; `cursor()` means at once, nullopt that nothing is pending.
                          { c.next_wakeup() } -> std::same_as<std::optional<tick>>;
                          { c.size() } -> std::same_as<std::size_t>;
                          { c.empty() } -> std::same_as<bool>;
                          /// All ticks before it are fired; itself too, unless a pass is unfinished.
                          { c.cursor() } -> std::same_as<tick>;
                          /// Visits every pending hook; the queue must not be changed meanwhile.
                          { c.for_each(sink) } -> std::same_as<void>;
                          /// Where hooks wait: levels, slots, what was late. Each model says which place is which.
                          { c.places() } -> std::same_as<unsigned>;
                          /// How many wait there; the sum over all places is size().
                          { c.occupancy(place) } -> std::same_as<std::size_t>;
                          /// Disarms everything; the cursor stays.
                          { q.clear() } -> std::same_as<void>;
                          /// Disarms everything and goes to another tick, also an earlier one.
                          { q.reset(t) } -> std::same_as<void>;
                          /// For tests: walks everything, O(size).
                          { c.check_invariants() } -> std::same_as<bool>;
                      };

}  // namespace foliot
