// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/random.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace foliot::sim {

/// All that happened, a line an event, as a hash; and as text for whoever reads along.
class trace {
public:
    /// Print the lines with these numbers.
    void print(std::uint64_t first, std::uint64_t last) {
        first_ = first;
        last_ = last;
    }

    void line(ns at, std::string_view who, std::string_view what) {
        ++lines_;
        mix(static_cast<std::uint64_t>(at.count()));
        mix(who);
        mix(what);
        if (lines_ < first_ || lines_ > last_) return;
        std::printf("%6llu %14.6f  %-8.*s %.*s\n", static_cast<unsigned long long>(lines_),
                    std::chrono::duration<double>(at).count(), static_cast<int>(who.size()),
                    who.data(), static_cast<int>(what.size()), what.data());
    }

    [[nodiscard]] std::uint64_t hash() const { return hash_; }
    [[nodiscard]] std::uint64_t lines() const { return lines_; }

private:
    void mix(std::uint64_t x) {
        hash_ = (hash_ ^ x) * 0xff51afd7ed558ccd;
        hash_ ^= hash_ >> 32;
    }
    void mix(std::string_view text) {  // FNV-1a, 64 bit
        for (const char c : text) {
            hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
        }
        mix(text.size());
    }

    std::uint64_t hash_ = 0xcbf29ce484222325;
    std::uint64_t lines_ = 0;
    std::uint64_t first_ = 1;
    std::uint64_t last_ = 0;
};

}  // namespace foliot::sim
