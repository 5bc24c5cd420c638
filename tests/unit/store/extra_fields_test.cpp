// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/extra_fields.hpp"

#include "store/record_codec.hpp"
#include "support/store/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace foliot::store {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;
using namespace std::string_literals;

extra_fields all_fields() {
    extra_fields x;
    x.retain = 10min;
    x.keyed = {0x1122334455667788, {1'800'000'000'000}, {79}, {77}, "key"};
    x.by_ack = {{78}, 3};
    x.end = {ending::cancelled, {1'800'000'000'001}};
    return x;
}

TEST(extra_fields, every_field_survives) {
    const auto back = decode_extra(encode_extra(all_fields()));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, all_fields());
}

TEST(extra_fields, none_is_no_byte_and_the_record_is_of_version_1) {
    EXPECT_EQ(encode_extra({}), "");
    std::string bytes;
    encode_record(test::make_row(1), bytes);
    EXPECT_EQ(bytes[0], 1);
    record row = test::make_row(1);
    row.extra = encode_extra(all_fields());
    bytes.clear();
    encode_record(row, bytes);
    EXPECT_EQ(bytes[0], 2);
}

TEST(extra_fields, a_field_of_a_newer_program_is_kept_byte_for_byte_in_its_place) {
    const auto before = "\x01\x01\x05"s;
    const auto unknown = "\x04\x03"s + "abc"s + "\x7f\x00"s;
    const auto ended = "\x81\x09\x01\x07\0\0\0\0\0\0\0"s;
    auto x = decode_extra(before + unknown + ended);
    ASSERT_TRUE(x) << x.error().message;
    EXPECT_EQ(x->retain, 5ms);
    EXPECT_EQ(x->unknown, unknown);
    EXPECT_EQ(encode_extra(*x), before + unknown + ended);
    x->end.reset();
    x->by_ack = {{9}, 1};
    EXPECT_EQ(encode_extra(*x), before + "\x03\x09\x09\0\0\0\0\0\0\0\x01"s + unknown);
}

TEST(extra_fields, an_unknown_critical_field_is_refused_not_ignored) {
    record row = test::make_row(1);
    row.extra = "\x01\x01\x05"s + "\x82\x00"s;
    std::string bytes;
    encode_record(row, bytes);
    const auto back = decode_record(bytes);
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().code, store_code::unsupported);
    EXPECT_THAT(back.error().message, HasSubstr("field 130"));
    EXPECT_EQ(decode_extra("\x81\x09\x03\x07\0\0\0\0\0\0\0"s).error().code,
              store_code::unsupported);  // a third way to end
}

TEST(extra_fields, what_is_not_in_its_one_form_is_corrupt) {
    const std::string samples[]{
        "\x00\x00"s,                  // tag 0
        "\x01\x01\x05\x01\x01\x05"s,  // twice
        "\x04\x00\x01\x01\x05"s,      // not in order
        "\x01"s,                      // no length
        "\x01\x02\x05"s,              // cut short
        "\x01\x81\x00\x05"s,          // a length in a longer form
        "\x01\x00"s,                  // an empty number
        "\x01\x02\x05\x05"s,          // bytes after the number
        "\x02\x01x"s,                 // a key without its answer
        "\x81\x08\x01\0\0\0\0\0\0\0"s,
    };
    for (const auto& bytes : samples) {
        const auto x = decode_extra(bytes);
        ASSERT_FALSE(x) << testing::PrintToString(bytes);
        EXPECT_EQ(x.error().code, store_code::corrupt) << x.error().message;
    }
    std::string row;
    encode_record(test::make_row(1), row);
    row[0] = 2;  // of version 2, and without a field
    EXPECT_EQ(decode_record(row).error().code, store_code::corrupt);
}

TEST(extra_fields, any_bytes_are_refused_or_encode_to_themselves) {
    std::mt19937_64 random(test::seed_or(6));
    const std::string whole = encode_extra(all_fields());
    for (int i = 0; i < 50'000; ++i) {
        std::string bytes = whole;
        for (std::size_t c = 1 + random() % 3; c > 0; --c) {
            const std::size_t at = random() % (bytes.size() + 1);
            if (random() % 3 == 0) bytes.insert(at, 1, static_cast<char>(random()));
            if (random() % 3 == 0) bytes.resize(at);
            if (at < bytes.size()) bytes[at] = static_cast<char>(random());
        }
        if (const auto x = decode_extra(bytes)) {
            ASSERT_EQ(encode_extra(*x), bytes);
        }
    }
}

TEST(meta_fields, the_count_of_ended_timers_and_unknown_fields_survive) {
    shard_meta meta;
    meta.pending = 3;
    meta.retained = 300;
    meta.unknown = "\x05\x01x"s;
    std::string bytes;
    encode_meta(meta, bytes);
    EXPECT_EQ(bytes[0], 2);
    const auto back = decode_meta(bytes);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, meta);
    EXPECT_EQ(decode_meta(bytes + "\x82\x00"s).error().code, store_code::unsupported);
    bytes.clear();
    encode_meta({}, bytes);
    EXPECT_EQ(bytes[0], 1);
}

}  // namespace
}  // namespace foliot::store
