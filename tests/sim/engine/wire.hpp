// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/http.hpp"
#include "sim/engine/intent.hpp"
#include "sim/engine/random.hpp"

#include <optional>
#include <string>
#include <vector>

namespace foliot::sim {

/// An HTTP request, as its bytes would be on the wire.
struct http_text {
    std::string method;
    std::string target;
    std::string body;
    std::optional<std::string> if_match;
    std::optional<std::string> if_none_match;
};

/// A request for one intent, in one of the ways in which docs/protocol.md lets clients write it.
[[nodiscard]] http_text write(const intent& what, random_source& r);
/// Sets and cancels of one namespace as a batch.
[[nodiscard]] http_text write_batch(const std::vector<intent>& lines, random_source& r);
/// The next page of a list.
[[nodiscard]] http_text write_list(const list_intent& what, std::size_t limit,
                                   const std::string& cursor);

/// What a client reads in the answer, one item an intent.
[[nodiscard]] std::vector<answer_seen> read(const std::vector<intent>& meant, bool batch,
                                            const protocol::http_response& response);

}  // namespace foliot::sim
