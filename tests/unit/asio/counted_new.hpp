// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/memory.hpp"

#include <atomic>
#include <cstddef>

// A sanitizer has an operator new of its own.
#define FOLIOT_TEST_COUNTS_NEW (!FOLIOT_TEST_SANITIZED)

namespace foliot::test {

/// How often the program that links counted_new.cpp has called operator new or aligned_alloc.
extern std::atomic<std::size_t> allocations;

}  // namespace foliot::test
