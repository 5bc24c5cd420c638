// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstddef>
#include <fstream>

// A sanitizer has an allocator of its own, which keeps what was freed.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FOLIOT_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define FOLIOT_TEST_SANITIZED 1
#endif
#endif
#if !defined(FOLIOT_TEST_SANITIZED)
#define FOLIOT_TEST_SANITIZED 0
#endif

namespace foliot::test {

inline constexpr bool sanitized = FOLIOT_TEST_SANITIZED != 0;

/// How much of this process is in memory (a program may ask for more than it uses).
inline std::size_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::size_t size = 0;
    std::size_t resident = 0;
    statm >> size >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace foliot::test
