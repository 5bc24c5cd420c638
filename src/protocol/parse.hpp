// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "protocol/fields.hpp"
#include "protocol/http.hpp"
#include "protocol/route.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace foliot::protocol {

// The parsers of the single endpoints. parse_http() has checked method and names before.

/// The fields that say when a timer fires and what it carries.
[[nodiscard]] std::span<const std::string_view> set_fields();

/// A set from those fields; ns, id and precondition are left to the caller.
[[nodiscard]] result<engine::set_timer, problem> read_set(const field_set& fields, const limits& l);

/// The fields of an ack's `next`, and what they say.
[[nodiscard]] std::span<const std::string_view> next_fields();
[[nodiscard]] result<engine::next_timer, problem> read_next(const field_set& fields,
                                                            const limits& l);

/// An idempotency key, quoted or not. `field` is the header or field that it came in.
[[nodiscard]] result<std::string, problem> read_key(std::string_view field, std::string_view text,
                                                    const limits& l);

/// Adds what must hold of the timer there; conflicting_fields if mode and condition can never hold
/// together. `field` names where the condition came from.
[[nodiscard]] std::optional<problem> add_condition(engine::set_timer& set,
                                                   const engine::precondition& require,
                                                   std::string_view field);

/// A generation, quoted or not ("4711"). `field` is the header or field that it came in.
[[nodiscard]] result<engine::precondition, problem> read_if_match(std::string_view field,
                                                                  std::string_view text);
/// "*": there must be no timer.
[[nodiscard]] result<engine::precondition, problem> read_if_none_match(std::string_view field,
                                                                       std::string_view text);

[[nodiscard]] result<call, problem> parse_list(const matched& where, const limits& l);
[[nodiscard]] result<call, problem> parse_dead(const matched& where, const limits& l);
[[nodiscard]] result<call, problem> parse_lease(const matched& where, std::string_view body,
                                                const limits& l);

/// `where.what` is ack, nack or extend.
[[nodiscard]] result<call, problem> parse_settle(const matched& where, std::string_view body,
                                                 const limits& l);

/// A batch, or the response if it has no line or goes over a limit.
[[nodiscard]] parsed_request parse_batch(const matched& where, std::string_view body,
                                         const limits& l);

}  // namespace foliot::protocol
