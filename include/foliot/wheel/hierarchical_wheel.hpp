// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/detail/slot_array.hpp>
#include <foliot/wheel/detail/slot_bitmap.hpp>
#include <foliot/wheel/timer_hook.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace foliot {

// A hierarchical timing wheel (Varghese and Lauck 1987, scheme 7): the default timer_queue.
//
// Level 0 is a ring of `Slots` slots of one tick each. A slot of level n is as long as the whole
// ring of level n - 1, so `Slots` to the power of `Levels` ticks are covered by Slots * Levels
// slots; what is due later waits in an overflow list. A timer goes to the finest level whose ring
// reaches it. When an upper slot's first tick comes, its timers are moved to finer levels by what
// remains of their delay; only level 0 fires. Nothing is ever sorted.
//
// Pick it for any mix of delays, above all when most timers are cancelled or moved before they
// fire. Pick a heap for a few dozen timers or where ties must fire in the order of their calls.
//
// Time:    schedule, cancel, reschedule O(1); advance O(Levels + hooks fired and moved), whatever
//          the distance; next_wakeup O(Levels). A hook is moved at most once per level it passes,
//          and once per top-level lap that it waits in the overflow list.
// Threads: none; one caller at a time.
// Memory:  a hook is 16 bytes in the caller's object; the wheel holds 8 to 16 bytes for each, and
//          about 16 bytes (48 once used) a slot. The slot being drained gives its memory back when
//          it is done.
// Errors:  broken preconditions end the process with a message, in release too. schedule,
//          reschedule and advance may throw std::bad_alloc, and then have changed nothing resp.
//          resume where they stopped. What the sink throws passes through.
// Order:   lower ticks first. Within a tick the order is a pure function of the calls made, the
//          same on every run and machine; it is *not* the order of scheduling: a cancel moves the
//          slot's last hook into the gap, and hooks that come from upper levels fire after those
//          placed directly before them.
//
// timer_queue.hpp says what a pass is, and what the sink may do.
template <std::uint32_t Slots = 256, unsigned Levels = 4>
class hierarchical_wheel {
    static_assert(Slots >= 2, "a ring of one slot does not turn");
    static_assert(Levels >= 1);

public:
    /// All ticks up to `start` count as fired.
    explicit hierarchical_wheel(tick start = {}) noexcept { go_to(target_ = start); }
    hierarchical_wheel(const hierarchical_wheel&) = delete;
    hierarchical_wheel& operator=(const hierarchical_wheel&) = delete;

    /// Disarms what is pending: O(size).
    ~hierarchical_wheel() { clear(); }

    /// Arms `hook`, which must not be armed (checked). Any due is legal; at or before cursor() it
    /// fires in the next pass. O(1).
    void schedule(timer_hook& hook, tick due) {
        detail::require(!hook.armed(), "schedule: the hook is armed already");
        place(hook, due);
        ++size_;
    }

    /// True: the hook was armed and is not any more; the sink will not get it. False: it was not
    /// armed. The hook must not be armed in another queue (checked). O(1).
    bool cancel(timer_hook& hook) noexcept {
        if (!hook.armed()) return false;
        remove(access::slot(hook), access::index(hook), hook);
        access::disarm(hook);
        --size_;
        return true;
    }

    /// Gives an armed hook another due, or arms it. Later than before is one write to the hook: the
    /// entry stays, and is re-placed when its old slot comes round. O(1).
    void reschedule(timer_hook& hook, tick due) {
        if (!hook.armed()) return schedule(hook, due);
        const bool waits_for_next_pass = access::slot(hook) == late_slots + late_bank_;
        const bool stays = hook.due() <= cursor_ && due <= cursor_;
        if (stays || (due >= hook.due() && !waits_for_next_pass)) {
            access::due(hook) = due;
            return;
        }
        const std::uint32_t old_slot = access::slot(hook);
        const std::uint32_t old_index = access::index(hook);
        if (slot_for(due) == old_slot) {
            note_due(old_slot, due);
            access::due(hook) = due;
            return;
        }
        place(hook, due);
        remove(old_slot, old_index, hook);
    }

    /// Fires what is due up to `now`: calls sink(timer_hook&) for each hook, disarmed. Handles at
    /// most `budget` hooks, fired or moved. A `now` earlier than one before is a no-op.
    /// O(Levels + budget).
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        detail::require(!advancing_, "advance: called from its own sink");
        advance_result result;
        if (now < target_) {
            result.drained = !in_pass_;
            return result;
        }
        const advancing_guard guard(advancing_);
        if (!in_pass_ || run_pass(budget, result, sink)) {
            begin_pass(now);
            result.drained = run_pass(budget, result, sink);
        } else {
            result.drained = false;
        }
        return result;
    }

    /// When to call advance next: cursor() for "at once", nullopt if nothing is pending. Never
    /// later than the first due, and earlier where a slot must be moved down first. O(Levels).
    [[nodiscard]] std::optional<tick> next_wakeup() const noexcept {
        if (size_ == 0) return std::nullopt;
        if (in_pass_ || slots_[late_slots + late_bank_].size() != 0) return cursor_;
        return next_event();
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    /// Every tick before it is fired; this one too, unless a pass is unfinished.
    [[nodiscard]] tick cursor() const noexcept { return cursor_; }

    /// Calls f(timer_hook&) for every pending hook; f must not change the wheel. O(size + slots).
    template <class F>
    void for_each(F&& f) const {
        for (std::uint32_t slot = 0; slot < slot_count; ++slot) {
            for (std::uint32_t i = first_entry(slot); i < slots_[slot].size(); ++i) {
                f(*slots_[slot][i]);
            }
        }
    }

    /// Disarms everything; the cursor stays. Not from a sink (checked). O(size + slots).
    void clear() noexcept { reset(cursor_); }

    /// Disarms everything and goes to `cursor`, which may be earlier. Not from a sink (checked).
    void reset(tick cursor) noexcept {
        detail::require(!advancing_, "clear or reset: called from a sink");
        for_each([](timer_hook& hook) { access::disarm(hook); });
        for (auto& slot : slots_) slot.clear();
        occupied_ = {};
        size_ = 0;
        draining_ = no_slot;
        in_pass_ = false;
        go_to(target_ = cursor);
    }

    /// Walks everything and says whether it is as it must be. For tests: O(size + slots).
    [[nodiscard]] bool check_invariants() const;

private:
    using access = detail::hook_access;

    struct advancing_guard {
        explicit advancing_guard(bool& flag) noexcept : flag_(flag) { flag_ = true; }
        ~advancing_guard() { flag_ = false; }
        advancing_guard(const advancing_guard&) = delete;
        advancing_guard& operator=(const advancing_guard&) = delete;
        bool& flag_;
    };

    // Slots are numbered level by level; behind the rings come two banks each for hooks that were
    // late when scheduled and for the overflow: one is filled while the other is drained.
    static constexpr std::uint32_t ring_slots = Slots * Levels;
    static constexpr std::uint32_t late_slots = ring_slots;
    static constexpr std::uint32_t overflow_slots = ring_slots + 2;
    static constexpr std::uint32_t slot_count = ring_slots + 4;
    static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();
    static constexpr unsigned top = Levels - 1;
    static constexpr std::uint32_t prefetch_distance = 8;

    static_assert(std::uint64_t{Slots} * Levels + 4 < no_slot, "too many slots to number");

    // unit[n]: how many ticks a slot of level n is long.
    static constexpr std::array<std::uint64_t, Levels> unit = [] {
        std::array<std::uint64_t, Levels> lengths{};
        std::uint64_t length = 1;
        for (unsigned level = 0; level < Levels; ++level) {
            lengths[level] = length;
            const bool fits = length <= std::numeric_limits<std::uint64_t>::max() / Slots;
            // A level whose ring would pass 2^64 ticks must be the last one (length 0: see below).
            length = fits ? length * Slots : 0;
        }
        return lengths;
    }();
    static_assert(unit[top] != 0, "the top level's slots are longer than 2^64 ticks");

    void go_to(tick cursor) noexcept {
        cursor_ = cursor;
        each_level([&]<unsigned Level>() {
            position_[Level] = cursor.count / unit[Level];
            return false;
        });
    }

    // Calls f<0>(), f<1>(), ... until one returns true; unrolled: divisions are by constants.
    template <class F>
    static constexpr bool each_level(F&& f) {
        return [&]<std::size_t... Level>(std::index_sequence<Level...>) {
            return (f.template operator()<static_cast<unsigned>(Level)>() || ...);
        }(std::make_index_sequence<Levels>{});
    }

    // The slot of the finest level whose ring reaches `due`, which is not before the cursor. A due
    // in the cursor's own slot of some level always fits a finer one, so that only the cursor's
    // slot of level 0 is ever filled while it is the cursor's.
    [[nodiscard]] std::uint32_t ring_slot_for(tick due) const noexcept {
        std::uint32_t slot = overflow_slots + overflow_bank_;
        each_level([&]<unsigned Level>() {
            const std::uint64_t position = due.count / unit[Level];
            if (position - position_[Level] >= Slots) return false;
            slot = Level * Slots + static_cast<std::uint32_t>(position % Slots);
            return true;
        });
        return slot;
    }

    [[nodiscard]] std::uint32_t slot_for(tick due) const noexcept {
        return due <= cursor_ ? late_slots + late_bank_ : ring_slot_for(due);
    }

    void place(timer_hook& hook, tick due) {
        append(slot_for(due), hook, due);
        access::due(hook) = due;
    }

    void append(std::uint32_t slot, timer_hook& hook, tick due) {
        slots_[slot].append(hook, slot);
        if (slot < ring_slots) occupied_[slot / Slots].set(slot % Slots);
        note_due(slot, due);
    }

    void note_due(std::uint32_t slot, tick due) noexcept {
        if (slot < overflow_slots) return;
        const bool first = slots_[slot].size() <= 1;
        overflow_first_ = first ? due : std::min(overflow_first_, due);
    }

    void remove(std::uint32_t slot, std::uint32_t index, const timer_hook& hook) noexcept {
        detail::require(
            slot < slot_count && index < slots_[slot].size() && slots_[slot][index] == &hook,
            "cancel or reschedule: the hook is armed in another queue");
        slots_[slot].remove(index);
        if (slot < ring_slots && slots_[slot].size() == 0) {
            occupied_[slot / Slots].reset(slot % Slots);
        }
    }

    // The first tick after the cursor at which a slot must be drained.
    [[nodiscard]] std::optional<tick> next_event() const noexcept {
        std::optional<tick> first;
        const auto consider = [&](std::uint64_t position, std::uint64_t length) {
            const tick start{position * length};
            if (!first || start < *first) first = start;
        };
        each_level([&]<unsigned Level>() {
            const auto slot = static_cast<std::uint32_t>(position_[Level] % Slots);
            const std::uint32_t distance = occupied_[Level].distance_to_next(slot);
            if (distance != 0) consider(position_[Level] + distance, unit[Level]);
            return false;
        });
        if (slots_[overflow_slots + overflow_bank_].size() != 0) {
            consider(overflow_first_.count / unit[top], unit[top]);
        }
        return first;
    }

    // The slot to be drained at the cursor, coarse before fine, so that what an upper slot holds
    // for this very tick is in level 0 when that is fired. no_slot: this tick is done.
    [[nodiscard]] std::uint32_t slot_at_cursor() noexcept {
        const std::uint32_t overflow = overflow_slots + overflow_bank_;
        if (slots_[overflow].size() != 0 && overflow_first_.count / unit[top] <= position_[top]) {
            overflow_bank_ ^= 1;
            return overflow;
        }
        for (unsigned level = Levels; level-- > 0;) {
            const auto slot = static_cast<std::uint32_t>(position_[level] % Slots);
            if (occupied_[level].test(slot)) return level * Slots + slot;
        }
        return no_slot;
    }

    void start_draining(std::uint32_t slot) noexcept {
        draining_ = slot;
        head_ = 0;
    }

    void begin_pass(tick now) noexcept {
        target_ = now;
        in_pass_ = true;
        if (slots_[late_slots + late_bank_].size() == 0) return;
        start_draining(late_slots + late_bank_);
        late_bank_ ^= 1;
    }

    // True: the pass is finished. False: the budget ran out.
    template <class Sink>
    bool run_pass(std::size_t& budget, advance_result& result, Sink& sink) {
        while (draining_ != no_slot || find_work()) {
            if (!drain(budget, result, sink)) return false;
        }
        in_pass_ = false;
        return true;
    }

    // Moves the cursor to the next slot to be drained. False: there is none up to the target.
    bool find_work() noexcept {
        while (true) {
            start_draining(slot_at_cursor());
            if (draining_ != no_slot) return true;
            const std::optional<tick> next = next_event();
            if (!next || *next > target_) break;
            go_to(*next);
        }
        go_to(target_);
        return false;
    }

    // Takes the entries of the slot being drained from the front; fires them or moves them on.
    // All state is in members before the sink is called, so it may change the wheel, and throw.
    template <class Sink>
    bool drain(std::size_t& budget, advance_result& result, Sink& sink) {
        const bool fires = draining_ < Slots || (draining_ - late_slots) < 2;
        detail::slot_array& entries = slots_[draining_];
        while (head_ < entries.size()) {
            if (budget == 0) return false;
            --budget;
            if (head_ + prefetch_distance < entries.size()) {
                __builtin_prefetch(entries[head_ + prefetch_distance], 1);
            }
            timer_hook& hook = *entries[head_];
            if (fires && hook.due() <= cursor_) {
                ++head_;
                access::disarm(hook);
                --size_;
                ++result.fired;
                sink(hook);
            } else {
                append(ring_slot_for(std::max(hook.due(), cursor_)), hook, hook.due());
                ++head_;
                ++result.moved;
            }
        }
        entries.clear();
        if (draining_ < ring_slots) occupied_[draining_ / Slots].reset(draining_ % Slots);
        draining_ = no_slot;
        return true;
    }

    [[nodiscard]] std::uint32_t first_entry(std::uint32_t slot) const noexcept {
        return slot == draining_ ? head_ : 0;
    }

    [[nodiscard]] bool check_slot(std::uint32_t slot) const;
    [[nodiscard]] bool may_be_in(std::uint32_t slot, tick due) const;

    std::array<detail::slot_array, slot_count> slots_;
    std::array<detail::slot_bitmap<Slots>, Levels> occupied_{};
    std::array<std::uint64_t, Levels> position_{};  // the cursor in units of each level
    tick cursor_;
    tick target_;          // the latest pass goes, or went, up to here
    tick overflow_first_;  // no overflow hook is due before; meaningless while there is none
    std::size_t size_ = 0;
    std::uint32_t draining_ = no_slot;
    std::uint32_t head_ = 0;  // entries of the draining slot before it are done with
    std::uint32_t late_bank_ = 0;
    std::uint32_t overflow_bank_ = 0;
    bool in_pass_ = false;
    bool advancing_ = false;  // inside advance: the sink may be running
};

template <std::uint32_t Slots, unsigned Levels>
bool hierarchical_wheel<Slots, Levels>::check_invariants() const {
    std::size_t total = 0;
    for (std::uint32_t slot = 0; slot < slot_count; ++slot) {
        if (!check_slot(slot)) return false;
        total += slots_[slot].size() - first_entry(slot);
    }
    const bool still = in_pass_ || (cursor_ == target_ && draining_ == no_slot);
    return total == size_ && cursor_ <= target_ && still;
}

template <std::uint32_t Slots, unsigned Levels>
bool hierarchical_wheel<Slots, Levels>::check_slot(std::uint32_t slot) const {
    const detail::slot_array& entries = slots_[slot];
    const std::uint32_t live = entries.size();
    if (entries.capacity() > std::max(detail::slot_array::smallest, 2 * live)) return false;
    const bool marked = slot < ring_slots && occupied_[slot / Slots].test(slot % Slots);
    if (slot < ring_slots && marked != (live != 0)) return false;
    for (std::uint32_t i = first_entry(slot); i < live; ++i) {
        timer_hook& hook = *entries[i];
        if (access::slot(hook) != slot || access::index(hook) != i) return false;
        if (slot != draining_ && !may_be_in(slot, hook.due())) return false;
    }
    return true;
}

// Whether a hook with this due may wait in this slot: the slot must come round in time.
template <std::uint32_t Slots, unsigned Levels>
bool hierarchical_wheel<Slots, Levels>::may_be_in(std::uint32_t slot, tick due) const {
    if (slot == late_slots + late_bank_) return due <= cursor_;
    if (slot == overflow_slots + overflow_bank_) return due >= overflow_first_;
    if (slot >= ring_slots) return false;
    const std::uint32_t level = slot / Slots;
    const std::uint32_t here = static_cast<std::uint32_t>(position_[level] % Slots);
    const std::uint32_t ahead = (slot % Slots + Slots - here) % Slots;
    if (ahead == 0 && !in_pass_) return false;
    return due.count >= (position_[level] + ahead) * unit[level] || due <= cursor_;
}

}  // namespace foliot
