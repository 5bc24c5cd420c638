// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "store/key_codec.hpp"

#include "support/store/rows.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace foliot::store {
namespace {

std::uint64_t edgy_number(std::mt19937_64& random) {
    static constexpr std::uint64_t edges[] = {0,
                                              1,
                                              0x7f,
                                              0x80,
                                              0xff,
                                              0x100,
                                              0x7fffffffffffffff,
                                              0x8000000000000000,
                                              UINT64_MAX - 1,
                                              UINT64_MAX};
    return random() % 2 == 0 ? edges[random() % std::size(edges)] : random() >> (random() % 64);
}

shard_id edgy_shard(std::mt19937_64& random) {
    return shard_id{static_cast<std::uint16_t>(edgy_number(random))};
}

TEST(key_codec, sequence_keys_sort_as_shard_and_sequence_do) {
    std::mt19937_64 random(test::seed_or(1));
    for (int i = 0; i < 100'000; ++i) {
        const std::tuple a{edgy_shard(random), sequence{edgy_number(random)}};
        const std::tuple b{edgy_shard(random), sequence{edgy_number(random)}};
        const auto key_a = std::apply(make_sequence_key, a);
        const auto key_b = std::apply(make_sequence_key, b);
        ASSERT_EQ(a < b, key_a.view() < key_b.view());
        ASSERT_EQ(parse_sequence_key(key_a.view()),
                  (parsed_sequence_key{std::get<0>(a), std::get<1>(a)}));
    }
}

TEST(key_codec, far_keys_sort_as_shard_clock_due_and_sequence_do) {
    std::mt19937_64 random(test::seed_or(2));
    const auto any = [&] {
        return std::tuple{edgy_shard(random), clock_kind(random() % 2),
                          far_position{{edgy_number(random)}, {edgy_number(random)}}};
    };
    for (int i = 0; i < 100'000; ++i) {
        const auto a = any();
        const auto b = any();
        const auto key_a = std::apply(make_far_key, a);
        ASSERT_EQ(a < b, key_a.view() < std::apply(make_far_key, b).view());
        ASSERT_EQ(parse_far_key(key_a.view()),
                  (parsed_far_key{std::get<0>(a), std::get<1>(a), std::get<2>(a)}));
    }
}

TEST(key_codec, successor_is_above_its_key_and_below_the_next) {
    const auto key = make_sequence_key(shard_id{7}, {41});
    const auto next = make_sequence_key(shard_id{7}, {42});
    EXPECT_LT(key.view(), key.successor());
    EXPECT_LT(key.successor(), next.view());
}

TEST(key_codec, id_keys_tell_every_pair_of_byte_strings_apart) {
    std::set<std::string> keys;
    const std::string long_one(300, 'x');
    const std::vector<std::string> texts = {"",
                                            "a",
                                            "ab",
                                            std::string(1, '\0'),
                                            "b",
                                            "a\x01",
                                            long_one,
                                            std::string("a\0b", 3),
                                            "\x80",
                                            "\xff\xff",
                                            "\x01"
                                            "a"};
    for (const auto& ns : texts) {
        for (const auto& id : texts) {
            const std::string key = make_id_key(shard_id{3}, ns, id);
            ASSERT_TRUE(keys.insert(key).second) << ns << "/" << id;
            const auto parsed = parse_id_key(key);
            ASSERT_TRUE(parsed);
            ASSERT_EQ(parsed->shard, shard_id{3});
            ASSERT_EQ(parsed->timer.ns, ns);
            ASSERT_EQ(parsed->timer.id, id);
        }
    }
}

TEST(key_codec, meta_keys_of_shards_and_the_format_differ) {
    std::set<std::string> keys{std::string(format_key)};
    for (const unsigned shard : {0U, 1U, 255U, 256U, 65535U}) {
        EXPECT_TRUE(keys.insert(make_meta_key(shard_id(shard))).second);
        EXPECT_TRUE(keys.insert(make_epoch_key(shard_id(shard))).second);
    }
}

TEST(key_codec, parsers_take_any_bytes) {
    std::mt19937_64 random(test::seed_or(3));
    for (int i = 0; i < 200'000; ++i) {
        std::string bytes(random() % 24, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        EXPECT_EQ(parse_sequence_key(bytes).has_value(), bytes.size() == 10);
        if (const auto far = parse_far_key(bytes)) {
            EXPECT_EQ(make_far_key(far->shard, far->clock, far->at).view(), bytes);
        }
        if (const auto id = parse_id_key(bytes)) {
            EXPECT_EQ(make_id_key(id->shard, id->timer.ns, id->timer.id), bytes);
        }
    }
}

TEST(key_codec, a_far_key_of_an_unknown_clock_is_refused) {
    auto key = make_far_key(shard_id{0}, clock_kind::wall, {{1}, {2}});
    key.data[2] = 2;
    EXPECT_FALSE(parse_far_key(key.view()));
}

}  // namespace
}  // namespace foliot::store
