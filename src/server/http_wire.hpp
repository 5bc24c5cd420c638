// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/http.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace foliot::server {

// The parts of HTTP that need no connection.

[[nodiscard]] std::string_view reason_phrase(unsigned status);

/// Status line and header fields, with the empty line after them.
[[nodiscard]] std::string response_head(const protocol::http_response& response, bool keep_alive,
                                        bool http_1_0, std::string_view date);

/// Whether a path (the target without its query) is open to clients without a token.
[[nodiscard]] bool needs_no_token(std::string_view target);

/// Whether a request that a web page made comes from a page of this server: its Origin names the
/// same host as its Host. A browser lets any page send a request to a loopback address.
[[nodiscard]] bool same_origin(std::string_view origin, std::string_view host);

}  // namespace foliot::server
