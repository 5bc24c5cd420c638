// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/wheel/detail/chunk_pool.hpp>
#include <foliot/wheel/timer_hook.hpp>

#include <cstddef>
#include <cstdint>

namespace foliot::detail {

/// The hooks of one slot: a queue of hook pointers in chunks. Each hook knows the address of its
/// entry and the number of its list, so that a removal looks nothing up.
///
/// An append is a sequential write. A removal puts the last entry into the hole: one other hook is
/// told its new place; there is no dead entry and nothing to sweep. Entries are taken from the
/// front, and a slot gives its memory back chunk by chunk while it is drained.
///
/// The fast paths touch this object (8 bytes), one entry and the hooks; what is needed once a chunk
/// lies in the chunks, which begin at multiples of their size. Memory: 8.5 bytes an entry, and less
/// than a chunk (512 bytes) for each list that holds something.
class hook_list {
public:
    static constexpr std::uint32_t chunk_entries = 60;

    hook_list() = default;
    hook_list(const hook_list&) = delete;
    hook_list& operator=(const hook_list&) = delete;

    /// Appends, and tells the hook its place. True: the list had no chunk before. Throws
    /// std::bad_alloc and then has changed nothing.
    [[gnu::always_inline]] bool append(timer_hook& hook, std::uint32_t number, chunk_pool& pool) {
        bool first = false;
        if (!has_room()) [[unlikely]]
            first = grow(pool);
        append_within(hook, number);
        return first;
    }

    /// Removes the entry at `place`; the last one takes its place. Leaves the removed hook as it is
    /// unless it is the last. True: the list has no chunk any more.
    [[gnu::always_inline]] bool remove(hook_place place, chunk_pool& pool) noexcept {
        return remove_within(place) && drop_last_chunk(pool);
    }

    /// The parts of these two that call nothing. A function that does the rest in a tail call saves
    /// no registers on its way, and the stores of a cancel and a schedule are what bounds how many
    /// of them overlap. `append_within` needs room; after a `remove_within` that says true,
    /// `drop_last_chunk` must follow, which says what `remove` would.
    [[nodiscard, gnu::always_inline]] bool has_room() const noexcept {
        return !at_chunk_end(tail_);
    }
    [[gnu::always_inline]] void append_within(timer_hook& hook, std::uint32_t number) noexcept {
        *tail_ = &hook;
        hook_access::set_place(hook, tail_, number);
        ++tail_;
    }
    [[nodiscard, gnu::always_inline]] bool remove_within(hook_place place) noexcept {
        timer_hook** const gap = tail_ - 1;
        timer_hook* const moved = *gap;
        tail_ = gap;
        *hook_access::entry(place) = moved;
        hook_access::place(*moved) = place;
        return at_chunk_begin(gap);
    }
    [[gnu::noinline, gnu::cold]] bool drop_last_chunk(chunk_pool& pool) noexcept {
        auto* const old = reinterpret_cast<chunk*>(reinterpret_cast<std::byte*>(tail_) -
                                                   offsetof(chunk, entries));
        chunk* const before = old->previous;
        if (before == nullptr) {
            tail_ = nullptr;
        } else {
            before->next = old->next;
            --before->next->chunks;
            tail_ = before->entries + chunk_entries;
        }
        pool.give(old);
        return before == nullptr;
    }

    /// No entries. A list that was drained may be empty but still hold a chunk; `drop_if_empty`
    /// gives it back.
    [[nodiscard]] bool empty() const noexcept {
        if (tail_ == nullptr) return true;
        const chunk& c = *first();
        return c.entries + c.taken == tail_;
    }

    /// True: the list is empty, and holds no chunk any more. False: `front` may be called. Draining
    /// is a loop of these three.
    [[gnu::always_inline]] bool drop_if_empty(chunk_pool& pool) noexcept {
        if (tail_ == nullptr) return true;
        const chunk* c = first();
        if (c->entries + c->taken == tail_) [[unlikely]] {
            clear(pool);
            return true;
        }
        if (c->taken == chunk_entries) [[unlikely]]
            drop_first_chunk(pool);
        return false;
    }

    /// The oldest entry. Precondition: drop_if_empty said false, and nothing was taken since.
    [[nodiscard, gnu::always_inline]] timer_hook& front() const noexcept {
        const chunk& c = *first();
        prefetch_behind(c);
        return *c.entries[c.taken];
    }

    /// Takes the oldest entry away. Precondition: as for `front`.
    void pop_front() noexcept { ++first()->taken; }

    /// Takes entries from the front, at most `limit`, which counts down, and calls f(timer_hook&)
    /// with each once it is taken away. f may remove entries of this list, and throw. True: the
    /// list is empty, and holds no chunk any more.
    template <class F>
    bool take_each(std::size_t& limit, chunk_pool& pool, F&& f) {
        while (!drop_if_empty(pool)) {
            // f cannot make this chunk go away: something of it is taken.
            chunk& c = *first();
            do {
                if (limit == 0) return false;
                --limit;
                prefetch_behind(c);
                timer_hook& hook = *c.entries[c.taken];
                ++c.taken;
                f(hook);
            } while (c.taken != chunk_entries && c.entries + c.taken != tail_);
        }
        return true;
    }

    /// The same, but an entry is taken away after f returned, so that it stays if f throws; f must
    /// not change this list.
    template <class F>
    bool move_each(std::size_t& limit, chunk_pool& pool, F&& f) {
        while (!drop_if_empty(pool)) {
            chunk& c = *first();
            const std::uint32_t filled =
                &c == last() ? static_cast<std::uint32_t>(tail_ - c.entries) : chunk_entries;
            while (c.taken != filled) {
                if (limit == 0) return false;
                prefetch_behind(c);
                f(*c.entries[c.taken]);
                ++c.taken;
                --limit;
            }
        }
        return true;
    }

    /// Undoes the last taking of take_each, from its f.
    void put_back() noexcept { --first()->taken; }

    /// Forgets all entries; does not touch the hooks.
    void clear(chunk_pool& pool) noexcept;

    [[nodiscard]] std::size_t size() const noexcept {
        if (tail_ == nullptr) return 0;
        const auto in_last = static_cast<std::size_t>(tail_ - last()->entries);
        const chunk& c = *first();
        return (std::size_t{c.chunks} - 1) * chunk_entries + in_last - c.taken;
    }

    /// Calls f(timer_hook&) from the oldest to the latest; f must not change the list.
    template <class F>
    void for_each(F&& f) const {
        if (tail_ == nullptr) return;
        for (const chunk* c = first();; c = c->next) {
            const bool is_last = c == last();
            timer_hook* const* const stop = is_last ? tail_ : c->entries + chunk_entries;
            for (timer_hook* const* at = c->entries + c->taken; at != stop; ++at) f(**at);
            if (is_last) return;
        }
    }

    /// Whether the entry at `place` is one of this list. O(size / 60), for checks.
    [[nodiscard]] bool owns(hook_place place) const noexcept;

private:
    struct chunk {
        void* owner;  // the pool's
        chunk* previous;
        chunk* next;           // of the last chunk: the first one
        std::uint32_t taken;   // how many of its entries were taken; 0 but in the first chunk
        std::uint32_t chunks;  // how many there are; kept in the first chunk only
        timer_hook* entries[chunk_entries];
    };
    static_assert(sizeof(chunk) == chunk_pool::chunk_size);

    static std::uintptr_t offset_in_chunk(timer_hook** entry) noexcept {
        return reinterpret_cast<std::uintptr_t>(entry) % sizeof(chunk);
    }
    // Also true of null, a list without chunks.
    static bool at_chunk_end(timer_hook** entry) noexcept { return offset_in_chunk(entry) == 0; }
    static bool at_chunk_begin(timer_hook** entry) noexcept {
        return offset_in_chunk(entry) == offsetof(chunk, entries);
    }

    // Hooks are fetched this many entries before they are handled: about as many cold lines as a
    // core can have in flight.
    static constexpr std::uint32_t ahead = 24;

    // Inlined always: g++ may think that a function that only prefetches does nothing, and then
    // drops the calls.
    [[gnu::always_inline]] static void prefetch_behind(const chunk& c) noexcept {
        const std::uint32_t at = c.taken + ahead;
        // Behind the last entry this fetches what is of no use, and does no harm.
        __builtin_prefetch(at < chunk_entries ? c.entries[at] : c.next->entries[at - chunk_entries],
                           1);
    }

    [[nodiscard]] chunk* last() const noexcept {
        // The tail is never at the beginning of its chunk's entries, but may be at their end.
        std::byte* const in_chunk = reinterpret_cast<std::byte*>(tail_) - 1;
        return reinterpret_cast<chunk*>(in_chunk -
                                        reinterpret_cast<std::uintptr_t>(in_chunk) % sizeof(chunk));
    }
    [[nodiscard]] chunk* first() const noexcept { return last()->next; }

    // What happens once a chunk stays out of the callers' fast paths.
    [[gnu::noinline, gnu::cold]] bool grow(chunk_pool& pool) {
        auto* const fresh = static_cast<chunk*>(pool.take());
        const bool alone = tail_ == nullptr;
        fresh->taken = 0;
        if (alone) {
            fresh->previous = nullptr;
            fresh->next = fresh;
            fresh->chunks = 1;
        } else {
            chunk* const old = last();
            fresh->previous = old;
            fresh->next = old->next;
            old->next = fresh;
            ++fresh->next->chunks;
        }
        tail_ = fresh->entries;
        return alone;
    }

    [[gnu::noinline]] void drop_first_chunk(chunk_pool& pool) noexcept {
        chunk* const old = first();
        chunk* const second = old->next;
        second->chunks = old->chunks - 1;
        second->previous = nullptr;
        last()->next = second;
        pool.give(old);
    }

    timer_hook** tail_ = nullptr;  // behind the last entry; null: no chunk
};

static_assert(sizeof(hook_list) == 8);

inline void hook_list::clear(chunk_pool& pool) noexcept {
    if (tail_ == nullptr) return;
    const chunk* const stop = last();
    for (chunk* c = first();;) {
        chunk* const next = c->next;
        const bool was_last = c == stop;
        pool.give(c);
        if (was_last) break;
        c = next;
    }
    tail_ = nullptr;
}

inline bool hook_list::owns(hook_place place) const noexcept {
    if (tail_ == nullptr) return false;
    timer_hook* const* const entry = hook_access::entry(place);
    for (const chunk* c = first();; c = c->next) {
        const bool is_last = c == last();
        timer_hook* const* const stop = is_last ? tail_ : c->entries + chunk_entries;
        if (entry >= c->entries + c->taken && entry < stop) return true;
        if (is_last) return false;
    }
}

}  // namespace foliot::detail
