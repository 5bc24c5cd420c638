// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/types.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foliot::client::detail {

// The bodies of docs/protocol.md, written and read. Pure functions over text.

/// `text` for a place in a path or a query.
std::string percent_encode(std::string_view text);

/// Has it a control character (a line break would end a header and begin another)?
bool has_control(std::string_view text);
/// bad_argument: `what` cannot stand in a header. Its text is not repeated: it may be a secret.
client_error bad_header(std::string_view what);

/// bad_argument if the payload is not JSON.
client_result<std::string> set_body(const set_request& request);
/// One line with its '\n'.
client_result<std::string> batch_body_line(const batch_request& request);
std::string lease_body(const lease_request& request);
/// `extra` is one more member, written `"name":value`, or empty.
client_result<std::string> ack_next_body(std::span<const std::string> tokens,
                                         const next_timer& next);
std::string settle_body(std::span<const std::string> tokens, std::string_view extra);

/// An error of the server; falls back to the status if the body is not Foliot's.
client_error read_error(unsigned status, std::string_view body);

client_result<timer_set> read_set(std::string_view body);
client_result<cancel_outcome> read_cancel(std::string_view body);
batch_result read_batch_line(std::string_view line);
client_result<timer_view> read_view(std::string_view body);
client_result<timer_page> read_page(std::string_view body);
client_result<std::vector<delivery>> read_deliveries(std::string_view body);
client_result<std::vector<settlement>> read_settlements(std::string_view body);

client_error bad_reply(std::string_view what, std::string_view body);

}  // namespace foliot::client::detail
