// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/random.hpp"
#include "store/record.hpp"

#include <foliot/time/tick.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace foliot::sim {

// What clients mean and what they are told, in words that neither the protocol nor the engine
// share: the checkers compare these.

using timer_name = std::pair<std::string, std::string>;  ///< namespace, id
using generation = std::uint64_t;

struct condition {
    bool absent = false;
    std::optional<generation> is;
};

struct set_intent {
    timer_name name;
    std::string queue;
    std::string payload;  ///< as it is to come back; unlike that of any other set
    store::clock_kind clock{};
    ns delay{};   ///< service
    tick due_ms;  ///< wall
    condition require;
};
struct cancel_intent {
    timer_name name;
    condition require;
};
struct get_intent {
    timer_name name;
};
struct list_intent {
    std::string space;  ///< namespace
    std::string prefix;
    bool first_page = true;
};
struct dead_intent {
    std::string space;  ///< namespace
    std::string queue;
};
struct lease_intent {
    std::string space;  ///< namespace
    std::string queue;
    std::size_t max = 1;
    ms lease{};
    ms wait{};
};
struct held_delivery {
    timer_name name;
    std::string queue;
    std::string token;
    generation gen = 0;
    std::uint32_t attempt = 1;
    std::uint64_t given = 0;  ///< number of the delivery
};
enum class verb : std::uint8_t { ack, nack, extend };
struct settle_intent {
    std::string space;  ///< namespace
    std::string queue;
    verb how{};
    std::vector<held_delivery> what;
    std::optional<ns> delay;
    ms lease{};
};
struct wrong_intent {
    unsigned status = 400;
};

using intent = std::variant<set_intent, cancel_intent, get_intent, list_intent, dead_intent,
                            lease_intent, settle_intent, wrong_intent>;

/// An answer of the server, to one intent.
struct refusal {
    unsigned status = 0;
    std::string code;
    std::optional<generation> current;  ///< of a failed precondition

    /// The change may have been made all the same.
    [[nodiscard]] bool open() const { return code == "store_unavailable"; }
};
struct set_answer {
    bool created = false;
    generation gen = 0;
    std::optional<generation> previous;
    std::int64_t due_ms = 0;
};
struct cancel_answer {
    std::string outcome;
};
struct seen_timer {
    std::string id;
    generation gen = 0;
    std::string queue;
    std::string state;
    std::uint32_t attempt = 0;
    std::int64_t due_ms = 0;
    std::string payload;
};
struct page_answer {
    std::vector<seen_timer> timers;
    std::string cursor;
};
struct seen_delivery {
    held_delivery what;
    std::int64_t due_ms = 0;
    double lateness_ms = 0;
    std::string payload;
};
struct lease_answer {
    std::vector<seen_delivery> given;
};
struct settle_answer {
    std::vector<std::string> outcomes;
};
/// Something that no client can make sense of.
struct nonsense {
    std::string what;
};

using answer_seen = std::variant<refusal, set_answer, cancel_answer, seen_timer, page_answer,
                                 lease_answer, settle_answer, nonsense>;

}  // namespace foliot::sim
