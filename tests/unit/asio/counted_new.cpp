// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "counted_new.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

std::atomic<std::size_t> foliot::test::allocations = 0;

#if FOLIOT_TEST_COUNTS_NEW
void* operator new(std::size_t size) {
    ++foliot::test::allocations;
    if (void* const p = std::malloc(size)) return p;
    throw std::bad_alloc();
}
// That of Asio's handlers.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
    ++foliot::test::allocations;
    void* p = nullptr;
    return posix_memalign(&p, std::max(alignment, sizeof(void*)), size) == 0 ? p : nullptr;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif
