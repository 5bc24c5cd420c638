// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// A number from 0 to 4e9; 1e6 is one too. Else nullopt.
std::optional<std::uint64_t> to_number(const std::string& text);

/// What stands between the commas.
std::vector<std::string> to_words(const std::string& text);

/// Whether a list of names allows this one; an empty list allows all.
bool allows(const std::vector<std::string>& list, std::string_view name);

}  // namespace bench
