// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/wheel/timer_hook.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

namespace foliot::detail {

/// The entries of one slot: a growable array of hook pointers. Each hook knows its place in it.
///
/// An append is a sequential write; a removal swaps the last entry into the hole, so there is no
/// dead space and nothing to sweep. Above `smallest`, the capacity is at most twice the size.
class slot_array {
public:
    static constexpr std::uint32_t smallest = 4;

    slot_array() = default;
    slot_array(const slot_array&) = delete;
    slot_array& operator=(const slot_array&) = delete;
    ~slot_array() { std::free(entries_); }

    [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] timer_hook* operator[](std::uint32_t i) const noexcept { return entries_[i]; }

    /// Appends, and tells the hook its place. Throws std::bad_alloc and then has changed nothing.
    void append(timer_hook& hook, std::uint32_t slot) {
        if (size_ == capacity_) grow();
        hook_access::index(hook) = size_;
        hook_access::slot(hook) = slot;
        entries_[size_++] = &hook;
    }

    /// Removes the entry at `index`; the last one takes its place. Does not touch the removed hook.
    void remove(std::uint32_t index) noexcept {
        timer_hook* const last = entries_[--size_];
        if (index != size_) {
            entries_[index] = last;
            hook_access::index(*last) = index;
        }
        if (size_ <= capacity_ / 2) shrink();
    }

    /// Forgets all entries and gives the memory back, but for the smallest block.
    void clear() noexcept {
        size_ = 0;
        shrink();
    }

private:
    static constexpr std::uint32_t largest = std::numeric_limits<std::uint32_t>::max() - 1;

    bool resize(std::uint32_t capacity) noexcept {
        void* const fresh = std::realloc(entries_, std::size_t{capacity} * sizeof(timer_hook*));
        if (fresh == nullptr) return false;
        entries_ = static_cast<timer_hook**>(fresh);
        capacity_ = capacity;
        return true;
    }

    void grow() {
        if (capacity_ == largest) throw std::bad_alloc();
        const std::uint64_t wanted = std::uint64_t{capacity_} + capacity_ / 2;
        const std::uint64_t bounded = wanted < smallest  ? smallest
                                      : wanted > largest ? largest
                                                         : wanted;
        if (!resize(static_cast<std::uint32_t>(bounded))) throw std::bad_alloc();
    }

    void shrink() noexcept {
        if (capacity_ <= smallest) return;
        const std::uint32_t wanted = size_ + size_ / 2;
        resize(wanted < smallest ? smallest : wanted);  // failing to shrink is harmless
    }

    timer_hook** entries_ = nullptr;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = 0;
};

static_assert(sizeof(slot_array) == 16);

}  // namespace foliot::detail
