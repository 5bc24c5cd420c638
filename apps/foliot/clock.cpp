// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "clock.hpp"

#include <chrono>

namespace foliot::cli {

std::int64_t wall_now_ms() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

}  // namespace foliot::cli
