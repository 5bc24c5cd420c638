// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace foliot::sim {

using ns = std::chrono::nanoseconds;
using ms = std::chrono::milliseconds;

/// Numbers from a seed, the same with every compiler and library: SplitMix64 (Steele, Lea, Flood
/// 2014). Not std::uniform_int_distribution, whose results are up to the library.
class random_source {
public:
    explicit random_source(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t x = state_ += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }

    /// 0 .. n-1; 0 for n = 0.
    std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : next() % n; }

    /// low .. high.
    std::uint64_t between(std::uint64_t low, std::uint64_t high) {
        return low + below(high - low + 1);
    }

    /// True once in n times; never for n = 0.
    bool one_in(std::uint64_t n) { return n != 0 && below(n) == 0; }
    bool coin() { return below(2) == 0; }

    ns up_to(ns longest) {
        return ns{
            static_cast<std::int64_t>(below(static_cast<std::uint64_t>(longest.count()) + 1))};
    }

    /// A stream of its own, so that what one part draws does not move what another draws.
    random_source fork() { return random_source{next()}; }

private:
    std::uint64_t state_;
};

}  // namespace foliot::sim
