// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/key_codec.hpp"

#include "store/bytes.hpp"

namespace foliot::store {
namespace {

void put_shard(char* to, shard_id shard) {
    bytes::store_big(to, static_cast<std::uint16_t>(shard));
}

shard_id get_shard(std::string_view key) {
    return shard_id{bytes::load_big<std::uint16_t>(key.data())};
}

std::string shard_fact_key(char fact, shard_id shard) {
    std::string key(4, 's');
    key[1] = fact;
    put_shard(key.data() + 2, shard);
    return key;
}

}  // namespace

sequence_key make_sequence_key(shard_id shard, sequence seq) {
    sequence_key key;
    put_shard(key.data.data(), shard);
    bytes::store_big(key.data.data() + 2, seq.value);
    return key;
}

far_key make_far_key(shard_id shard, clock_kind clock, far_position at) {
    far_key key;
    put_shard(key.data.data(), shard);
    key.data[2] = static_cast<char>(clock);
    bytes::store_big(key.data.data() + 3, at.next.count);
    bytes::store_big(key.data.data() + 11, at.seq.value);
    return key;
}

std::string make_id_key(shard_id shard, std::string_view ns, std::string_view id) {
    std::string key;
    key.reserve(4 + ns.size() + id.size());
    key.resize(2);
    put_shard(key.data(), shard);
    bytes::append_varint(key, ns.size());
    key.append(ns);
    key.append(id);
    return key;
}

std::string make_meta_key(shard_id shard) { return shard_fact_key('m', shard); }

std::string make_epoch_key(shard_id shard) { return shard_fact_key('e', shard); }

std::optional<parsed_sequence_key> parse_sequence_key(std::string_view key) {
    if (key.size() != sizeof(sequence_key::data)) return std::nullopt;
    return parsed_sequence_key{get_shard(key), {bytes::load_big<std::uint64_t>(key.data() + 2)}};
}

std::optional<parsed_far_key> parse_far_key(std::string_view key) {
    if (key.size() != sizeof(far_key::data)) return std::nullopt;
    const auto clock = static_cast<unsigned char>(key[2]);
    if (clock > static_cast<unsigned char>(clock_kind::wall)) return std::nullopt;
    return parsed_far_key{get_shard(key),
                          clock_kind{clock},
                          {{bytes::load_big<std::uint64_t>(key.data() + 3)},
                           {bytes::load_big<std::uint64_t>(key.data() + 11)}}};
}

std::optional<parsed_id_key> parse_id_key(std::string_view key) {
    if (key.size() < 2) return std::nullopt;
    bytes::reader in(key.substr(2));
    const auto ns_size = in.take_varint();
    if (!ns_size) return std::nullopt;
    const auto ns = in.take(*ns_size);
    if (!ns) return std::nullopt;
    const auto id = in.take(in.left());
    return parsed_id_key{get_shard(key), {std::string(*ns), std::string(*id)}};
}

}  // namespace foliot::store
