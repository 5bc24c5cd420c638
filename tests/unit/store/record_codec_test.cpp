// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/record_codec.hpp"

#include "store/extra_fields.hpp"
#include "support/store/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace foliot::store {
namespace {

using testing::HasSubstr;

std::string encoded(const record& row) {
    std::string out;
    encode_record(row, out);
    return out;
}

std::string any_text(std::mt19937_64& random) {
    static constexpr std::size_t sizes[] = {0, 1, 2, 127, 128, 129, 300, 16'384};
    std::string text(sizes[random() % std::size(sizes)], '\0');
    for (char& c : text) c = static_cast<char>(random());
    return text;
}

record any_row(std::mt19937_64& random) {
    const auto number = [&] { return random() >> (random() % 64); };
    record row;
    row.ns = any_text(random);
    row.id = any_text(random);
    row.queue = any_text(random);
    row.payload = any_text(random);
    row.kind = payload_kind(random() % 2);
    row.seq = {number()};
    row.due = {clock_kind(random() % 2), {number()}};
    row.next = {clock_kind(random() % 2), {number()}};
    row.failures = static_cast<std::uint32_t>(number());
    row.lease_until = {number()};
    row.rewritten = random() % 2 == 0;
    extra_fields x;
    if (random() % 4 == 0) x.retain = std::chrono::milliseconds{random() % 1'000'000};
    if (random() % 4 == 0)
        x.keyed = {random(), {number()}, {number()}, {number()}, any_text(random)};
    if (random() % 4 == 0) x.by_ack = {{number()}, static_cast<std::uint32_t>(number())};
    if (random() % 4 == 0) x.end = {ending(1 + random() % 2), {number()}};
    row.extra = encode_extra(x);
    return row;
}

/// Decodes what may be anything; what decodes must encode to the same bytes.
void expect_total(const std::string& bytes) {
    const auto row = decode_record(bytes);
    if (row) {
        ASSERT_EQ(encoded(*row), bytes);
    } else {
        ASSERT_TRUE(row.error().code == store_code::corrupt ||
                    row.error().code == store_code::unsupported);
        ASSERT_FALSE(row.error().message.empty());
    }
}

TEST(record_codec, every_field_survives) {
    std::mt19937_64 random(test::seed_or(1));
    for (int i = 0; i < 2'000; ++i) {
        const record row = any_row(random);
        const auto back = decode_record(encoded(row));
        ASSERT_TRUE(back) << back.error().message;
        ASSERT_EQ(*back, row);
    }
}

TEST(record_codec, extreme_numbers_survive) {
    record row;
    row.seq = {UINT64_MAX};
    row.due = {clock_kind::wall, tick::max()};
    row.next = {clock_kind::service, tick::max()};
    row.lease_until = tick::max();
    row.failures = UINT32_MAX;
    const auto back = decode_record(encoded(row));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, row);
}

TEST(record_codec, bytes_are_as_the_specification_says) {
    record row = test::make_row(0x0102030405060708, 0x1122, clock_kind::wall);
    row.ns = "n";
    row.id = "id";
    row.queue = "";
    row.payload = "{}";
    row.next = {clock_kind::service, {0x33}};
    row.lease_until = {300};
    row.failures = 2;
    row.rewritten = true;
    const std::string expected(
        "\x01\x06"
        "\x08\x07\x06\x05\x04\x03\x02\x01"
        "\x22\x11\0\0\0\0\0\0"
        "\x33\0\0\0\0\0\0\0"
        "\xac\x02"
        "\x02"
        "\x01\x02\x00\x02"
        "nid{}",
        38);
    EXPECT_EQ(encoded(row), expected);
}

TEST(record_codec, every_truncation_is_corrupt) {
    const std::string whole = encoded(test::make_row(77));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto row = decode_record(std::string(whole.data(), size));
        ASSERT_FALSE(row) << size;
        ASSERT_EQ(row.error().code, store_code::corrupt) << size;
    }
}

TEST(record_codec, an_error_names_the_field_and_its_offset) {
    const std::string whole = encoded(test::make_row(77));
    const auto cut = decode_record(std::string_view(whole).substr(0, 12));
    ASSERT_FALSE(cut);
    EXPECT_THAT(cut.error().message, HasSubstr("due at offset 10 runs past the end"));
    const auto longer = decode_record(whole + "x");
    ASSERT_FALSE(longer);
    EXPECT_THAT(longer.error().message, HasSubstr("followed by 1 bytes"));
}

TEST(record_codec, a_newer_version_is_unsupported_whatever_follows) {
    std::string bytes = encoded(test::make_row(77));
    bytes[0] = static_cast<char>(record_version + 1);
    for (const std::string& newer : {bytes, bytes.substr(0, 1)}) {
        const auto row = decode_record(newer);
        ASSERT_FALSE(row);
        EXPECT_EQ(row.error().code, store_code::unsupported);
    }
}

TEST(record_codec, unknown_flags_and_version_zero_are_corrupt) {
    std::string bytes = encoded(test::make_row(77));
    bytes[1] = 0x10;
    EXPECT_EQ(decode_record(bytes).error().code, store_code::corrupt);
    bytes[1] = 0;
    bytes[0] = 0;
    EXPECT_EQ(decode_record(bytes).error().code, store_code::corrupt);
}

TEST(record_codec, a_length_beyond_the_end_allocates_nothing) {
    record row;
    std::string bytes = encoded(row);
    bytes.resize(bytes.size() - 1);  // the payload's length
    bytes += "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    const auto huge = decode_record(bytes);
    ASSERT_FALSE(huge);
    EXPECT_THAT(huge.error().message, HasSubstr("payload at offset"));
}

TEST(record_codec, numbers_in_a_longer_form_than_needed_are_corrupt) {
    record row;
    std::string bytes = encoded(row);
    bytes.resize(bytes.size() - 1);
    bytes += std::string("\x80\x00", 2);
    EXPECT_EQ(decode_record(bytes).error().code, store_code::corrupt);
}

TEST(record_codec, mutated_rows_never_read_out_of_bounds) {
    std::mt19937_64 random(test::seed_or(4));
    for (int i = 0; i < 30'000; ++i) {
        record row = any_row(random);
        row.payload.resize(std::min<std::size_t>(row.payload.size(), 300));
        std::string bytes = encoded(row);
        const std::size_t changes = 1 + random() % 4;
        for (std::size_t c = 0; c < changes; ++c) {
            // Most of what there is to get wrong lies in the first 60 bytes.
            const std::size_t span =
                random() % 2 == 0 ? std::min<std::size_t>(bytes.size(), 60) : bytes.size();
            if (span == 0) break;
            const std::size_t at = random() % span;
            switch (random() % 4) {
                case 0: bytes[at] = static_cast<char>(random()); break;
                case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8)); break;
                case 2: bytes.resize(at); break;
                case 3: bytes.insert(at, 1, static_cast<char>(random())); break;
            }
        }
        expect_total(std::string(bytes.begin(), bytes.end()));
    }
}

TEST(record_codec, random_bytes_never_read_out_of_bounds) {
    std::mt19937_64 random(test::seed_or(5));
    for (int i = 0; i < 200'000; ++i) {
        std::string bytes(random() % 64, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        if (bytes.size() > 1 && random() % 4 != 0) {
            bytes[0] = static_cast<char>(1 + random() % 2);
            bytes[1] = static_cast<char>(bytes[1] & 0x0f);
        }
        expect_total(bytes);
    }
}

TEST(meta_codec, every_field_survives) {
    shard_meta meta;
    meta.pending = UINT64_MAX;
    meta.dead = 3;
    meta.clock_offset_ns = INT64_MIN;
    meta.boot = UINT64_MAX - 1;
    meta.service_base_ns = -7;
    meta.far_low_water[0] = tick::max();
    meta.far_low_water[1] = {5};
    std::string bytes;
    encode_meta(meta, bytes);
    const auto back = decode_meta(bytes);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, meta);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_EQ(decode_meta(bytes.substr(0, size)).error().code, store_code::corrupt);
    }
    bytes[0] = meta_version + 1;
    EXPECT_EQ(decode_meta(bytes).error().code, store_code::unsupported);
}

TEST(id_codec, far_and_dead_places_survive) {
    for (const id_entry& entry : {id_entry{place::far, {clock_kind::wall, tick::max()}, {7}},
                                  id_entry{place::dead, {}, {UINT64_MAX}}}) {
        std::string bytes;
        encode_id_entry(entry, bytes);
        const auto back = decode_id_entry(bytes);
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(*back, entry);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            EXPECT_EQ(decode_id_entry(bytes.substr(0, size)).error().code, store_code::corrupt);
        }
        bytes[1] = 3;
        EXPECT_EQ(decode_id_entry(bytes).error().code, store_code::corrupt);
    }
}

TEST(number_codec, takes_exactly_four_bytes) {
    std::string bytes;
    encode_number(0x01020304, bytes);
    EXPECT_EQ(bytes, "\x04\x03\x02\x01");
    EXPECT_EQ(*decode_number(bytes, "epoch"), 0x01020304U);
    EXPECT_FALSE(decode_number(bytes.substr(1), "epoch"));
    EXPECT_FALSE(decode_number(bytes + "x", "epoch"));
}

}  // namespace
}  // namespace foliot::store
