// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/detail/timer_node.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace foliot::detail {

timer_nodes::~timer_nodes() {
    for_each([](timer_node& node) { std::destroy_at(&node); });
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): from aligned_alloc
    for (std::byte* const slab : slabs_) std::free(slab);
}

std::size_t timer_nodes::wanted() const noexcept {
    const auto left = static_cast<std::size_t>(slab_end_ - end_);
    return std::clamp(capacity_, std::size_t{32}, left > 0 ? left : slab_nodes);
}

void timer_nodes::grow(std::size_t nodes) {
    if (unused_.capacity() < capacity_ + nodes) unused_.reserve(2 * capacity_ + nodes);
    if (end_ == slab_end_) add_slab();
    end_ += nodes;
    capacity_ += nodes;
}

void timer_nodes::reserve(std::size_t nodes) {
    while (unused_.size() + static_cast<std::size_t>(end_ - next_) < nodes) grow(wanted());
}

void timer_nodes::add_slab() {
    slabs_.reserve(slabs_.size() + 1);
    auto* const memory = static_cast<std::byte*>(std::aligned_alloc(slab_bytes, slab_bytes));
    if (memory == nullptr) throw std::bad_alloc();
    // A hint: what it says does not matter.
    if (!slabs_.empty()) ::madvise(memory, slab_bytes, MADV_HUGEPAGE);
    while (next_ != end_) unused_.push_back(::new (next_++) timer_node(home_));
    ::new (memory + home_at(reinterpret_cast<std::uintptr_t>(memory))) shard*(&home_);
    slabs_.push_back(memory);
    next_ = end_ = first_of(memory);
    slab_end_ = next_ + slab_nodes;
}

}  // namespace foliot::detail
