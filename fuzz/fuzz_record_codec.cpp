// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "require.hpp"

#include "store/key_codec.hpp"
#include "store/record_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// What the store reads back may be any bytes. Each decoder refuses them, or what it makes of them
// encodes to the same bytes (those of an older version: to bytes that decode to the same).

namespace {

using namespace foliot::store;
using foliot::fuzz::require;

template <class Decode, class Encode>
void check_value(std::string_view in, std::uint8_t newest, Decode decode, Encode encode) {
    const auto value = decode(in);
    if (!value) {
        require(value.error().code == store_code::corrupt ||
                    value.error().code == store_code::unsupported,
                "a refusal is corrupt or unsupported");
        require(!value.error().message.empty(), "a refusal says why");
        return;
    }
    std::string out;
    encode(*value, out);
    if (static_cast<std::uint8_t>(in.front()) == newest) {
        require(out == in, "what decodes encodes to the same bytes");
    }
    const auto again = decode(out);
    require(again && *again == *value, "what was encoded decodes to the same");
}

void check_number(std::string_view in) {
    const auto number = decode_number(in, "number");
    if (!number) return;
    std::string out;
    encode_number(*number, out);
    require(out == in, "a number has one spelling");
}

void check_keys(std::string_view in) {
    if (const auto key = parse_sequence_key(in)) {
        require(make_sequence_key(key->shard, key->seq).view() == in, "a key has one spelling");
    }
    if (const auto key = parse_far_key(in)) {
        require(make_far_key(key->shard, key->clock, key->at).view() == in,
                "a far key has one spelling");
    }
    if (const auto key = parse_id_key(in)) {
        require(make_id_key(key->shard, key->timer.ns, key->timer.id) == in,
                "an id key has one spelling");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    check_value(input, record_version, decode_record, encode_record);
    check_value(input, meta_version, decode_meta, encode_meta);
    check_value(input, id_version, decode_id_entry, encode_id_entry);
    check_number(input);
    check_keys(input);
    return 0;
}
