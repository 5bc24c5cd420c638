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
    for (const slab& s : slabs_) std::free(s.first);
}

std::size_t timer_nodes::wanted() const noexcept {
    return std::clamp(capacity_, first_slab, slab_limit);
}

void timer_nodes::grow(std::size_t nodes) {
    slabs_.reserve(slabs_.size() + 1);
    if (unused_.capacity() < capacity_ + nodes) unused_.reserve(2 * capacity_ + nodes);
    const bool full = nodes == slab_limit;
    const std::size_t bytes = full ? slab_bytes : nodes * sizeof(timer_node);
    void* const memory = std::aligned_alloc(full ? slab_bytes : alignof(timer_node), bytes);
    if (memory == nullptr) throw std::bad_alloc();
    if (full) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: what it says does not matter
    next_ = static_cast<timer_node*>(memory);
    end_ = next_ + nodes;
    slabs_.push_back({next_, nodes});
    capacity_ += nodes;
}

}  // namespace foliot::detail
