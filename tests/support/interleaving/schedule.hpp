// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foliot::interleaving {

/// The choices of an execution as text: "0x12.1.2x3" is twelve times 0, then 1, then three times 2.
[[nodiscard]] std::string to_text(std::span<const std::uint8_t> choices);
/// Nullopt: that is none.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> from_text(std::string_view text);

}  // namespace foliot::interleaving
