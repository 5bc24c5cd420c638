// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace foliot::test {

/// A row that differs from every other one by its number.
inline store::record make_row(std::uint64_t number, std::uint64_t due_ms = 1'000,
                              store::clock_kind clock = store::clock_kind::service) {
    store::record row;
    row.ns = "default";
    row.id = "timer-" + std::to_string(number);
    row.queue = "default";
    row.payload = "{\"number\":" + std::to_string(number) + "}";
    row.seq = {number};
    row.due = {clock, {due_ms}};
    row.next = row.due;
    return row;
}

/// The operation that takes a far (dead) row away again.
inline store::remove_far removal_of_far(const store::record& row) {
    return {row.next, row.seq, row.ns, row.id};
}
inline store::remove_dead removal_of_dead(const store::record& row) {
    return {row.seq, row.ns, row.id};
}

/// FOLIOT_SEED, or `otherwise`; printed, so that a failure can be run again.
inline std::uint64_t seed_or(std::uint64_t otherwise) {
    const char* text = std::getenv("FOLIOT_SEED");
    const std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 0) : otherwise;
    std::cout << "FOLIOT_SEED=" << seed << '\n';
    return seed;
}

}  // namespace foliot::test
