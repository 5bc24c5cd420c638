// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/tick.hpp>

#include <compare>
#include <cstdint>
#include <string>

namespace foliot::store {

/// Which part of the timers; each shard has one owner at a time. The embedded store has one, 0.
enum class shard_id : std::uint16_t {};

/// Ownership of a shard, as a number that grows with each `acquire`. 24 bits are used.
enum class epoch : std::uint32_t {};

/// Number of a set, unique over all owners of a shard and never reused: the upper 24 bits are the
/// epoch, the lower 40 count. It is also the *generation* that clients see.
struct sequence {
    std::uint64_t value = 0;

    friend constexpr auto operator<=>(sequence, sequence) = default;
    friend constexpr bool operator==(sequence, sequence) = default;

    static constexpr unsigned counter_bits = 40;
    static constexpr sequence first_of(epoch e) {
        return {static_cast<std::uint64_t>(e) << counter_bits};
    }
};

/// The two clocks of a due (ticks of 1 ms since 1970 on both).
/// `service` runs evenly whatever happens to the wall clock; `wall` follows its steps.
enum class clock_kind : std::uint8_t { service = 0, wall = 1 };

/// A due and the clock it is measured by.
struct due_point {
    clock_kind clock = clock_kind::service;
    tick at;

    friend constexpr bool operator==(due_point, due_point) = default;
};

enum class payload_kind : std::uint8_t { json = 0, binary = 1 };

/// One durable timer, as the store keeps it. docs/internals/record_format.md is its spec.
struct record {
    std::string ns;
    std::string id;
    std::string queue;
    std::string payload;
    payload_kind kind = payload_kind::json;
    sequence seq;
    due_point due;               ///< what was asked for; lateness is measured against it
    due_point next;              ///< when to offer it next: `due`, or the end of a retry's backoff
    std::uint32_t failures = 0;  ///< deliveries that ended in a nack or in the lease's expiry
    tick lease_until;            ///< service clock; 0 = not leased. Written by a graceful stop only
    bool rewritten = false;      ///< its near key was written more than once (see due_store.hpp)
    std::string extra{};         ///< optional fields, as stored (see extra_fields.hpp)

    friend bool operator==(const record&, const record&) = default;
};

}  // namespace foliot::store
