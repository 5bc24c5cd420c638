// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "protocol/base64.hpp"

#include "requests.hpp"

namespace foliot::protocol {
namespace {

TEST(base64, vectors_of_rfc_4648) {
    const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                     {"f", "Zg=="},
                                                                     {"fo", "Zm8="},
                                                                     {"foo", "Zm9v"},
                                                                     {"foob", "Zm9vYg=="},
                                                                     {"fooba", "Zm9vYmE="},
                                                                     {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(base64_encode(bytes, base64_form::standard), text);
        EXPECT_EQ(base64_decode(text, base64_form::standard), std::string{bytes});
        EXPECT_EQ(base64_decoded_size(text), bytes.size());
    }
}

TEST(base64, forms_differ_in_alphabet_and_padding) {
    EXPECT_EQ(base64_encode("\xfb\xff", base64_form::standard), "+/8=");
    EXPECT_EQ(base64_encode("\xfb\xff", base64_form::url), "-_8");
}

TEST(base64, refuses_what_is_not_the_one_spelling) {
    for (const std::string_view bad : {"Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zh==", "Zm9=",
                                       "Zm 9v", "Zm9v\n", "-_8=", "Zg==Zg==", "Zm9\xc3"}) {
        EXPECT_FALSE(base64_decode(bad, base64_form::standard)) << bad;
    }
    for (const std::string_view bad : {"Zg==", "Z", "Zh", "+/8", "Zm9vY", "Zm9v="}) {
        EXPECT_FALSE(base64_decode(bad, base64_form::url)) << bad;
    }
}

TEST(base64, random_bytes_round_trip) {
    std::mt19937_64 random{test::seed()};
    for (int i = 0; i < 2'000; ++i) {
        std::string bytes(random() % 100, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        for (const auto form : {base64_form::standard, base64_form::url}) {
            ASSERT_EQ(base64_decode(base64_encode(bytes, form), form), bytes);
        }
    }
}

}  // namespace
}  // namespace foliot::protocol
