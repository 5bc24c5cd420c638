// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/wheel/timer_hook.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace foliot::detail {

/// The hooks of one slot: a queue of hook pointers in chunks. Each hook knows the address of its
/// entry and the number of its list, so that a removal looks nothing up.
///
/// An append is a sequential write. A removal puts the last entry into the hole: one other hook is
/// told its new place; there is no dead entry and nothing to sweep. Entries are taken from the
/// front, and a slot gives its memory back chunk by chunk while it is drained.
///
/// The fast paths touch this object (16 bytes), one entry and the hooks; what is needed once a
/// chunk lies in the chunks. Memory: 8.4 bytes an entry, and less than a chunk (512 bytes) for each
/// list that holds something.
class hook_list {
public:
    static constexpr std::uint32_t chunk_entries = 60;

    hook_list() = default;
    hook_list(const hook_list&) = delete;
    hook_list& operator=(const hook_list&) = delete;
    ~hook_list() { clear(); }

    /// Appends, and tells the hook its place. True: the list had no chunk before. Throws
    /// std::bad_alloc and then has changed nothing.
    bool append(timer_hook& hook, std::uint32_t number) {
        bool first = false;
        if (tail_ == end_) [[unlikely]]
            first = grow();
        *tail_ = &hook;
        hook_access::set_place(hook, tail_, number);
        ++tail_;
        return first;
    }

    /// Removes the entry at `place`; the last one takes its place. Leaves the removed hook as it is
    /// unless it is the last. True: the list has no chunk any more.
    bool remove(hook_place place) noexcept {
        timer_hook* const moved = tail_[-1];
        *hook_access::entry(place) = moved;
        hook_access::place(*moved) = place;
        --tail_;
        return tail_ == end_ - chunk_entries && drop_last_chunk();
    }

    /// No entries. A list that was drained in part and whose rest was then removed is empty but
    /// still holds a chunk; `drop_if_empty` gives it back.
    [[nodiscard]] bool empty() const noexcept { return tail_ == nullptr || front_entry() == tail_; }

    /// The oldest entry. Precondition: not empty.
    [[nodiscard]] timer_hook& front() const noexcept {
        const chunk& c = *first();
        prefetch_behind(c);
        return *c.entries[c.taken];
    }

    /// Takes the oldest entry away. True: nothing is left, no chunk either. Precondition: not empty.
    bool pop_front() noexcept {
        chunk* const c = first();
        ++c->taken;
        if (c->entries + c->taken == tail_) return drop_if_empty();
        if (c->taken == chunk_entries) drop_first_chunk();
        return false;
    }

    /// True: the list is empty, and holds no chunk any more.
    bool drop_if_empty() noexcept {
        if (!empty()) return false;
        clear();
        return true;
    }

    /// Forgets all entries; does not touch the hooks.
    void clear() noexcept;

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
        chunk* previous;
        chunk* next;           // of the last chunk: the first one
        std::uint32_t taken;   // how many of its entries were taken; 0 but in the first chunk
        std::uint32_t chunks;  // how many there are; kept in the first chunk only
        timer_hook* entries[chunk_entries];
    };
    static_assert(sizeof(chunk) == 504, "with the allocator's word, a power of two");

    // Hooks are fetched this many entries before they are handled: about as many cold lines as a
    // core can have in flight.
    static constexpr std::uint32_t ahead = 12;

    // Inlined always: g++ may think that a function that only prefetches does nothing, and then
    // drops the calls.
    [[gnu::always_inline]] static void prefetch_behind(const chunk& c) noexcept {
        const std::uint32_t at = c.taken + ahead;
        // Behind the last entry this fetches what is of no use, and does no harm.
        __builtin_prefetch(at < chunk_entries ? c.entries[at] : c.next->entries[at - chunk_entries],
                           1);
    }

    [[nodiscard]] chunk* last() const noexcept { return reinterpret_cast<chunk*>(end_) - 1; }
    [[nodiscard]] chunk* first() const noexcept { return last()->next; }
    [[nodiscard]] timer_hook** front_entry() const noexcept {
        chunk* const c = first();
        return c->entries + c->taken;
    }

    bool grow();
    bool drop_last_chunk() noexcept;
    void drop_first_chunk() noexcept;

    timer_hook** tail_ = nullptr;  // behind the last entry; null: no chunk
    timer_hook** end_ = nullptr;   // of the last chunk
};

static_assert(sizeof(hook_list) == 16);

inline bool hook_list::grow() {
    void* const memory = std::malloc(sizeof(chunk));
    if (memory == nullptr) throw std::bad_alloc();
    chunk* const fresh = ::new (memory) chunk;
    require(hook_access::addressable(fresh + 1), "a heap address has more than 48 bits");
    fresh->taken = 0;
    for (timer_hook*& entry : fresh->entries) entry = nullptr;  // they may be prefetched
    const bool alone = tail_ == nullptr;
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
    end_ = fresh->entries + chunk_entries;
    return alone;
}

inline bool hook_list::drop_last_chunk() noexcept {
    chunk* const old = last();
    chunk* const before = old->previous;
    if (before == nullptr) {
        tail_ = end_ = nullptr;
    } else {
        before->next = old->next;
        --before->next->chunks;
        tail_ = end_ = before->entries + chunk_entries;
    }
    std::free(old);
    return before == nullptr;
}

inline void hook_list::drop_first_chunk() noexcept {
    chunk* const old = first();
    chunk* const second = old->next;
    second->chunks = old->chunks - 1;
    second->previous = nullptr;
    last()->next = second;
    std::free(old);
}

inline void hook_list::clear() noexcept {
    if (tail_ == nullptr) return;
    const chunk* const stop = last();
    for (chunk* c = first();;) {
        chunk* const next = c->next;
        const bool was_last = c == stop;
        std::free(c);
        if (was_last) break;
        c = next;
    }
    tail_ = end_ = nullptr;
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
