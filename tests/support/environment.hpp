// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace foliot {

/// FOLIOT_SEED, or the one given; printed, so that a failure can be run again.
inline std::uint64_t seed_or(std::uint64_t otherwise) {
    const char* const text = std::getenv("FOLIOT_SEED");
    const std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
    std::printf("FOLIOT_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

/// The number in the environment variable, or the one given.
inline std::uint64_t count_or(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// For how long to stress: FOLIOT_STRESS_SECONDS, or as long as given.
inline std::chrono::milliseconds stress_time_or(std::chrono::milliseconds otherwise) {
    const char* const text = std::getenv("FOLIOT_STRESS_SECONDS");
    return text != nullptr ? std::chrono::seconds(std::strtoul(text, nullptr, 10)) : otherwise;
}

}  // namespace foliot
