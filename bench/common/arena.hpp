// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bench {

/// The memory of the callers' objects: mapped once, in pages as malloc gives them, touched once, and
/// reused by every model in its turn, so that all meet the same pages.
class arena {
public:
    explicit arena(std::size_t bytes);
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena();

    [[nodiscard]] void* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    std::size_t bytes_;
    void* data_;
};

}  // namespace bench
