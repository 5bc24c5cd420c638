// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/http.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace foliot::protocol {

/// Which line of a batch an output line is about; what is not known is null in it.
struct line_label {
    std::optional<std::string> op;
    std::optional<std::string> id;
    std::size_t number = 0;
};

/// {"op":…,"id":…,"line":…,"status":…,"error":{…}} and '\n'.
[[nodiscard]] std::string error_line(const line_label& label, const problem& p);

}  // namespace foliot::protocol
