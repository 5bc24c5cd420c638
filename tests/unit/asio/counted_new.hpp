// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace foliot::test {

/// How often the program that links counted_new.cpp has called operator new.
extern std::atomic<std::size_t> allocations;

}  // namespace foliot::test
