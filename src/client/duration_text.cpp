// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/duration_text.hpp"

#include "protocol/duration.hpp"

#include <string>

namespace foliot::client {

client_result<std::chrono::milliseconds> parse_duration(std::string_view text) {
    const bool number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    auto parsed = number ? protocol::duration_from_ms(text) : protocol::parse_duration(text);
    if (!parsed) {
        return client_error{.kind = error_kind::bad_argument,
                            .status = 0,
                            .code = "bad_duration",
                            .message = "'" + std::string(text) + "': " + parsed.error().message,
                            .field = {},
                            .limit = {}};
    }
    return std::chrono::ceil<std::chrono::milliseconds>(*parsed);
}

}  // namespace foliot::client
