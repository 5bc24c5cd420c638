// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/auth.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <fstream>
#include <optional>

namespace foliot::server {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<std::string_view> bearer(std::string_view header) {
    static constexpr std::string_view scheme = "bearer ";
    header = trimmed(header);
    if (header.size() <= scheme.size()) return std::nullopt;
    for (std::size_t i = 0; i < scheme.size(); ++i) {
        const char c = header[i];
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if (lower != scheme[i]) return std::nullopt;
    }
    return trimmed(header.substr(scheme.size()));
}

}  // namespace

result<token_list, std::string> token_list::load(const std::string& path) {
    std::ifstream file(path);
    if (!file) return "cannot read the token file " + path;
    std::vector<std::string> tokens;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        const auto token = trimmed(line);
        if (token.empty() || token.front() == '#') continue;
        const bool plain =
            std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
        if (!plain) {
            return path + " line " + std::to_string(number) +
                   ": a token is one word of printable ASCII";
        }
        tokens.emplace_back(token);
    }
    if (tokens.empty()) return "the token file " + path + " holds no token (one a line)";
    return token_list{std::move(tokens)};
}

bool token_list::accepts(std::string_view authorization) const {
    if (tokens_.empty()) return true;
    const auto given = bearer(authorization);
    if (!given) return false;
    bool match = false;
    for (const auto& token : tokens_) {
        const bool same = token.size() == given->size() &&
                          CRYPTO_memcmp(token.data(), given->data(), token.size()) == 0;
        match = match || same;
    }
    return match;
}

}  // namespace foliot::server
