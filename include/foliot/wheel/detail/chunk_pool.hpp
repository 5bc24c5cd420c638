// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace foliot::detail {

/// Blocks of 448 bytes, cut from slabs of 16 KiB. They are seven cache lines long, and begin at a
/// line: an odd number, so that the first lines of many chunks, which are used most, are spread over
/// the whole of a cache.
///
/// A slab that is wholly free goes back to the heap; one is kept, so that a pool at the edge does
/// not ask for it again and again. A slab stays while one of its chunks is in use.
///
/// Cost: take and give O(1). Threads: none; one caller at a time.
class chunk_pool {
public:
    static constexpr std::size_t line_size = 64;
    static constexpr std::size_t chunk_size = 7 * line_size;
    static constexpr std::size_t slab_size = std::size_t{16} << 10;

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
        if (s->used == usable) [[unlikely]]
            unlink(s);
        ::new (memory) owner{s};
        return memory;
    }

    /// `memory` is what `take` returned; its first word must be as take left it.
    void give(void* memory) noexcept {
        slab* const s = static_cast<owner*>(memory)->from;
        if (s->used == usable) [[unlikely]]
            link(s);
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
    // The first chunk of a slab. Slabs with room are in a ring; a full one is known by its chunks.
    struct slab {
        slab* previous = nullptr;
        slab* next = nullptr;
        free_chunk* free = nullptr;   // given back
        std::uint32_t untouched = 1;  // from here on none was ever taken
        std::uint32_t used = 0;
    };
    static constexpr std::uint32_t usable = slab_size / chunk_size - 1;

    slab* make_slab();
    void link(slab* s) noexcept;
    void unlink(slab* s) noexcept;
    void retire(slab* s) noexcept;

    slab* open_ = nullptr;   // the first of a ring of those with room
    slab* spare_ = nullptr;  // wholly free, if any
    std::size_t memory_ = 0;
};

inline chunk_pool::slab* chunk_pool::make_slab() {
    void* const memory = std::aligned_alloc(line_size, slab_size);
    if (memory == nullptr) throw std::bad_alloc();
    require(std::uint64_t{reinterpret_cast<std::uintptr_t>(memory)} >> 48 == 0,
            "a heap address has more than 48 bits");
    memory_ += slab_size;
    link(::new (memory) slab{});
    return open_;
}

// At the end: the others are filled first, and this one may become free.
inline void chunk_pool::link(slab* s) noexcept {
    if (open_ == nullptr) open_ = s->next = s->previous = s;
    s->next = open_;
    s->previous = open_->previous;
    s->previous->next = s;
    open_->previous = s;
}

inline void chunk_pool::unlink(slab* s) noexcept {
    s->previous->next = s->next;
    s->next->previous = s->previous;
    if (open_ == s) open_ = s->next != s ? s->next : nullptr;
}

// One of two wholly free slabs goes back.
inline void chunk_pool::retire(slab* s) noexcept {
    if (spare_ != nullptr) {
        unlink(spare_);
        std::free(spare_);
        memory_ -= slab_size;
    }
    spare_ = s;
}

inline chunk_pool::~chunk_pool() {
    if (spare_ != nullptr) {
        std::free(spare_);
        memory_ -= slab_size;
    }
    require(memory_ == 0, "chunks outlive their pool");
}

}  // namespace foliot::detail
