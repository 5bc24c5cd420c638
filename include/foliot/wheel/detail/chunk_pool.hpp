// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace foliot::detail {

/// Blocks of 512 bytes at multiples of 512, cut from slabs.
///
/// Slabs grow with the pool, from 16 KiB to 2 MiB, the size of a huge page where there are some:
/// the entries of a million timers lie in eight megabytes that every cancel reaches at random, and
/// with small pages each time costs a walk through page tables too. A slab that is wholly free goes
/// back to the system; one is kept, so that a pool at the edge does not ask for it again and again.
///
/// Cost: take and give O(1). Threads: none; one caller at a time.
class chunk_pool {
public:
    static constexpr std::size_t chunk_size = 512;

    chunk_pool() = default;
    chunk_pool(const chunk_pool&) = delete;
    chunk_pool& operator=(const chunk_pool&) = delete;
    ~chunk_pool();

    /// Throws std::bad_alloc and then has changed nothing.
    void* take() {
        slab* const s = open_ != nullptr ? open_ : make_slab();
        void* memory = s->free;
        if (memory != nullptr) {
            s->free = s->free->next;
            __builtin_prefetch(s->free, 1);  // the next one to be taken
        } else {
            memory = reinterpret_cast<std::byte*>(s) + s->untouched * chunk_size;
            ++s->untouched;
        }
        if (s->used == 0 && spare_ == s) spare_ = nullptr;
        ++s->used;
        if (s->used == s->usable) [[unlikely]]
            close(s);
        ::new (memory) owner{s};
        return memory;
    }

    /// `memory` is what `take` returned; its first word must be as take left it.
    void give(void* memory) noexcept {
        slab* const s = static_cast<owner*>(memory)->from;
        if (s->used == s->usable) [[unlikely]]
            open(s);
        s->free = ::new (memory) free_chunk{s->free};
        --s->used;
        if (s->used == 0) [[unlikely]]
            retire(s);
    }

    /// What the slabs take, in bytes.
    [[nodiscard]] std::size_t memory() const noexcept { return memory_; }

private:
    struct free_chunk {
        free_chunk* next;
    };
    struct slab;
    struct owner {
        slab* from;
    };
    // The first chunk of a slab. Slabs with room are in a list.
    struct slab {
        slab* previous;
        slab* next;
        free_chunk* free;         // given back
        std::uint32_t untouched;  // from here on none was ever taken
        std::uint32_t used;
        std::uint32_t usable;
        std::size_t size;
    };
    static constexpr std::size_t smallest = std::size_t{16} << 10;
    static constexpr std::size_t largest = std::size_t{2} << 20;

    slab* make_slab();
    void open(slab* s) noexcept;
    void close(slab* s) noexcept;
    void retire(slab* s) noexcept;
    void destroy(slab* s) noexcept;

    slab* open_ = nullptr;   // the first of those with room
    slab* spare_ = nullptr;  // wholly free, if any
    slab* full_ = nullptr;   // the first of those without
    std::size_t memory_ = 0;
};

inline chunk_pool::slab* chunk_pool::make_slab() {
    std::size_t size = smallest;
    while (size < largest && size < memory_ / 2) size *= 2;
    void* const memory = std::aligned_alloc(size, size);
    if (memory == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (size == largest) (void)madvise(memory, size, MADV_HUGEPAGE);  // a wish
#endif
    const auto chunks = static_cast<std::uint32_t>(size / chunk_size);
    slab* const s = ::new (memory) slab{nullptr, nullptr, nullptr, 1, 0, chunks - 1, size};
    memory_ += size;
    require(reinterpret_cast<std::uintptr_t>(memory) >> 48 == 0, "a heap beyond 48-bit addresses");
    s->next = open_;
    if (open_ != nullptr) open_->previous = s;
    return open_ = s;
}

// From the list of those with room to that of the full ones.
inline void chunk_pool::close(slab* s) noexcept {
    (s->previous != nullptr ? s->previous->next : open_) = s->next;
    if (s->next != nullptr) s->next->previous = s->previous;
    s->previous = nullptr;
    s->next = full_;
    if (full_ != nullptr) full_->previous = s;
    full_ = s;
}

inline void chunk_pool::open(slab* s) noexcept {
    (s->previous != nullptr ? s->previous->next : full_) = s->next;
    if (s->next != nullptr) s->next->previous = s->previous;
    s->previous = nullptr;
    s->next = open_;
    if (open_ != nullptr) open_->previous = s;
    open_ = s;
}

inline void chunk_pool::retire(slab* s) noexcept {
    slab* const old = spare_;
    spare_ = s;
    if (old == nullptr || old == s) return;
    (old->previous != nullptr ? old->previous->next : open_) = old->next;
    if (old->next != nullptr) old->next->previous = old->previous;
    destroy(old);
}

inline void chunk_pool::destroy(slab* s) noexcept {
    memory_ -= s->size;
    std::free(s);
}

inline chunk_pool::~chunk_pool() {
    while (open_ != nullptr) {
        slab* const s = open_;
        open_ = s->next;
        destroy(s);
    }
    require(full_ == nullptr, "chunks outlive their pool");
}

}  // namespace foliot::detail
