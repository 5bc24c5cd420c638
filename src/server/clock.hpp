// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace foliot::server {

// The one place of the server that reads clocks; all else is told the time.

/// Both clocks: CLOCK_BOOTTIME (counts suspend, never steps) and CLOCK_REALTIME.
[[nodiscard]] engine::instant read_clocks();

/// Names this boot of the machine (from the kernel's boot_id); 0 if it cannot be read.
[[nodiscard]] std::uint64_t boot_number();

/// CLOCK_BOOTTIME alone: for durations, heartbeats and latencies.
[[nodiscard]] std::chrono::nanoseconds boot_time();

/// CLOCK_REALTIME as an HTTP date ("Sun, 06 Nov 1994 08:49:37 GMT"); made anew once a second.
[[nodiscard]] const std::string& http_date();

}  // namespace foliot::server
