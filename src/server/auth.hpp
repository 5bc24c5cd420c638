// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace foliot::server {

/// The bearer tokens that open the API. Without any token everyone may use it (and foliotd then
/// listens on loopback addresses only).
///
/// Time: a check compares with every token, in time that does not depend on where they differ.
/// Threads: const after construction. Errors: `load` explains in a sentence.
class token_list {
public:
    token_list() = default;
    explicit token_list(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

    /// One token a line; blank lines and lines that start with '#' are skipped. A file without any
    /// token, and a token with spaces or control characters, are errors.
    static result<token_list, std::string> load(const std::string& path);

    [[nodiscard]] bool empty() const { return tokens_.empty(); }

    /// Whether an Authorization header ("Bearer <token>") opens the API. True if no token is set.
    [[nodiscard]] bool accepts(std::string_view authorization) const;

private:
    std::vector<std::string> tokens_;
};

}  // namespace foliot::server
