// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crash/foliotd/crash_clients.hpp"
#include "crash/foliotd/foliotd_fixture.hpp"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace foliot::crash_test {

/// A foliotd that dies again and again under clients which keep a ledger of what they were told.
class ledger_fixture : public foliotd_fixture {
protected:
    /// Three writers and three consumers. foliotd runs.
    void begin(std::uint64_t seed);

    /// Lets the clients finish and everything that is due be delivered, then judges the ledger and
    /// compares it with what foliotd lists. foliotd runs, or the test has failed.
    void finish();

    /// Quick retries, no dead letters; sometimes a window so small or so short that most timers go
    /// through the disk.
    std::vector<std::string> random_flags();

    [[nodiscard]] std::int64_t pick(std::initializer_list<std::int64_t> values) {
        return *(values.begin() + between(0, static_cast<std::int64_t>(values.size()) - 1));
    }
    [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    }

    [[nodiscard]] arena& clients() { return *arena_; }

    std::mt19937_64 random;

private:
    std::size_t drain(std::chrono::milliseconds patience);
    void expect_listed(const std::vector<crash_ledger::live_timer>& live);

    std::unique_ptr<arena> arena_;
    std::vector<std::jthread> writers_;
    std::vector<std::jthread> consumers_;
};

}  // namespace foliot::crash_test
