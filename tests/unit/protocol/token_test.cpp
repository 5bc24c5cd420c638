// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/token.hpp"

#include "requests.hpp"

namespace foliot::protocol {
namespace {

engine::delivery_token random_token(std::mt19937_64& random) {
    constexpr std::string_view letters = "abcXYZ019._-";
    engine::delivery_token out;
    out.ns.resize(1 + random() % 255);
    for (char& c : out.ns) c = letters[random() % letters.size()];
    const auto characters = 1 + random() % 80;
    for (std::uint64_t i = 0; i < characters; ++i) {
        constexpr std::string_view some[] = {"a", "/", " ", "%", "\xc3\xa9", "\xf0\x9f\x98\x80"};
        out.id += some[random() % std::size(some)];
    }
    out.generation.value = random() >> (random() % 64);
    out.attempt = static_cast<std::uint32_t>(random() >> (random() % 32)) | 1;
    out.owner_epoch = static_cast<std::uint32_t>(random() % (1U << 24));
    return out;
}

TEST(token, random_deliveries_round_trip) {
    std::mt19937_64 random{test::seed()};
    for (int i = 0; i < 5'000; ++i) {
        const auto token = random_token(random);
        const auto text = encode_token(token);
        ASSERT_EQ(decode_token(text), token) << text;
    }
}

TEST(token, any_change_of_a_character_is_noticed_or_names_another_delivery) {
    std::mt19937_64 random{test::seed()};
    for (int i = 0; i < 200; ++i) {
        const auto token = random_token(random);
        const auto text = encode_token(token);
        for (std::size_t at = 0; at < text.size(); ++at) {
            auto changed = text;
            changed[at] = changed[at] == 'A' ? 'B' : 'A';
            const auto got = decode_token(changed);
            ASSERT_FALSE(got && *got == token);
        }
        ASSERT_FALSE(decode_token(text + "="));
        ASSERT_FALSE(decode_token(" " + text));
    }
}

TEST(token, decoding_is_total) {
    std::mt19937_64 random{test::seed()};
    for (const std::string_view bad : {"", "A", "AQ", "AQAA", "!!!!", "AgAAAAAAAAAAAAAAAAAAAAA"}) {
        EXPECT_FALSE(decode_token(bad)) << bad;
    }
    for (int i = 0; i < 50'000; ++i) {
        constexpr std::string_view letters = "AQgBCDEFabcdef0123_-=+/ ";
        std::string text(random() % 60, 'A');
        for (char& c : text) c = letters[random() % letters.size()];
        if (const auto token = decode_token(text)) {
            ASSERT_EQ(encode_token(*token), text);
        }
        if (const auto cursor = decode_list_cursor(text)) {
            ASSERT_EQ(encode_list_cursor(*cursor), text);
        }
        if (const auto after = decode_dead_cursor(text)) {
            ASSERT_EQ(encode_dead_cursor(*after), text);
        }
    }
}

TEST(token, refuses_illegal_contents) {
    const engine::delivery_token good{"ns", "x", {7}, 1};
    ASSERT_TRUE(decode_token(encode_token(good)));
    for (const auto& bad :
         {engine::delivery_token{"ns", "x", {7}, 0}, engine::delivery_token{"ns", "", {7}, 1},
          engine::delivery_token{"", "x", {7}, 1}, engine::delivery_token{"n s", "x", {7}, 1},
          engine::delivery_token{"ns", "a\nb", {7}, 1},
          engine::delivery_token{"ns", "\xff", {7}, 1}}) {
        EXPECT_FALSE(decode_token(encode_token(bad)));
    }
}

TEST(token, spelling_is_fixed) {
    EXPECT_EQ(encode_token({"default", "x", {4711}, 1, 3}), "AQAAAAAAABJnAAAAAQAAAAMHZGVmYXVsdHg");
    EXPECT_EQ(encode_list_cursor({{1}, {2}}), "AgAAAAAAAAABAAAAAAAAAAI");
    EXPECT_EQ(encode_dead_cursor({2}), "AwAAAAAAAAAC");
}

TEST(cursor, random_cursors_round_trip_and_lists_do_not_take_each_others) {
    std::mt19937_64 random{test::seed()};
    for (int i = 0; i < 5'000; ++i) {
        const engine::list_cursor cursor{{random() >> (random() % 64)}, {random()}};
        const auto text = encode_list_cursor(cursor);
        ASSERT_EQ(decode_list_cursor(text), cursor);
        ASSERT_FALSE(decode_dead_cursor(text));
        const auto dead = encode_dead_cursor(cursor.seq);
        ASSERT_EQ(decode_dead_cursor(dead), cursor.seq);
        ASSERT_FALSE(decode_list_cursor(dead));
    }
}

}  // namespace
}  // namespace foliot::protocol
