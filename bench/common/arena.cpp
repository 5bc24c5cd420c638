// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "arena.hpp"

#include <sys/mman.h>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace bench {

arena::arena(std::size_t bytes)
    : bytes_(bytes),
      data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(), "memory for the callers' objects");
    }
    std::memset(data_, 0, bytes_);
}

arena::~arena() { munmap(data_, bytes_); }

}  // namespace bench
