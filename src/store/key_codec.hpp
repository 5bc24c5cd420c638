// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"
#include "store/record.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace foliot::store {

// The keys of every keyspace, for stores that sort by bytes. docs/internals/record_format.md is
// their spec. Numbers are big-endian and the shard comes first, so that the bytes of two keys
// compare as the keys do: near and dead by (shard, sequence), far by (shard, clock, next due,
// sequence). Id keys have no order but are unique for every pair of byte strings.

/// A key of fixed size that lives on the stack.
template <std::size_t Size>
struct fixed_key {
    std::array<char, Size> data{};

    [[nodiscard]] std::string_view view() const { return {data.data(), data.size()}; }

    /// The smallest byte string above this key: where a scan strictly after it begins, and the
    /// exclusive end of one that includes it.
    [[nodiscard]] std::string successor() const { return std::string(view()) + '\0'; }
};

using sequence_key = fixed_key<10>;  ///< of near and dead
using far_key = fixed_key<19>;

[[nodiscard]] sequence_key make_sequence_key(shard_id shard, sequence seq);
[[nodiscard]] far_key make_far_key(shard_id shard, clock_kind clock, far_position at);
[[nodiscard]] std::string make_id_key(shard_id shard, std::string_view ns, std::string_view id);

/// Keys of the meta keyspace.
[[nodiscard]] std::string make_meta_key(shard_id shard);
[[nodiscard]] std::string make_epoch_key(shard_id shard);
inline constexpr std::string_view format_key = "format";

struct parsed_sequence_key {
    shard_id shard{};
    sequence seq;

    friend bool operator==(const parsed_sequence_key&, const parsed_sequence_key&) = default;
};

struct parsed_far_key {
    shard_id shard{};
    clock_kind clock{};
    far_position at;

    friend bool operator==(const parsed_far_key&, const parsed_far_key&) = default;
};

struct parsed_id_key {
    shard_id shard{};
    timer_key timer;
};

/// The parsers take any bytes; nullopt where they are not a key of that kind.
[[nodiscard]] std::optional<parsed_sequence_key> parse_sequence_key(std::string_view key);
[[nodiscard]] std::optional<parsed_far_key> parse_far_key(std::string_view key);
[[nodiscard]] std::optional<parsed_id_key> parse_id_key(std::string_view key);

}  // namespace foliot::store
