// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/wheel/detail/chunk_pool.hpp>
#include <foliot/wheel/timer_hook.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace foliot::detail {

/// How far the hardened check of a cancel looks: enough for a test, and no burden for a crowded slot
/// in a build that happens to be without NDEBUG.
inline constexpr std::uint32_t hardened_chunks = 32;

/// The hooks of one slot, in chunks of entries. Each hook knows the address of its entry and the
/// number of its list, so that a removal looks nothing up.
///
/// An entry holds a hook or is a hole, and the holes of a list are linked: an append fills the one
/// that came last, a removal makes one, and neither touches another hook. An entry that was never
/// used is a hole too, whose next one is the entry behind it; so without removals a list keeps the
/// order of the appends. Entries are taken from the front, and a slot gives its memory back chunk by
/// chunk while it is drained. A list that was begun to be drained is not appended to until it is
/// empty.
///
/// The fast paths touch this object (half a line) and one entry; what is needed once a chunk lies in
/// the chunks. Memory: 8.5 bytes an entry, holes included, and less than a chunk (448 bytes) for each
/// list that holds something. `condense` is for lists that are mostly holes.
class hook_list {
public:
    static constexpr std::uint32_t chunk_entries = 53;

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

    /// The part of it that calls nothing, and needs room: a function that does the rest in a tail
    /// call saves no registers on its way.
    [[nodiscard, gnu::always_inline]] bool has_room() const noexcept { return hole_ > no_hole; }
    [[gnu::always_inline]] void append_within(timer_hook& hook, std::uint32_t number) noexcept {
        entry* const at = entry_of(hole_);
        if (*at == unused) {
            hole_ += sizeof(entry);
        } else {
            hole_ = *at;
        }
        *at = reinterpret_cast<entry>(&hook);
        ++live_;
        hook_access::set_place(hook, at, number);
    }

    /// Makes the entry at `place` a hole; does not touch the hook. True: the list is mostly holes
    /// now, and should be condensed.
    [[nodiscard, gnu::always_inline]] bool remove(hook_place place) noexcept {
        entry* const at = hook_access::entry(place);
        *at = hole_;
        hole_ = hole_at(at);
        return --live_ <= sparse_at_;
    }

    /// No entries. The list may still hold chunks.
    [[nodiscard, gnu::always_inline]] bool empty() const noexcept { return live_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(live_); }

    /// From now on entries are taken: nothing is appended any more, and it is not condensed.
    void begin_taking() noexcept { sparse_at_ = being_taken; }

    /// Takes entries from the front, at most `limit`, which counts down, and calls f(timer_hook&)
    /// with each once it is taken away. f may remove entries of this list, and throw. True: the
    /// list is empty, and holds no chunk any more.
    template <class F>
    bool take_each(std::size_t& limit, chunk_pool& pool, F&& f) {
        begin_taking();
        while (live_ != 0) {
            chunk& c = first_with_more(pool);
            do {
                const entry word = c.entries[c.taken];
                prefetch_ahead(c, c.taken);
                if (is_hole(word)) {
                    ++c.taken;
                    continue;
                }
                if (limit == 0) return false;
                --limit;
                ++c.taken;
                --live_;
                f(hook_of(word));
            } while (c.taken != chunk_entries && live_ != 0);
        }
        clear(pool);
        return true;
    }

    /// The same, but an entry is taken away after f returned, so that it stays if f throws; f must
    /// not change this list.
    template <class F>
    bool move_each(std::size_t& limit, chunk_pool& pool, F&& f) {
        begin_taking();
        while (live_ != 0) {
            if (limit == 0) return false;
            chunk& c = first_with_more(pool);
            prefetch_entries(*c.next);
            move_from(c, limit, f);
        }
        clear(pool);
        return true;
    }

    /// Undoes the last taking of take_each, from its f.
    void put_back() noexcept {
        --first()->taken;
        ++live_;
    }

    /// Forgets all entries; does not touch the hooks.
    void clear(chunk_pool& pool) noexcept;

    // ---- a list that is mostly holes ----------------------------------------------------------

    /// It is to be condensed, but not now: until it grows, removals do not ask for it any more.
    void postpone() noexcept { sparse_at_ = postponed; }
    /// Whether it is to be condensed still. Ends a postponement.
    [[nodiscard]] bool sparse() noexcept;

    /// Begins to move all entries to fresh chunks, so that the old ones can be given back; says how
    /// many these are. Meanwhile the list may be appended to, but entries must be removed with
    /// `blank`; or it may be drained, which ends it.
    [[nodiscard]] std::uint32_t begin_condensing() noexcept;
    /// Goes through the next `limit` entries of the `old` chunks, which count down; with the last of
    /// them it is done, and the list may be empty. Throws std::bad_alloc, and then can go on.
    void condense(std::uint32_t& old, std::size_t limit, std::uint32_t number, chunk_pool& pool);
    void blank(hook_place place) noexcept {
        *hook_access::entry(place) = no_hole;
        --live_;
    }

    /// Calls f(timer_hook&) from the oldest to the latest chunk; f must not change the list.
    template <class F>
    void for_each(F&& f) const {
        if (last_ == nullptr) return;
        for (const chunk* c = first();; c = c->next) {
            for (std::uint32_t at = c->taken; at != chunk_entries; ++at) {
                if (!is_hole(c->entries[at])) f(hook_of(c->entries[at]));
            }
            if (c == last_) return;
        }
    }

    /// Whether the entry at `place` is one of this list. For checks, which take a list that is longer
    /// than `most` chunks at its word: O(min(most, size / 53)).
    [[nodiscard]] bool owns(hook_place place, std::uint32_t most) const noexcept;

private:
    // The address of a hook, which is even, or a hole: the address of the next hole plus 1, or one
    // of these. The last entry of a chunk is never `unused`.
    using entry = std::uintptr_t;
    static constexpr entry no_hole = 1;
    static constexpr entry unused = 3;

    static bool is_hole(entry word) noexcept { return word % 2 != 0; }
    static entry hole_at(entry* at) noexcept { return reinterpret_cast<entry>(at) + 1; }
    // NOLINTBEGIN(performance-no-int-to-ptr): a word holds either
    static entry* entry_of(entry hole) noexcept { return reinterpret_cast<entry*>(hole - 1); }
    static timer_hook& hook_of(entry word) noexcept { return *reinterpret_cast<timer_hook*>(word); }
    // NOLINTEND(performance-no-int-to-ptr)

    struct chunk {
        void* owner;           // the pool's
        chunk* next;           // of the last chunk: the first one
        std::uint32_t taken;   // how many of its entries were taken; 0 but in the first chunk
        std::uint32_t chunks;  // how many there are; kept in the first chunk only
        entry entries[chunk_entries];
    };
    static_assert(sizeof(chunk) == chunk_pool::chunk_size);

    // Hooks are fetched this many entries before they are handled: about as many cold lines as a
    // core can have in flight.
    static constexpr std::uint32_t ahead = 24;

    // Inlined always: g++ may think that a function that only prefetches does nothing, and then
    // drops the calls.
    [[gnu::always_inline]] static void prefetch_ahead(const chunk& c, std::uint32_t at) noexcept {
        at += ahead;
        const entry word = at < chunk_entries ? c.entries[at] : c.next->entries[at - chunk_entries];
        // To fetch from where there is no memory would be slow.
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        __builtin_prefetch(is_hole(word) ? &c : reinterpret_cast<const void*>(word), 1);
    }
    [[gnu::always_inline]] static void prefetch_entries(const chunk& c) noexcept {
        for (std::uint32_t at = 0; at < chunk_entries; at += 8) __builtin_prefetch(&c.entries[at]);
    }

    // The counts of a move stay in registers; they are noted when it ends, be it by an exception.
    struct move {
        hook_list& list;
        chunk& from;
        std::size_t& limit;
        std::size_t most = std::min(limit, list.size());
        std::size_t left = most;
        std::uint32_t at = from.taken;

        ~move() {
            from.taken = at;
            list.live_ -= static_cast<std::int64_t>(most - left);
            limit -= most - left;
        }
    };

    template <class F>
    [[gnu::always_inline]] void move_from(chunk& c, std::size_t& limit, F& f) {
        move m{*this, c, limit};
        for (; m.left != 0 && m.at != chunk_entries; ++m.at) {
            const entry word = c.entries[m.at];
            prefetch_ahead(c, m.at);
            if (is_hole(word)) continue;
            f(hook_of(word));
            --m.left;
        }
    }

    [[nodiscard]] chunk* first() const noexcept { return last_->next; }

    // The first chunk, once those that are used up are given back. There must be an entry.
    [[gnu::always_inline]] chunk& first_with_more(chunk_pool& pool) noexcept {
        while (first()->taken == chunk_entries) drop_first_chunk(pool);
        return *first();
    }

    // A list is sparse if its chunks hold no more than this each, the first one not counted. With
    // one chunk it never is.
    static constexpr std::int64_t sparse_share = chunk_entries / 4;
    static constexpr std::int64_t one_chunk = -1;
    static constexpr std::int64_t being_taken = -2;
    static constexpr std::int64_t postponed = -3;
    static constexpr std::int64_t sparse_at(std::uint32_t chunks) noexcept {
        return chunks == 1 ? one_chunk : (std::int64_t{chunks} - 1) * sparse_share;
    }

    // What happens once a chunk stays out of the callers' fast paths. True: as append.
    [[gnu::noinline]] bool grow(chunk_pool& pool) {
        auto* const fresh = static_cast<chunk*>(pool.take());
        const bool alone = last_ == nullptr;
        fresh->taken = 0;
        if (alone) {
            fresh->next = fresh;
            fresh->chunks = 1;
            sparse_at_ = one_chunk;
        } else {
            fresh->next = last_->next;
            last_->next = fresh;
            const std::uint32_t chunks = ++fresh->next->chunks;
            if (sparse_at_ != being_taken) sparse_at_ = sparse_at(chunks);
        }
        for (entry& e : fresh->entries) e = unused;
        fresh->entries[chunk_entries - 1] = no_hole;
        last_ = fresh;
        hole_ = hole_at(fresh->entries);
        return alone;
    }

    [[gnu::noinline]] void drop_first_chunk(chunk_pool& pool) noexcept {
        chunk* const old = first();
        chunk* const second = old->next;
        second->chunks = old->chunks - 1;
        last_->next = second;
        pool.give(old);
    }

    // Zeros, so that an array of lists is cheap to make.
    entry hole_ = 0;              // the first one
    chunk* last_ = nullptr;       // null: there is none
    std::int64_t live_ = 0;       // entries that hold a hook
    std::int64_t sparse_at_ = 0;  // with so many it is sparse
};

static_assert(sizeof(hook_list) == 32);

inline void hook_list::clear(chunk_pool& pool) noexcept {
    if (last_ == nullptr) return;
    for (chunk* c = first();;) {
        chunk* const next = c->next;
        const bool was_last = c == last_;
        pool.give(c);
        if (was_last) break;
        c = next;
    }
    hole_ = 0;
    last_ = nullptr;
    live_ = 0;
}

inline bool hook_list::sparse() noexcept {
    if (last_ == nullptr || sparse_at_ == being_taken) return false;
    sparse_at_ = sparse_at(first()->chunks);
    return live_ <= sparse_at_;
}

inline std::uint32_t hook_list::begin_condensing() noexcept {
    begin_taking();
    hole_ = no_hole;
    return first()->chunks;
}

inline void hook_list::condense(std::uint32_t& old, std::size_t limit, std::uint32_t number,
                                chunk_pool& pool) {
    while (old != 0) {
        chunk& c = *first();
        for (; c.taken != chunk_entries; ++c.taken) {
            if (limit == 0) return;
            --limit;
            const entry word = c.entries[c.taken];
            prefetch_ahead(c, c.taken);
            if (is_hole(word)) continue;
            append(hook_of(word), number, pool);
            --live_;
        }
        --old;
        if (&c == last_) return clear(pool);
        drop_first_chunk(pool);
    }
    sparse_at_ = sparse_at(first()->chunks);
}

inline bool hook_list::owns(hook_place place, std::uint32_t most) const noexcept {
    if (last_ == nullptr) return false;
    const entry* const at = hook_access::entry(place);
    for (const chunk* c = first(); most != 0; --most, c = c->next) {
        if (at >= c->entries + c->taken && at < c->entries + chunk_entries) return !is_hole(*at);
        if (c == last_) return false;
    }
    return true;
}

}  // namespace foliot::detail
