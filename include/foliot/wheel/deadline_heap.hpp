// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/detail/hook_list.hpp>
#include <foliot/wheel/detail/pass.hpp>
#include <foliot/wheel/timer_hook.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

namespace foliot {

// A heap of deadlines: four children a node, each group of children on one cache line, and every
// hook knows its place, so that a cancel takes its entry out at once instead of leaving it until it
// comes to the top (as std::priority_queue would). What libuv, libev and Asio use.
//
// Pick it for up to a few hundred timers, where it is the smallest and as fast as any, or where
// next_wakeup() must be exact: it needs no wake-ups on the way to a far timer. Pick
// hierarchical_wheel for many timers: there each cancel and each firing of a heap costs a walk
// through its layers, and a cold line for every hook that it displaces.
//
// Time:    schedule, cancel, reschedule to an earlier tick and each firing O(log size), schedule
//          O(1) on average; reschedule to a later tick O(1); next_wakeup O(1). An empty tick costs
//          nothing.
// Threads: none; one caller at a time.
// Memory:  a hook is 16 bytes in the caller's object; the heap holds 16 bytes for each, in blocks
//          of 16 KB (smaller for fewer than 1024 timers). It grows and shrinks by a block, and
//          keeps at most two that it does not need; growing copies nothing once there are 1024
//          timers. Hooks that were late when scheduled take 8.8 bytes each, which are given back
//          with the pass that fires them.
// Errors:  broken preconditions end the process with a message, in release too, but for those
//          marked (hardened). schedule, reschedule and advance may throw std::bad_alloc, and then
//          have changed nothing resp. resume where they stopped. What the sink throws passes
//          through.
// Order:   lower ticks first. Within a tick the order is that in which the heap yields equal keys:
//          a pure function of the calls made, the same on every run and machine, but *not* the
//          order of scheduling. Hooks that were late when scheduled fire first, in that order as
//          long as none of them is cancelled or moved.
//
// timer_queue.hpp says what a pass is, and what the sink may do.
class deadline_heap {
public:
    /// All ticks up to `start` count as fired.
    explicit deadline_heap(tick start = {}) noexcept : pass_(start) {}
    deadline_heap(const deadline_heap&) = delete;
    deadline_heap& operator=(const deadline_heap&) = delete;

    /// Disarms what is pending: O(size).
    ~deadline_heap() { clear(); }

    /// Arms `hook`, which must not be armed (checked). Any due is legal; at or before cursor() it
    /// fires in the next pass. O(log size), O(1) on average.
    void schedule(timer_hook& hook, tick due) {
        detail::require(!hook.armed(), "schedule: the hook is armed already");
        place(hook, due);
    }

    /// True: the hook was armed and is not any more; the sink will not get it. False: it was not
    /// armed. The hook must not be armed in another queue (hardened). O(log size).
    bool cancel(timer_hook& hook) noexcept {
        if (!hook.armed()) return false;
        remove(hook, access::place(hook));
        access::disarm(hook);
        return true;
    }

    /// Gives an armed hook another due, or arms it. Later than before is one write to the hook: its
    /// entry keeps the old key, and sinks to the new one when it comes to the top. Earlier:
    /// O(log size).
    void reschedule(timer_hook& hook, tick due) {
        // What was late when it was scheduled is not in the heap, and may be wanted in this very pass.
        if (access::is_below(hook, late) && due >= hook.due()) [[likely]] {
            access::due(hook) = due;
        } else {
            place_anew(hook, due);
        }
    }

    /// Fires what is due up to `now`: calls sink(timer_hook&) for each hook, disarmed. Handles at
    /// most `budget` hooks, fired or moved. A `now` earlier than one before is a no-op.
    /// O(budget * log size), whatever the distance.
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        advance_result result;
        result.drained = pass_.advance(
            now, [this] { late_bank_ ^= 1; },
            [&] { return fire_late(budget, result, sink) && fire_due(budget, result, sink); });
        return result;
    }

    /// When to call advance next: cursor() for "at once", nullopt if nothing is pending. The first
    /// due exactly, or an earlier one that a hook had before it was moved later. O(1).
    [[nodiscard]] std::optional<tick> next_wakeup() const noexcept {
        if (pass_.unfinished && !empty()) return pass_.cursor;
        if (!late_[late_bank_].empty()) return pass_.cursor;
        if (end_ == root) return std::nullopt;
        return at(root).key;
    }

    [[nodiscard]] std::size_t size() const noexcept {
        return occupancy(0) + late_[0].size() + late_[1].size();
    }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    /// Every tick before it is fired; this one too, unless a pass is unfinished.
    [[nodiscard]] tick cursor() const noexcept { return pass_.cursor; }

    /// Calls f(timer_hook&) for every pending hook; f must not change the heap. O(size).
    template <class F>
    void for_each(F&& f) const {
        for (std::size_t s = root; s < end_; ++s) f(*at(s).hook);
        for (const detail::hook_list& list : late_) list.for_each(f);
    }

    /// How many places occupancy() tells apart: the heap, and what was late.
    [[nodiscard]] static constexpr unsigned places() noexcept { return 2; }

    /// How many hooks are in the heap (0), or were late when they were scheduled (1). O(1).
    [[nodiscard]] std::size_t occupancy(unsigned place) const noexcept {
        return place == 0 ? end_ - root : late_[0].size() + late_[1].size();
    }

    /// Disarms everything; the cursor stays. Not from a sink (checked). O(size).
    void clear() noexcept { reset(pass_.cursor); }

    /// Disarms everything and goes to `cursor`, which may be earlier. Not from a sink (checked).
    void reset(tick cursor) noexcept {
        pass_.reset(cursor);
        for_each([](timer_hook& hook) { access::disarm(hook); });
        for (detail::hook_list& list : late_) list.clear(pool_);
        blocks_ = std::vector<block>();
        capacity_ = 0;
        end_ = root;
    }

    /// How many hooks the heap has room for: what its memory is.
    [[nodiscard]] std::size_t capacity() const noexcept {
        return capacity_ - std::min(capacity_, root);
    }

    /// Walks everything and says whether it is as it must be. For tests: O(size).
    [[nodiscard]] bool check_invariants() const;

private:
    using access = detail::hook_access;

    // A key is at most its hook's due: the hook may have been moved later since.
    struct item {
        tick key;
        timer_hook* hook;
    };

    // The root is number 3, and the children of s are 4s - 8 to 4s - 5, so that each group of
    // children begins at a multiple of four, which is a line. A hook's place is its number, whose
    // upper 16 bits (the number of its list) are 0; the late banks are lists 1 and 2.
    static constexpr std::size_t root = 3;
    static constexpr std::uint32_t late = 1;
    static constexpr std::size_t line = 64;
    static_assert(sizeof(item) * 4 == line);
    static constexpr std::size_t parent_of(std::size_t s) noexcept { return s / 4 + 2; }
    static constexpr std::size_t first_child_of(std::size_t s) noexcept { return 4 * s - 8; }

    static constexpr std::size_t block_items = 1024;
    struct free_block {
        void operator()(item* block) const noexcept {
            ::operator delete(block, std::align_val_t{line});
        }
    };
    using block = std::unique_ptr<item[], free_block>;

    static bool in_heap(detail::hook_place place) noexcept { return access::list(place) == 0; }

    [[nodiscard]] const item& at(std::size_t s) const noexcept {
        return blocks_[s / block_items][s % block_items];
    }
    [[nodiscard]] item& at(std::size_t s) noexcept {
        return blocks_[s / block_items][s % block_items];
    }
    void put(std::size_t s, item i) noexcept {
        at(s) = i;
        access::place(*i.hook) = s;
    }

    void place(timer_hook& hook, tick due) {
        if (due <= pass_.cursor) [[unlikely]] {
            late_[late_bank_].append(hook, late + late_bank_, pool_);
        } else {
            insert({due, &hook});
        }
        access::due(hook) = due;
    }

    [[gnu::noinline]] void place_anew(timer_hook& hook, tick due) {
        if (!hook.armed()) return schedule(hook, due);
        const detail::hook_place old = access::place(hook);
        const bool stays_late = hook.due() <= pass_.cursor && due <= pass_.cursor;
        const bool stays = due > pass_.cursor && in_heap(old);
        if (stays_late || stays) {
            access::due(hook) = due;
            if (stays && due < at(old).key) sift_up(old, {due, &hook});
            return;
        }
        place(hook, due);
        const detail::hook_place fresh = access::place(hook);
        remove(hook, old);
        access::place(hook) = fresh;  // a removal from the heap tells its hook
    }

    void insert(item i) {
        if (end_ >= capacity_) [[unlikely]]
            grow();
        ++end_;
        sift_up(end_ - 1, i);
    }

    // Does not disarm the hook.
    void remove(const timer_hook& hook, detail::hook_place place) noexcept {
        if constexpr (detail::hardened) {
            detail::require(owns(hook, place),
                            "cancel or reschedule: the hook is armed in another queue");
        }
        if (in_heap(place)) return take_out(static_cast<std::size_t>(place));
        detail::hook_list& list = late_[access::list(place) - late];
        if (list.remove(place) && list.empty()) list.clear(pool_);
    }

    [[nodiscard]] bool owns(const timer_hook& hook, detail::hook_place place) const noexcept {
        if (in_heap(place)) return place >= root && place < end_ && at(place).hook == &hook;
        const std::uint32_t bank = access::list(place) - late;
        return bank < 2 && late_[bank].owns(place, detail::hardened_chunks);
    }

    // The last item goes where it belongs, from the hole on.
    void take_out(std::size_t hole) noexcept {
        const item last = at(end_ - 1);
        --end_;
        if (hole != end_) {
            if (hole > root && last.key < at(parent_of(hole)).key) {
                sift_up(hole, last);
            } else {
                sift_down(hole, last);
            }
        }
        if (capacity_ - end_ >= 2 * block_items) [[unlikely]]
            shrink();
    }

    void sift_up(std::size_t s, item i) noexcept {
        while (s > root) {
            const item above = at(parent_of(s));
            if (above.key <= i.key) break;
            put(s, above);
            s = parent_of(s);
        }
        put(s, i);
    }

    void sift_down(std::size_t s, item i) noexcept {
        while (first_child_of(s) < end_) {
            const std::size_t child = least_child(first_child_of(s));
            if (at(child).key >= i.key) break;
            put(s, at(child));
            s = child;
        }
        put(s, i);
    }

    // Of the group that begins at `first`.
    [[nodiscard]] std::size_t least_child(std::size_t first) const noexcept {
        const std::size_t stop = std::min(first + 4, end_);
        std::size_t least = first;
        for (std::size_t s = first + 1; s < stop; ++s) {
            if (at(s).key < at(least).key) least = s;
        }
        return least;
    }

    void grow();
    void shrink() noexcept;

    // Fires what waited for this pass. True: all of it. False: the budget ran out.
    template <class Sink>
    bool fire_late(std::size_t& budget, advance_result& result, Sink& sink) {
        detail::hook_list& list = late_[late_bank_ ^ 1];
        return list.take_each(budget, pool_, [&](timer_hook& hook) {
            if (hook.due() <= pass_.cursor) return hand_over(hook, result, sink);
            try {
                insert({hook.due(), &hook});
            } catch (...) {
                list.put_back();
                throw;
            }
            ++result.moved;
        });
    }

    // Fires up to the target. All state is in members before the sink is called, so it may change
    // the heap, and throw. False: the budget ran out.
    template <class Sink>
    bool fire_due(std::size_t& budget, advance_result& result, Sink& sink) {
        while (end_ != root && at(root).key <= pass_.target) {
            if (budget == 0) return false;
            --budget;
            const item first = at(root);
            if (first.hook->due() > first.key) {
                sift_down(root, {first.hook->due(), first.hook});
                ++result.moved;
                continue;
            }
            pass_.cursor = first.key;
            take_out(root);
            hand_over(*first.hook, result, sink);
        }
        pass_.cursor = pass_.target;
        return true;
    }

    template <class Sink>
    static void hand_over(timer_hook& hook, advance_result& result, Sink& sink) {
        access::disarm(hook);
        ++result.fired;
        sink(hook);
    }

    std::vector<block> blocks_;
    std::size_t capacity_ = 0;  // of the blocks; numbers 0 to root - 1 are not used
    std::size_t end_ = root;    // behind the last item
    detail::chunk_pool pool_;
    std::array<detail::hook_list, 2> late_;
    std::uint32_t late_bank_ = 0;  // filled; the other one is fired
    detail::pass pass_;
};

// The first block grows by doubling, so that a small heap is small.
inline void deadline_heap::grow() {
    const bool first = capacity_ < block_items;
    const std::size_t items = first ? std::max<std::size_t>(16, 2 * capacity_) : block_items;
    block fresh(static_cast<item*>(::operator new(items * sizeof(item), std::align_val_t{line})));
    if (first && !blocks_.empty()) {
        std::copy_n(blocks_[0].get(), capacity_, fresh.get());
        blocks_[0] = std::move(fresh);
        capacity_ = items;
        return;
    }
    blocks_.push_back(std::move(fresh));
    capacity_ += items;
}

inline void deadline_heap::shrink() noexcept {
    blocks_.pop_back();
    capacity_ -= block_items;
    if (blocks_.size() < blocks_.capacity() / 4) blocks_.shrink_to_fit();
}

inline bool deadline_heap::check_invariants() const {
    for (std::size_t s = root; s < end_; ++s) {
        const item& i = at(s);
        if (access::place(*i.hook) != s) return false;
        if (s > root && i.key < at(parent_of(s)).key) return false;
        if (i.key > std::max(i.hook->due(), pass_.cursor)) return false;
        if (i.key < pass_.cursor || (i.key == pass_.cursor && !pass_.unfinished)) return false;
    }
    const auto late_ones_know_their_places = [this](std::uint32_t bank) {
        bool right = true;
        late_[bank].for_each([&](timer_hook& hook) {
            const detail::hook_place place = access::place(hook);
            right = right && access::list(place) == late + bank &&
                    late_[bank].owns(place, detail::hardened_chunks);
            right = right && (bank != late_bank_ || hook.due() <= pass_.cursor);
        });
        return right;
    };
    const bool still =
        pass_.unfinished || (cursor() == pass_.target && late_[late_bank_ ^ 1].empty());
    const bool fits = end_ <= std::max(capacity_, root) && capacity_ < end_ + 2 * block_items;
    return still && fits && cursor() <= pass_.target && late_ones_know_their_places(0) &&
           late_ones_know_their_places(1);
}

}  // namespace foliot
