// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"
#include "store/record.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace foliot::store {

// The values of every keyspace as bytes. docs/internals/record_format.md is the spec; a change of
// layout gets a new version number there and here, and the old one stays readable.
//
// `encode_` appends to `out`. `decode_` takes any bytes: it reads none past the end, allocates no
// more than it was given, and answers `corrupt` (with the field and its offset) or `unsupported`
// (a version above the one below). What decodes encodes to the same bytes again.

inline constexpr std::uint8_t record_version = 2;  ///< 1 has no optional fields
inline constexpr std::uint8_t meta_version = 2;    ///< likewise
inline constexpr std::uint8_t id_version = 1;

/// Version of the whole store: which keyspaces there are and what their keys mean.
inline constexpr std::uint32_t format_version = 1;

/// Largest epoch: a sequence has 24 bits for it.
inline constexpr std::uint32_t max_epoch = (std::uint32_t{1} << 24) - 1;

void encode_record(const record& row, std::string& out);
store_result<record> decode_record(std::string_view in);

void encode_meta(const shard_meta& meta, std::string& out);
store_result<shard_meta> decode_meta(std::string_view in);

/// The value of an id row: where the row of a timer that is not in memory lies.
struct id_entry {
    place where = place::far;
    due_point next;  ///< of a far row; all zero for a dead one
    sequence seq;

    friend bool operator==(const id_entry&, const id_entry&) = default;
};

void encode_id_entry(const id_entry& entry, std::string& out);
store_result<id_entry> decode_id_entry(std::string_view in);

/// Stored epochs and the format version are plain 32-bit numbers. `what` goes into the message.
void encode_number(std::uint32_t value, std::string& out);
store_result<std::uint32_t> decode_number(std::string_view in, std::string_view what);

}  // namespace foliot::store
