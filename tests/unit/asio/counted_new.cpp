// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "counted_new.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

std::atomic<std::size_t> foliot::test::allocations = 0;

void* operator new(std::size_t size) {
    ++foliot::test::allocations;
    if (void* const p = std::malloc(size)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
