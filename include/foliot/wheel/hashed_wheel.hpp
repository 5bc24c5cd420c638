// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/detail/hook_list.hpp>
#include <foliot/wheel/detail/hook_lists.hpp>
#include <foliot/wheel/detail/pass.hpp>
#include <foliot/wheel/detail/slot_bitmap.hpp>
#include <foliot/wheel/timer_hook.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace foliot {

// A hashed timing wheel with unsorted slots (Varghese and Lauck 1987, scheme 6; Netty's
// HashedWheelTimer): one ring, and a timer waits in slot `due % Slots`, whatever its delay. How many
// rounds of the cursor it has still to wait follows from its due, and is not stored.
//
// When the cursor comes to a slot, its timers are looked at one by one: those due fire, the others
// go back into the slot for a later round. A slot also knows a tick before which nothing in it is
// due, so rounds in which it has nothing to fire pass it by.
//
// Pick it where most delays are shorter than `Slots` ticks: then nothing is ever moved, and schedule
// and cancel are as cheap as they can be. Make `Slots` larger than the common delay, and a power of
// two if there is no reason for another number. Pick hierarchical_wheel where many delays are
// longer, since each of those may be looked at once a round: with m timers in a slot and r rounds to
// go, up to min(m, r) times each.
//
// Time:    schedule, cancel, reschedule O(1); advance O(hooks fired and moved), and for a jump
//          O(slots in use) for each tick in it that has something to do; next_wakeup O(slots in
//          use). Empty ticks cost nothing, whole rounds of them neither.
// Threads: none; one caller at a time, of const functions too.
// Memory:  a hook is 16 bytes in the caller's object; the wheel holds 8.8 bytes for each, and 448
//          bytes for each slot in use. A slot takes 50 bytes inside the wheel itself: put a large
//          wheel on the heap. The next hook that comes to a slot takes the place of a cancelled
//          one; of a slot with many hooks up to three quarters may be such places, as long as
//          cancels from it go on. A slot gives its memory back while it is drained, and one whose
//          hooks were all cancelled when the cursor or next_wakeup comes upon it, to the other
//          slots; blocks of 16 KiB go back to the heap when no slot uses them. next_wakeup() with
//          nothing pending gives back all but one.
// Errors:  broken preconditions end the process with a message, in release too, but for those
//          marked (hardened). schedule, reschedule and advance may throw std::bad_alloc, and then
//          have changed nothing resp. resume where they stopped. What the sink throws passes
//          through.
// Order:   lower ticks first. Within a tick the order is a pure function of the calls made, of
//          those that only ask too, the same on every run and machine: that of scheduling, but that
//          a hook may take the place of one that was cancelled or moved earlier, that a slot that
//          is mostly such places is set up anew, and that a hook moved later comes behind those
//          that are there.
//
// timer_queue.hpp says what a pass is, and what the sink may do.
template <std::uint32_t Slots = 512>
class hashed_wheel {
    static_assert(Slots >= 2, "a ring of one slot does not turn");
    static_assert(Slots + std::uint64_t{3} <= detail::hook_access::max_lists,
                  "more than 65533 slots");

public:
    /// All ticks up to `start` count as fired.
    explicit hashed_wheel(tick start = {}) noexcept : pass_(start) {
        for (std::uint32_t list = 0; list < late; ++list) {
            slot_of_list_[list] = static_cast<std::uint16_t>(list);
        }
        for (std::uint32_t s = 0; s < Slots; ++s) slots_[s].list = s;
    }
    hashed_wheel(const hashed_wheel&) = delete;
    hashed_wheel& operator=(const hashed_wheel&) = delete;

    /// Disarms what is pending: O(size).
    ~hashed_wheel() { clear(); }

    /// Arms `hook`, which must not be armed (checked). Any due is legal; at or before cursor() it
    /// fires in the next pass. O(1).
    [[gnu::always_inline]] void schedule(timer_hook& hook, tick due) {
        detail::require(!hook.armed(), "schedule: the hook is armed already");
        const slot& to = slots_[slot_of(due)];
        const bool usual = due > pass_.cursor && due >= to.first && lists_.arm(hook, due, to.list);
        if (!usual) [[unlikely]]
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
    /// most `budget` hooks, fired or put back for a later round. A `now` earlier than one before is
    /// a no-op. O(slots in use + budget) for each tick that has something to do.
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        settle();
        lists_.tidy();
        advance_result result;
        result.drained = pass_.advance(
            now, [this] { begin_pass(); }, [&] { return run_pass(budget, result, sink); });
        return result;
    }

    /// When to call advance next: cursor() for "at once", nullopt if nothing is pending. The first
    /// due exactly, or that of a hook cancelled or moved later since. O(slots in use).
    [[nodiscard]] std::optional<tick> next_wakeup() const noexcept {
        if (empty()) return let_go();
        settle();
        if (pass_.unfinished || !lists_[late + late_bank_].empty()) return pass_.cursor;
        return next_event(tick::max());
    }

    [[nodiscard]] std::size_t size() const noexcept { return lists_.size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    /// Every tick before it is fired; this one too, unless a pass is unfinished.
    [[nodiscard]] tick cursor() const noexcept { return pass_.cursor; }

    /// How often the cursor will pass the slot of this due before it fires.
    [[nodiscard]] std::uint64_t rounds(tick due) const noexcept {
        return due <= pass_.cursor ? 0 : (due.count - pass_.cursor.count - 1) / Slots;
    }

    /// Calls f(timer_hook&) for every pending hook; f must not change the wheel. O(size + slots).
    template <class F>
    void for_each(F&& f) const {
        settle();
        for (std::uint32_t list = 0; list < list_count; ++list) lists_[list].for_each(f);
    }

    /// How many places occupancy() tells apart: the slots, and what was late.
    [[nodiscard]] static constexpr unsigned places() noexcept { return Slots + 1; }

    /// How many hooks wait in a slot; `Slots` means those that were late when they were scheduled.
    /// O(1).
    [[nodiscard]] std::size_t occupancy(unsigned place) const noexcept {
        settle();
        if (place == Slots) return lists_[late].size() + lists_[late + 1].size();
        const bool is_drained = draining_ < late && slot_of_list_[draining_] == place;
        return lists_[slots_[place].list].size() + (is_drained ? lists_[draining_].size() : 0);
    }

    /// Disarms everything; the cursor stays. Not from a sink (checked). O(size + slots).
    void clear() noexcept { reset(pass_.cursor); }

    /// Disarms everything and goes to `cursor`, which may be earlier. Not from a sink (checked).
    void reset(tick cursor) noexcept {
        pass_.reset(cursor);
        settle();
        lists_.clear(list_count);
        occupied_ = {};
        end_draining();
    }

    /// Walks everything and says whether it is as it must be. For tests: O(size + slots).
    [[nodiscard]] bool check_invariants() const;

private:
    using access = detail::hook_access;

    // Of a slot: the list in which its hooks wait, and, if there are any, a tick that the slot comes
    // round at and before which none of them is due.
    struct slot {
        tick first;
        std::uint32_t list = 0;
    };

    // There is one more list than slots: what is put back while a slot is drained goes into that
    // one, and the drained list is the next one to spare. So a walk through a slot meets each hook
    // once, whatever the sink does. Behind them two banks of hooks that were late when scheduled:
    // one is filled while the other is drained.
    static constexpr std::uint32_t late = Slots + 1;
    static constexpr std::uint32_t list_count = late + 2;
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    static constexpr std::uint32_t slot_of(tick t) noexcept {
        return static_cast<std::uint32_t>(t.count % Slots);
    }

    // What schedule does when it does more than the usual: out of line, as its last step.
    [[gnu::noinline]] void schedule_anyway(timer_hook& hook, tick due) {
        place(hook, due);
        lists_.count_armed();
    }

    void place(timer_hook& hook, tick due) {
        if (due <= pass_.cursor) {
            lists_.append(hook, late + late_bank_);
        } else {
            put_into_ring(hook, due);
        }
        access::due(hook) = due;
    }

    [[gnu::noinline]] void place_anew(timer_hook& hook, tick due) {
        if (!hook.armed()) return schedule(hook, due);
        const detail::hook_place old = access::place(hook);
        const bool stays_late = hook.due() <= pass_.cursor && due <= pass_.cursor;
        slot& to = slots_[slot_of(due)];
        const bool stays = due > pass_.cursor && to.list == access::list(old);
        if (stays_late || stays) {
            if (stays) to.first = std::min(to.first, due);  // some rounds earlier
            access::due(hook) = due;
            return;
        }
        lists_.check_mine(hook, list_count);
        place(hook, due);
        if (lists_.leave(old)) settle();
    }

    [[gnu::always_inline]] void put_into_ring(timer_hook& hook, tick due) {
        slot& to = slots_[slot_of(due)];
        if (lists_.append(hook, to.list)) [[unlikely]]
            mark(to, due);
        if (due < to.first) [[unlikely]]
            to.first = due;
    }

    void mark(slot& to, tick due) noexcept {
        occupied_.set(slot_of(due));
        to.first = due;
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

    // The first tick after the cursor at which a slot may have something due. What comes after
    // `limit` may be told wrongly, but as after it. A slot that is due in this round decides; if
    // there is none, that with the least `first`.
    [[nodiscard]] std::optional<tick> next_event(tick limit) const noexcept {
        const std::uint64_t reach =
            std::min<std::uint64_t>(limit.count - pass_.cursor.count, Slots);
        const std::uint32_t here = slot_of(pass_.cursor);
        std::optional<tick> first;
        std::uint32_t at = here;
        std::uint64_t ahead = 0;
        while (const std::uint32_t distance = occupied_.distance_to_next(at)) {
            ahead += distance;
            if (ahead >= Slots || (ahead > reach && reach < Slots)) break;
            at = slot_at(at + distance);
            if (drop_if_empty(at)) continue;
            const tick candidate = slots_[at].first;
            if (candidate.count - pass_.cursor.count == ahead) return candidate;
            first = earlier(first, candidate);
        }
        if (reach == Slots && occupied_.test(here) && !drop_if_empty(here))
            first = earlier(first, slots_[here].first);
        return first;
    }

    // A list may have become empty by cancels. To find that out is left to who comes upon it.
    bool drop_if_empty(std::uint32_t s) const noexcept {
        if (!lists_.drop_if_empty(slots_[s].list)) return false;
        occupied_.reset(s);
        return true;
    }

    static constexpr std::uint32_t slot_at(std::uint32_t position) noexcept {
        return position < Slots ? position : position - Slots;
    }
    static std::optional<tick> earlier(std::optional<tick> a, tick b) noexcept {
        return a ? std::min(*a, b) : b;
    }

    // ---- a pass -------------------------------------------------------------------------------

    void begin_pass() noexcept {
        if (lists_[late + late_bank_].empty()) return;
        draining_ = late + late_bank_;
        late_bank_ ^= 1;
    }

    // True: the pass is finished. False: the budget ran out.
    template <class Sink>
    bool run_pass(std::size_t& budget, advance_result& result, Sink& sink) {
        while (draining_ != none || find_work()) {
            if (!drain(budget, result, sink)) return false;
            end_draining();
        }
        return true;
    }

    // Moves the cursor to the next tick that has something to do. False: there is none up to the
    // target.
    bool find_work() noexcept {
        const std::optional<tick> next = next_event(pass_.target);
        if (!next || *next > pass_.target) {
            pass_.cursor = pass_.target;
            return false;
        }
        pass_.cursor = *next;
        slot& here = slots_[slot_of(*next)];
        occupied_.reset(slot_of(*next));
        draining_ = here.list;
        here.list = spare_;
        slot_of_list_[spare_] = slot_of_list_[draining_];
        return true;
    }

    void end_draining() noexcept {
        if (draining_ < late) spare_ = draining_;
        draining_ = none;
    }

    // Takes the entries of the list being drained from the front, fires those that are due, and puts
    // the others where they belong. All state is in members before the sink is called, so it may
    // change the wheel, and throw. False: the budget ran out.
    template <class Sink>
    bool drain(std::size_t& budget, advance_result& result, Sink& sink) {
        return lists_.take_each(draining_, budget, [&](timer_hook& hook) {
            if (hook.due() > pass_.cursor) {
                keep_for_later(hook);
                ++result.moved;
                return;
            }
            lists_.count_fired(hook);
            ++result.fired;
            sink(hook);
            settle();
        });
    }

    void keep_for_later(timer_hook& hook) {
        try {
            put_into_ring(hook, hook.due());
        } catch (...) {
            lists_.put_back(draining_);
            throw;
        }
    }

    [[nodiscard]] bool check_slot(std::uint32_t s) const;

    detail::pass pass_;
    mutable detail::hook_lists<std::array<detail::hook_list, list_count>> lists_;
    std::array<slot, Slots> slots_;
    mutable detail::slot_bitmap<Slots> occupied_;
    std::uint32_t late_bank_ = 0;    // filled; the other one is drained
    std::uint32_t draining_ = none;  // the list that the unfinished pass is in
    std::uint32_t spare_ = Slots;    // of no slot, and empty; meaningless while a slot is drained
    std::array<std::uint16_t, Slots + 1> slot_of_list_;  // but of the spare one
};

template <std::uint32_t Slots>
bool hashed_wheel<Slots>::check_invariants() const {
    settle();
    std::size_t total = 0;
    for (std::uint32_t list = 0; list < list_count; ++list) total += lists_[list].size();
    for (std::uint32_t s = 0; s < Slots; ++s) {
        if (!check_slot(s)) return false;
    }
    for (std::uint32_t list = late; list < list_count; ++list) {
        const bool waits = list == late + late_bank_;
        if (!lists_.check(list, [&](tick due) { return due <= cursor() || !waits; })) return false;
    }
    if (draining_ != none && !lists_.check(draining_, [](tick) { return true; })) return false;
    const bool still = pass_.unfinished || (cursor() == pass_.target && draining_ == none);
    const bool spared = draining_ < late || lists_[spare_].empty();
    return total == size() && cursor() <= pass_.target && still && spared;
}

template <std::uint32_t Slots>
bool hashed_wheel<Slots>::check_slot(std::uint32_t s) const {
    const slot& here = slots_[s];
    if (slot_of_list_[here.list] != s) return false;
    if (lists_[here.list].empty()) return true;
    if (!occupied_.test(s)) return false;
    if (slot_of(here.first) != s || here.first <= cursor()) return false;
    return lists_.check(here.list, [&](tick due) { return due >= here.first; });
}

}  // namespace foliot
