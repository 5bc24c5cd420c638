// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/types.hpp"

#include <chrono>
#include <string_view>

namespace foliot::client {

/// "1500ms", "2h30m", "P1DT2H" (as the server takes them) or a plain number of ms, rounded up to a
/// whole ms. bad_argument says what is wrong with it.
[[nodiscard]] client_result<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace foliot::client
