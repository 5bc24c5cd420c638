// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/detail/chunk_pool.hpp>
#include <foliot/wheel/detail/hook_list.hpp>
#include <foliot/wheel/timer_hook.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

namespace foliot::detail {

/// The lists of a wheel, known by number, the memory they share, and how many hooks are armed.
///
/// **Cancelled hooks are noted, and their entries made holes later**, `notes` at a time (`settle`).
/// A hook is mostly cold when it is cancelled, so where its entry and its list are is known late. A
/// core works ahead meanwhile, but not past loads that may or may not read what is still to be
/// stored to an unknown address. A note goes to an address that is known. Until its entry is a hole
/// it points to a hook that may be gone: whoever is about to follow entries settles first.
///
/// `Storage` gives the lists by number, with operator[].
template <class Storage>
class hook_lists {
public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    hook_lists() = default;
    void use(Storage storage) noexcept { lists_ = std::move(storage); }

    /// How many hooks are armed.
    [[nodiscard]] std::size_t size() const noexcept { return entries_ - (notes - room_); }
    [[nodiscard]] const hook_list& operator[](std::uint32_t list) const noexcept {
        return lists_[list];
    }
    [[nodiscard]] std::size_t memory() const noexcept { return pool_.memory(); }

    /// Arms a hook. False: the list has no room, and nothing is changed.
    [[nodiscard, gnu::always_inline]] bool arm(timer_hook& hook, tick due, std::uint32_t list) {
        hook_list& to = lists_[list];
        if (!to.has_room()) [[unlikely]]
            return false;
        to.append_within(hook, list);
        hook_access::due(hook) = due;
        ++entries_;
        return true;
    }
    /// The same for a hook that is in the list already.
    void count_armed() noexcept { ++entries_; }

    /// As hook_list::append.
    [[gnu::always_inline]] bool append(timer_hook& hook, std::uint32_t list) {
        return lists_[list].append(hook, list, pool_);
    }

    /// Hardened: ends the process if an armed hook is in none of the lists 0 to count - 1, which are all.
    void check_mine(timer_hook& hook, std::uint32_t count) const noexcept {
        if constexpr (hardened) {
            const hook_place place = hook_access::place(hook);
            const std::uint32_t list = hook_access::list(place);
            require(list < count && lists_[list].owns(place, hardened_chunks),
                    "cancel or reschedule: the hook is armed in another queue");
        }
    }

    /// Disarms an armed hook. True: there is no room for another note, and `settle` must follow.
    [[nodiscard, gnu::always_inline]] bool cancel(timer_hook& hook) noexcept {
        const hook_place place = hook_access::place(hook);
        hook_access::disarm(hook);
        return note(place);
    }
    /// The hook has another entry now, and the one at `place` is to go. As for cancel.
    [[nodiscard, gnu::always_inline]] bool leave(hook_place place) noexcept {
        ++entries_;
        return note(place);
    }
    /// A hook left its list, and the entry is gone.
    void count_fired(timer_hook& hook) noexcept {
        hook_access::disarm(hook);
        --entries_;
    }

    [[nodiscard, gnu::always_inline]] bool settled() const noexcept { return room_ == notes; }

    /// Makes holes of the noted entries. A list that is empty then keeps a chunk, since it is not
    /// worth to look for such lists here: `drop_if_empty`.
    [[gnu::noinline]] void settle() noexcept {
        for (std::uint32_t i = notes; i-- != room_;) {
            const hook_place place = notes_[i];
            const std::uint32_t list = hook_access::list(place);
            if (list == condensed_) [[unlikely]] {
                lists_[list].blank(place);
            } else if (lists_[list].remove(place)) [[unlikely]] {
                want_condensed(list);
            }
        }
        entries_ -= notes - room_;
        room_ = notes;
        tidy();
    }

    /// Goes on with lists that are mostly holes, if there are any, by one step.
    [[gnu::always_inline]] void tidy() noexcept {
        if (condensed_ != none || sparse_count_ != 0) [[unlikely]]
            condense();
    }

    /// As hook_list's: takes entries of a list away, or moves them. Needs to be settled, and so does
    /// what comes after f.
    template <class F>
    bool take_each(std::uint32_t list, std::size_t& limit, F&& f) {
        end_condensing(list);
        return lists_[list].take_each(limit, pool_, f);
    }
    void put_back(std::uint32_t list) noexcept { lists_[list].put_back(); }
    template <class F>
    bool move_each(std::uint32_t list, std::size_t& limit, F&& f) {
        end_condensing(list);
        return lists_[list].move_each(limit, pool_, f);
    }

    /// True: the list is empty, and holds no chunk any more.
    bool drop_if_empty(std::uint32_t list) noexcept {
        if (!lists_[list].empty()) return false;
        end_condensing(list);
        lists_[list].clear(pool_);
        return true;
    }

    /// For when nothing is armed: empties the lists 0 to count - 1, which are all, unless there is
    /// little to be gained by that (false).
    bool let_go(std::uint32_t count) noexcept {
        if (pool_.memory() <= chunk_pool::slab_size) return false;
        settle();
        clear(count);
        return true;
    }

    /// Disarms all, and empties the lists 0 to count - 1, which are all. Needs to be settled.
    void clear(std::uint32_t count) noexcept {
        for (std::uint32_t list = 0; list != count; ++list) {
            lists_[list].for_each([](timer_hook& hook) { hook_access::disarm(hook); });
            lists_[list].clear(pool_);
        }
        entries_ = 0;
        room_ = notes;
        condensed_ = none;
        sparse_count_ = 0;
    }

    /// Whether the hooks of a list know their places, and right(due) holds for each. For tests.
    template <class Right>
    [[nodiscard]] bool check(std::uint32_t list, Right&& right) const {
        bool all = true;
        std::size_t count = 0;
        lists_[list].for_each([&](timer_hook& hook) {
            const hook_place place = hook_access::place(hook);
            all = all && hook_access::list(place) == list &&
                  *hook_access::entry(place) == reinterpret_cast<std::uintptr_t>(&hook) &&
                  right(hook.due());
            ++count;
        });
        return all && count == lists_[list].size();
    }

private:
    // Counted down, as that is an instruction less.
    [[nodiscard, gnu::always_inline]] bool note(hook_place place) noexcept {
        notes_[--room_] = place;
        return room_ == 0;
    }

    static constexpr std::uint32_t notes = 64;
    // How many entries are gone through with each settling while a list is condensed. It is sparse
    // after three quarters of it were cancelled, so this is more than enough to keep up.
    static constexpr std::size_t condensing_step = 512;

    // One at a time. Those for which there is no room here come to it with their next cancel.
    [[gnu::cold]] void want_condensed(std::uint32_t list) noexcept {
        if (sparse_count_ == sparse_.size()) return;
        lists_[list].postpone();
        sparse_[sparse_count_++] = static_cast<std::uint16_t>(list);
    }

    [[nodiscard]] bool begin_condensing() noexcept {
        while (sparse_count_ != 0) {
            const std::uint32_t list = sparse_[--sparse_count_];
            if (!lists_[list].sparse()) continue;
            condensed_ = list;
            old_chunks_ = lists_[list].begin_condensing();
            return true;
        }
        return false;
    }

    [[gnu::noinline, gnu::cold]] void condense() noexcept {
        if (condensed_ == none && !begin_condensing()) return;
        try {
            lists_[condensed_].condense(old_chunks_, condensing_step, condensed_, pool_);
        } catch (const std::bad_alloc&) {
            return;  // goes on with the next step
        }
        if (old_chunks_ == 0) condensed_ = none;
    }

    void end_condensing(std::uint32_t list) noexcept {
        if (condensed_ == list) condensed_ = none;
    }

    std::size_t entries_ = 0;         // of all lists
    std::uint32_t room_ = notes;      // for so many notes; they begin there
    std::uint32_t condensed_ = none;  // the list that is being condensed
    std::uint32_t old_chunks_ = 0;    // of it, that are to be given back
    std::uint32_t sparse_count_ = 0;
    std::array<hook_place, notes> notes_;
    std::array<std::uint16_t, 256> sparse_;  // lists that wait to be condensed, the last one first
    Storage lists_;
    chunk_pool pool_;
};

}  // namespace foliot::detail
