// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

// A sanitizer has an operator new of its own.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FOLIOT_TEST_COUNTS_NEW 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define FOLIOT_TEST_COUNTS_NEW 0
#endif
#endif
#if !defined(FOLIOT_TEST_COUNTS_NEW)
#define FOLIOT_TEST_COUNTS_NEW 1
#endif

namespace foliot::test {

/// How often the program that links counted_new.cpp has called operator new or aligned_alloc.
extern std::atomic<std::size_t> allocations;

}  // namespace foliot::test
