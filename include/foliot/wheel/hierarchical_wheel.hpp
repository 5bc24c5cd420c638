// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/detail/hook_list.hpp>
#include <foliot/wheel/detail/hook_lists.hpp>
#include <foliot/wheel/detail/pass.hpp>
#include <foliot/wheel/detail/share.hpp>
#include <foliot/wheel/detail/slot_bitmap.hpp>
#include <foliot/wheel/detail/wheel_levels.hpp>
#include <foliot/wheel/timer_hook.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace foliot {

// A hierarchical timing wheel (Varghese and Lauck 1987, scheme 7): the default timer_queue.
//
// A slot of level 0 is one tick long, a slot of level n is `Slots` slots of level n - 1. Each level
// is a ring of two times `Slots` slots: the part of the next coarser slot in which the cursor
// stands, and the part that comes after it. A timer goes to the finest level whose ring reaches its
// due; what is due after the top level's ring waits in an overflow list. While the cursor goes
// through one coarse slot, the timers of the *next* one are moved to finer levels in small portions
// (the cascade), so no tick has a burst. Only level 0 fires. Nothing is ever sorted.
//
// Pick it for any mix of delays, above all when most timers are cancelled or moved before they
// fire. Pick a heap for a few dozen timers, docs/guide/choosing.md for the rest.
//
// Time:    schedule, cancel, reschedule O(1); advance O(Levels + hooks fired and moved), whatever
//          the distance; next_wakeup O(Levels), and O(1) for each slot that cancels have emptied,
//          once. A hook is moved at most once per level it passes, and once per top-level lap that
//          it waits in the overflow list.
// Threads: none; one caller at a time, of const functions too.
// Memory:  a hook is 16 bytes in the caller's object; the wheel holds 8.8 bytes for each, and 448
//          bytes for each slot in use. Slots take 64 * Slots * Levels bytes inside the wheel itself
//          (the default one is 67 KB). The next hook that comes to a slot takes the place of a
//          cancelled one; of a slot with many hooks up to three quarters may be such places, as
//          long as cancels from it go on. A slot gives its memory back while it is drained, and one
//          whose hooks were all cancelled when the cursor or next_wakeup comes upon it, to the
//          other slots; blocks of 16 KiB go back to the heap when no slot uses them. next_wakeup()
//          with nothing pending gives back all but one.
// Errors:  broken preconditions end the process with a message, in release too, but for those
//          marked (hardened). schedule, reschedule and advance may throw std::bad_alloc, and then
//          have changed nothing resp. resume where they stopped. What the sink throws passes
//          through.
// Order:   lower ticks first. Within a tick the order is a pure function of the calls made, of
//          those that only ask too, the same on every run and machine; it is *not* the order of
//          scheduling: a hook may take the place of one that was cancelled or moved, a slot that is
//          mostly such places is set up anew, and hooks that come from upper levels fire after
//          those placed directly before them.
//
// timer_queue.hpp says what a pass is, and what the sink may do.
template <std::uint32_t Slots = 256, unsigned Levels = 4>
class hierarchical_wheel {
    static_assert(Slots >= 2, "a ring of one slot does not turn");
    static_assert(Levels >= 1);

public:
    /// All ticks up to `start` count as fired.
    explicit hierarchical_wheel(tick start = {}) noexcept : levels_(start), pass_(start) {}
    hierarchical_wheel(const hierarchical_wheel&) = delete;
    hierarchical_wheel& operator=(const hierarchical_wheel&) = delete;

    /// Disarms what is pending: O(size).
    ~hierarchical_wheel() { clear(); }

    /// Arms `hook`, which must not be armed (checked). Any due is legal; at or before cursor() it
    /// fires in the next pass. O(1).
    [[gnu::always_inline]] void schedule(timer_hook& hook, tick due) {
        detail::require(!hook.armed(), "schedule: the hook is armed already");
        const std::uint32_t slot = levels_.slot_after(pass_.cursor, due);
        if (slot == none || !lists_.arm(hook, due, slot)) [[unlikely]]
            return schedule_anyway(hook, due);
    }

    /// True: the hook was armed and is not any more; the sink will not get it. False: it was not
    /// armed. The hook must not be armed in another queue (hardened). O(1).
    [[gnu::always_inline]] bool cancel(timer_hook& hook) noexcept {
        if (!hook.armed()) return false;
        lists_.check_mine(hook, list_count);
        if (lists_.cancel(hook)) [[unlikely]]
            settle();
        return true;
    }

    /// Gives an armed hook another due, or arms it. Later than before is one write to the hook: the
    /// entry stays, and is re-placed when its old slot comes round. O(1).
    [[gnu::always_inline]] void reschedule(timer_hook& hook, tick due) {
        // What was late when it was scheduled is not in a slot, and may be wanted in this very pass.
        if (access::is_below(hook, late) && due >= hook.due()) [[likely]] {
            access::due(hook) = due;
        } else {
            place_anew(hook, due);
        }
    }

    /// Fires what is due up to `now`: calls sink(timer_hook&) for each hook, disarmed. Handles at
    /// most `budget` hooks, fired or moved; what is left of the budget after all that is due goes
    /// into moving hooks down ahead of time. A `now` earlier than one before is a no-op.
    /// O(Levels + budget).
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        settle();
        lists_.tidy();
        advance_result result;
        result.drained = pass_.advance(
            now, [this] { begin_pass(); }, [&] { return run_pass(budget, result, sink); });
        if (result.drained && pass_.cursor >= pace_at_) pace(budget, result);
        return result;
    }

    /// When to call advance next: cursor() for "at once", nullopt if nothing is pending. Never
    /// later than the first due; earlier where a slot must be moved down first. O(Levels).
    [[nodiscard]] std::optional<tick> next_wakeup() const noexcept {
        if (empty()) return let_go();
        settle();
        if (pass_.unfinished || !lists_[late + late_bank_].empty()) return pass_.cursor;
        const auto event = next_event(tick::max());
        const auto pacing = pacing_wakeup();
        return pacing ? earlier(event, *pacing) : event;
    }

    [[nodiscard]] std::size_t size() const noexcept { return lists_.size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    /// Every tick before it is fired; this one too, unless a pass is unfinished.
    [[nodiscard]] tick cursor() const noexcept { return pass_.cursor; }

    /// Calls f(timer_hook&) for every pending hook; f must not change the wheel. O(size + slots).
    template <class F>
    void for_each(F&& f) const {
        settle();
        for (std::uint32_t list = 0; list < list_count; ++list) lists_[list].for_each(f);
    }

    /// How many places occupancy() tells apart: the levels, the overflow, and what was late.
    [[nodiscard]] static constexpr unsigned places() noexcept { return Levels + 2; }

    /// How many hooks wait on a level; `Levels` is the overflow, `Levels` + 1 those that were late
    /// when they were scheduled. O(slots).
    [[nodiscard]] std::size_t occupancy(unsigned place) const noexcept {
        const std::uint32_t first = place <= Levels ? place * ring : late;
        const std::uint32_t end = place < Levels ? first + ring : first + 2;
        settle();
        std::size_t sum = 0;
        for (std::uint32_t list = first; list < end; ++list) sum += lists_[list].size();
        return sum;
    }

    /// Bytes that the wheel holds besides itself: about 8.8 for each pending hook and each place of
    /// a cancelled one, and at most 16 KiB for each slot that was in use.
    [[nodiscard]] std::size_t memory() const noexcept { return lists_.memory(); }

    /// Disarms everything; the cursor stays. Not from a sink (checked). O(size + slots).
    void clear() noexcept { reset(pass_.cursor); }

    /// Disarms everything and goes to `cursor`, which may be earlier. Not from a sink (checked).
    void reset(tick cursor) noexcept {
        pass_.reset(cursor);
        settle();
        lists_.clear(list_count);
        occupied_ = {};
        overflow_first_ = tick::max();
        paced_ = {};
        pace_at_ = {};
        levels_.set_cursor(pass_.cursor);
        draining_ = none;
    }

    /// Walks everything and says whether it is as it must be. For tests: O(size + slots).
    [[nodiscard]] bool check_invariants() const;

private:
    using access = detail::hook_access;

    // Lists are numbered level by level; behind the rings come two banks each for the overflow and
    // for hooks that were late when scheduled: one is filled while the other is drained.
    using levels = detail::wheel_levels<Slots, Levels>;
    static constexpr std::uint32_t ring = levels::ring;
    static constexpr std::uint32_t overflow = levels::slot_count;
    static constexpr std::uint32_t late = overflow + 2;
    static constexpr std::uint32_t list_count = late + 2;
    static constexpr std::uint32_t none = levels::none;
    static constexpr unsigned top = levels::top;
    static_assert(list_count <= access::max_lists, "more than 2^16 slots");

    // Hooks are moved ahead of time in portions of this many, so that fetching them overlaps.
    static constexpr std::size_t portion = 32;
    // From this many hooks on, a slot makes the wheel ask for wake-ups ahead of time.
    static constexpr std::size_t crowd = 1024;

    // The list for `due`, which is not before the cursor.
    [[nodiscard, gnu::always_inline]] std::uint32_t ring_list_for(tick due) noexcept {
        const std::uint32_t slot = levels_.slot_for(due);
        if (slot == none) [[unlikely]]
            return overflow_list_for(due);
        return slot;
    }

    [[nodiscard, gnu::noinline, gnu::cold]] std::uint32_t overflow_list_for(tick due) noexcept {
        settle();
        if (lists_[overflow + overflow_bank_].empty()) overflow_first_ = tick::max();
        overflow_first_ = std::min(overflow_first_, due);
        return overflow + overflow_bank_;
    }

    [[nodiscard, gnu::always_inline]] std::uint32_t list_for(tick due) noexcept {
        if (due <= pass_.cursor) [[unlikely]]
            return late + late_bank_;
        return ring_list_for(due);
    }

    // What schedule does when it does more than the usual: out of line, as its last step.
    [[gnu::noinline]] void schedule_anyway(timer_hook& hook, tick due) {
        place(hook, due);
        lists_.count_armed();
    }

    void place(timer_hook& hook, tick due) {
        append(list_for(due), hook);
        access::due(hook) = due;
    }

    [[gnu::noinline]] void place_anew(timer_hook& hook, tick due) {
        if (!hook.armed()) return schedule(hook, due);
        const detail::hook_place old = access::place(hook);
        const bool stays_late = hook.due() <= pass_.cursor && due <= pass_.cursor;
        if (stays_late || list_for(due) == access::list(old)) {
            access::due(hook) = due;
            return;
        }
        lists_.check_mine(hook, list_count);
        place(hook, due);
        if (lists_.leave(old)) settle();
    }

    [[gnu::always_inline]] void append(std::uint32_t list, timer_hook& hook) {
        if (lists_.append(hook, list)) [[unlikely]]
            mark(list);
    }

    [[gnu::noinline, gnu::cold]] void mark(std::uint32_t list) noexcept {
        if (list < overflow) occupied_[list / ring].set(list % ring);
    }
    void unmark(std::uint32_t list) const noexcept {
        if (list < overflow) occupied_[list / ring].reset(list % ring);
    }

    // Changes nothing that can be seen, but for the memory in use. What follows entries, or asks
    // whether a list is empty, must come after it.
    [[gnu::always_inline]] void settle() const noexcept {
        if (!lists_.settled()) lists_.settle();
    }

    // Who has nothing to wait for may sleep for long: gives back what empty slots still hold.
    [[gnu::noinline, gnu::cold]] std::nullopt_t let_go() const noexcept {
        if (!pass_.advancing && lists_.let_go(list_count)) occupied_ = {};
        return std::nullopt;
    }

    // ---- what comes next ----------------------------------------------------------------------

    // A slot that holds something: its list, and where it is on its level, counted from tick 0.
    struct coming_slot {
        std::uint32_t list;
        std::uint64_t position;
    };

    // The next one of a level after the cursor's slot. `Levels` means the overflow, which must be
    // drained by the start of the top-level slot of its first due.
    [[nodiscard]] std::optional<coming_slot> next_slot(unsigned level) const noexcept {
        if (level == Levels) return next_overflow();
        const std::uint64_t here = levels::position(level, pass_.cursor);
        while (true) {
            const std::uint32_t distance =
                occupied_[level].distance_to_next(static_cast<std::uint32_t>(here % ring));
            if (distance == 0) return std::nullopt;
            const coming_slot slot{levels::number(level, here + distance), here + distance};
            if (!drop_if_empty(slot.list)) return slot;
        }
    }

    [[nodiscard]] std::optional<coming_slot> next_overflow() const noexcept {
        const std::uint32_t filled = overflow + overflow_bank_;
        const std::uint32_t drained = overflow + (overflow_bank_ ^ 1);
        if (!lists_[drained].empty()) return coming_slot{drained, overflow_drain_position_};
        if (lists_[filled].empty()) return std::nullopt;
        return coming_slot{filled, overflow_first_.count / levels::unit[top]};
    }

    // The overflow's slots are as long as the top level's.
    static constexpr unsigned level_of_unit(unsigned level) noexcept {
        return std::min(level, top);
    }
    static constexpr tick start_of(unsigned level, std::uint64_t position) noexcept {
        return tick{position * levels::unit[level_of_unit(level)]};
    }

    // Makes the bank that is filled the one to be drained.
    std::uint32_t turn_overflow() noexcept {
        overflow_drain_position_ = overflow_first_.count / levels::unit[top];
        overflow_first_ = tick::max();
        // Cancels may have emptied the other bank in the middle of its drain.
        (void)lists_.drop_if_empty(overflow + (overflow_bank_ ^ 1));
        overflow_bank_ ^= 1;
        return overflow + (overflow_bank_ ^ 1);
    }

    // Of a tick: whether it is in the cursor's slot of level 1. Coarser slots only begin where
    // those of level 1 begin.
    [[nodiscard]] bool is_near(tick t) const noexcept {
        return Levels > 1 && t.count / Slots == pass_.cursor.count / Slots;
    }

    // The first tick after the cursor at which a slot must be drained; nothing beyond `limit` is
    // of interest.
    [[nodiscard]] std::optional<tick> next_event(tick limit) const noexcept {
        std::optional<tick> first;
        if (const auto slot = next_slot(0)) first = tick{slot->position};
        if (is_near(first ? std::min(*first, limit) : limit)) return first;
        for (unsigned level = 1; level <= Levels; ++level) {
            const auto slot = next_slot(level);
            if (slot) first = earlier(first, start_of(level, slot->position));
        }
        return first;
    }

    static std::optional<tick> earlier(std::optional<tick> a, tick b) noexcept {
        return a ? std::min(*a, b) : b;
    }

    // The list to be drained at the cursor, coarse before fine, so that what an upper slot holds
    // for this very tick is in level 0 when that is fired. none: this tick is done.
    [[nodiscard]] std::uint32_t list_at_cursor() noexcept {
        if (Levels == 1 || pass_.cursor.count % Slots == 0) {
            const auto slot = next_overflow();
            if (slot && slot->position <= levels::position(top, pass_.cursor)) {
                return slot->list == overflow + overflow_bank_ ? turn_overflow() : slot->list;
            }
            for (unsigned level = top; level > 0; --level) {
                const std::uint32_t list =
                    levels::number(level, levels::position(level, pass_.cursor));
                if (!drop_if_empty(list)) return list;
            }
        }
        const std::uint32_t list = levels::number(0, pass_.cursor.count);
        return drop_if_empty(list) ? none : list;
    }

    // A list may have become empty by cancels. To find that out is left to who comes upon it.
    bool drop_if_empty(std::uint32_t list) const noexcept {
        if (!lists_.drop_if_empty(list)) return false;
        unmark(list);
        return true;
    }

    // ---- a pass -------------------------------------------------------------------------------

    void go_to(tick t) noexcept {
        const bool near = is_near(t);
        pass_.cursor = t;
        if (near) [[likely]]
            return;
        pace_at_ = {};
        levels_.set_cursor(pass_.cursor);
    }

    void begin_pass() noexcept {
        if (lists_[late + late_bank_].empty()) return;
        draining_ = late + late_bank_;
        late_bank_ ^= 1;
    }

    // True: the pass is finished. False: the budget ran out.
    template <class Sink>
    bool run_pass(std::size_t& budget, advance_result& result, Sink& sink) {
        while (draining_ != none || find_work()) {
            const bool fires = draining_ < ring || draining_ >= late;
            if (!(fires ? fire(budget, result, sink) : move_down(draining_, budget, result))) {
                return false;
            }
            draining_ = none;
        }
        return true;
    }

    // Moves the cursor to the next slot to be drained. False: there is none up to the target.
    bool find_work() noexcept {
        while (true) {
            draining_ = list_at_cursor();
            if (draining_ != none) return true;
            if (is_near(pass_.target)) break;
            const std::optional<tick> next = next_event(pass_.target);
            if (!next || *next > pass_.target) {
                go_to(pass_.target);
                return false;
            }
            go_to(*next);
        }
        return find_near_work();
    }

    // The same within one slot of level 1: only level 0 counts, and its ring does not wrap.
    bool find_near_work() noexcept {
        if (pass_.cursor == pass_.target) return false;
        const std::uint32_t first = levels::number(0, pass_.cursor.count + 1);
        const std::uint32_t last = levels::number(0, pass_.target.count);
        const std::uint32_t found = occupied_[0].first_in(first, last);
        pass_.cursor.count += std::min(found, last) - first + 1;
        if (found > last) return false;
        draining_ = found;
        return true;
    }

    // Takes the entries of the list being drained from the front, and fires those that are due; the
    // others were rescheduled later. All state is in members before the sink is called, so it may
    // change the wheel, and throw. False: the budget ran out.
    template <class Sink>
    bool fire(std::size_t& budget, advance_result& result, Sink& sink) {
        const std::size_t before = budget;
        std::size_t kept = 0;
        const bool done = lists_.take_each(draining_, budget, [&](timer_hook& hook) {
            if (hook.due() > pass_.cursor) [[unlikely]] {
                keep_for_later(hook);
                ++kept;
                return;
            }
            lists_.count_fired(hook);
            sink(hook);
            settle();
        });
        result.fired += before - budget - kept;
        result.moved += kept;
        if (done) unmark(draining_);
        return done;
    }

    void keep_for_later(timer_hook& hook) {
        try {
            append(ring_list_for(hook.due()), hook);
        } catch (...) {
            lists_.put_back(draining_);
            throw;
        }
    }

    // Moves the entries of a list to where they belong now. False: the budget ran out.
    bool move_down(std::uint32_t from, std::size_t& budget, advance_result& result) {
        const std::size_t before = budget;
        const bool done = lists_.move_each(from, budget, [&](timer_hook& hook) {
            append(ring_list_for(std::max(hook.due(), pass_.cursor)), hook);
        });
        result.moved += before - budget;
        if (done) unmark(from);
        return done;
    }

    // ---- moving down ahead of time ------------------------------------------------------------

    // Moves a share of each coarse slot that comes next: as much as time has passed of the span
    // before it.
    void pace(std::size_t& budget, advance_result& result) {
        pace_at_ = tick::max();
        for (unsigned level = 1; level <= Levels; ++level) {
            const auto slot = next_slot(level);
            if (!slot || !comes_next(level, *slot)) continue;
            const bool turns = slot->list == overflow + overflow_bank_;
            const std::uint32_t list = turns ? turn_overflow() : slot->list;
            const tick start = start_of(level, slot->position);
            const std::size_t share = share_of(level, start).of(lists_[list].size(), pass_.cursor);
            if (share >= portion || start.count - pass_.cursor.count == 1) {
                move_share(list, share, budget, result);
                paced_[level - 1] = tick{pass_.cursor.count + 1};
            }
            const std::size_t left = lists_[list].size();
            const tick next = share_of(level, start).due(portion, left, pass_.cursor);
            pace_at_ = std::min(pace_at_, next);
        }
    }

    void move_share(std::uint32_t list, std::size_t share, std::size_t& budget,
                    advance_result& result) {
        const std::size_t kept = budget - std::min(share, budget);
        budget -= kept;
        (void)move_down(list, budget, result);
        budget += kept;
    }

    [[nodiscard]] bool comes_next(unsigned level, const coming_slot& slot) const noexcept {
        return slot.position - levels::position(level_of_unit(level), pass_.cursor) <= 1;
    }

    // The hooks of a coarse slot are moved from the beginning of the slot before
    // it, or from where the last share was moved, to its own start.
    [[nodiscard]] detail::share share_of(unsigned level, tick start) const noexcept {
        const tick before{start.count - levels::unit[level_of_unit(level)]};
        return {std::max(paced_[level - 1], before), start};
    }

    // When a sleeping driver must wake for a crowded slot, so that it is not moved in one burst.
    [[nodiscard]] std::optional<tick> pacing_wakeup() const noexcept {
        std::optional<tick> first;
        for (unsigned level = 1; level <= Levels; ++level) {
            const auto slot = next_slot(level);
            if (!slot) continue;
            const std::size_t n = lists_[slot->list].size();
            if (n <= crowd) continue;
            const tick start = start_of(level, slot->position);
            const detail::share share = share_of(level, start);
            const bool next = comes_next(level, *slot);
            first = earlier(first, next ? share.due(crowd, n, pass_.cursor) : share.begin);
        }
        return first;
    }

    [[nodiscard]] bool check_list(std::uint32_t list) const;
    [[nodiscard]] bool may_be_in(std::uint32_t list, tick due) const;

    levels levels_;
    detail::pass pass_;
    mutable detail::hook_lists<std::array<detail::hook_list, list_count>> lists_;
    mutable std::array<detail::slot_bitmap<ring>, Levels> occupied_{};
    std::uint32_t late_bank_ = 0;                // filled; the other one is drained
    std::uint32_t overflow_bank_ = 0;            // filled; the other one is drained
    std::uint32_t draining_ = none;              // the list that the unfinished pass is in
    tick overflow_first_ = tick::max();          // nothing in the filled bank is due before
    std::uint64_t overflow_drain_position_ = 0;  // of the drained bank
    std::array<tick, Levels> paced_{};  // of level n + 1: shares are moved up to before this tick
    tick pace_at_;                      // no share is due before
};

template <std::uint32_t Slots, unsigned Levels>
bool hierarchical_wheel<Slots, Levels>::check_invariants() const {
    settle();
    std::size_t total = 0;
    for (std::uint32_t list = 0; list < list_count; ++list) {
        if (!check_list(list)) return false;
        total += lists_[list].size();
    }
    const bool still = pass_.unfinished || (cursor() == pass_.target && draining_ == none);
    return total == size() && cursor() <= pass_.target && still;
}

template <std::uint32_t Slots, unsigned Levels>
bool hierarchical_wheel<Slots, Levels>::check_list(std::uint32_t list) const {
    if (list < overflow && !lists_[list].empty() && !occupied_[list / ring].test(list % ring)) {
        return false;
    }
    return lists_.check(list, [&](tick due) { return list == draining_ || may_be_in(list, due); });
}

// Whether a hook with this due may wait in this list: it must come round in time.
template <std::uint32_t Slots, unsigned Levels>
bool hierarchical_wheel<Slots, Levels>::may_be_in(std::uint32_t list, tick due) const {
    if (list >= late) return list == late + late_bank_ && due <= cursor();
    if (list == overflow + overflow_bank_) return due >= overflow_first_;
    if (list >= overflow) return due.count / levels::unit[top] >= overflow_drain_position_;
    const std::uint32_t level = list / ring;
    const std::uint64_t here = levels::position(level, cursor());
    const auto ahead = static_cast<std::uint32_t>((list % ring + ring - here % ring) % ring);
    if (ahead == 0 && !pass_.unfinished) return false;
    return due >= start_of(level, here + ahead) || due <= cursor();
}

}  // namespace foliot
