// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"
#include "store/record.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foliot::store {

// What only some timers have, as a sequence of fields (tag, length, bytes) at the end of a value.
// docs/internals/record_format.md lists the tags. A reader keeps a field that it does not know byte
// for byte, unless its tag says that it is critical: then it refuses the value (`unsupported`).

/// What a set with an idempotency key was, and what it was answered.
struct keyed_set {
    std::uint64_t fingerprint = 0;  ///< of all that the set asked for
    tick told_due;                  ///< as wall-clock time, as it was then
    sequence generation;            ///< of the timer that it made
    sequence previous;              ///< 0: there was no timer
    std::string key;

    friend bool operator==(const keyed_set&, const keyed_set&) = default;
};

/// The delivery whose ack set this timer.
struct set_by_ack {
    sequence generation;
    std::uint32_t attempt = 0;

    friend bool operator==(const set_by_ack&, const set_by_ack&) = default;
};

enum class ending : std::uint8_t { acked = 1, cancelled = 2 };

/// The timer has ended: its row is kept until its next due, and never delivered.
struct ended {
    ending how = ending::acked;
    tick at;  ///< wall clock

    friend bool operator==(const ended&, const ended&) = default;
};

struct extra_fields {
    std::optional<std::chrono::milliseconds>
        retain;  ///< keep the row for so long when it has ended
    std::optional<keyed_set> keyed;
    std::optional<set_by_ack> by_ack;
    std::optional<ended> end;
    std::string unknown;  ///< fields of a newer program, as they were read

    friend bool operator==(const extra_fields&, const extra_fields&) = default;
};

/// In ascending order of tags; empty where nothing is set.
[[nodiscard]] std::string encode_extra(const extra_fields& fields);

/// Takes any bytes: `corrupt`, `unsupported`, or what encodes to the same bytes again.
[[nodiscard]] store_result<extra_fields> decode_extra(std::string_view in);

/// The same for the optional fields of a shard's meta.
void encode_meta_fields(const shard_meta& meta, std::string& out);
[[nodiscard]] std::optional<store_error> decode_meta_fields(std::string_view in, shard_meta& meta);

}  // namespace foliot::store
