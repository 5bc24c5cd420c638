// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/http.hpp"
#include "protocol/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace foliot::protocol {

// The errors that more than one parser gives. docs/protocol.md lists all codes.

[[nodiscard]] problem wrong_type(std::string_view field, std::string_view expected,
                                 json_kind found);
[[nodiscard]] problem out_of_range(std::string_view field, std::string_view what);
[[nodiscard]] problem missing_field(std::string_view field);

/// {"code":…,"message":…,"field"?:…,"limit"?:…}, the form of every error.
[[nodiscard]] std::string error_json(const problem& p);

}  // namespace foliot::protocol
