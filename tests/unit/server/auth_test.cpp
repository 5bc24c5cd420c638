// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/auth.hpp"

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

namespace foliot::server {
namespace {

class token_file {
public:
    explicit token_file(const std::string& text)
        : path_(std::filesystem::temp_directory_path() /
                ("foliot-tokens-" + std::to_string(::getpid()))) {
        std::ofstream(path_) << text;
    }
    ~token_file() { std::filesystem::remove(path_); }
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

TEST(auth, without_tokens_everything_is_open) {
    EXPECT_TRUE(token_list{}.accepts(""));
    EXPECT_TRUE(token_list{}.accepts("Bearer whatever"));
}

TEST(auth, only_a_listed_bearer_token_opens) {
    const token_list tokens({"first-token", "second"});
    EXPECT_TRUE(tokens.accepts("Bearer first-token"));
    EXPECT_TRUE(tokens.accepts("bearer   second "));
    for (const auto* wrong :
         {"", "Bearer", "Bearer ", "Bearer first-toke", "Bearer first-tokenn", "Bearer firsT-token",
          "Basic first-token", "first-token", "Bearer first-token second"}) {
        EXPECT_FALSE(tokens.accepts(wrong)) << wrong;
    }
}

TEST(auth, a_token_file_has_one_token_a_line_and_comments) {
    const token_file file("# tokens of the test\n\n  one \r\ntwo\n");
    const auto tokens = token_list::load(file.path());
    ASSERT_TRUE(tokens);
    EXPECT_TRUE(tokens->accepts("Bearer one"));
    EXPECT_TRUE(tokens->accepts("Bearer two"));
    EXPECT_FALSE(tokens->accepts("Bearer # tokens of the test"));
}

TEST(auth, a_token_file_that_guards_nothing_is_an_error) {
    const token_file comments("# none yet\n");
    ASSERT_FALSE(token_list::load(comments.path()));
    const auto missing = token_list::load("/nowhere/tokens");
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().find("/nowhere/tokens"), std::string::npos);
    const token_file spaces("two words\n");
    const auto wrong = token_list::load(spaces.path());
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().find("line 1"), std::string::npos);
}

}  // namespace
}  // namespace foliot::server
