// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/client.hpp"
#include "support/process/foliotd_process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <variant>
#include <vector>

namespace foliot::crash_test {

/// A real foliotd on a fresh data directory, and clients of it. FOLIOTD_BINARY is its path.
class foliotd_fixture : public ::testing::Test {
protected:
    foliotd_fixture()
        : foliotd({.binary = FOLIOTD_BINARY,
                   .data = folder.path() / "data",
                   .log = folder.path() / "foliotd.log"}) {}

    void TearDown() override {
        if (HasFailure()) {
            const auto log = foliotd.log_text();
            std::cerr << "the end of foliotd's log:\n"
                      << log.substr(log.size() > 6000 ? log.size() - 6000 : 0);
        }
    }

    void start(std::vector<std::string> flags = {}) {
        foliotd.set_flags(std::move(flags));
        ASSERT_EQ(foliotd.start(), "");
    }

    void kill_and_start(std::vector<std::string> flags = {}) {
        foliotd.kill_nine();
        start(std::move(flags));
    }

    /// The next start ends by SIGKILL at a point of src/server/crash_point.hpp: "name" or "name:nth".
    void die_at_point(const std::string& point) {
        foliotd.set_environment({"FOLIOT_CRASH_AT=" + point});
    }
    static constexpr int killed = 128 + 9;  ///< the exit status of that

    [[nodiscard]] client::client connect() const { return client::client({.url = foliotd.url()}); }

    test_support::temp_dir folder;
    test_support::foliotd_process foliotd;
};

inline std::int64_t wall_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

inline std::int64_t wall_us() {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// A seed from FOLIOT_SEED or else `fallback`; printed, so that a failure can be run again.
std::uint64_t test_seed(std::uint64_t fallback);

/// Sends everything in batches of 1000, what is told to try later again, and expects each request to
/// succeed in the end. Calls `on_result` once for each, in no certain order.
using answer = std::variant<client::timer_set, client::cancel_outcome>;
void send_all(client::client& server, const std::vector<client::batch_request>& requests,
              const std::function<void(std::size_t, const answer&)>& on_result = nullptr);

struct received {
    client::delivery what;
    std::int64_t at_us = 0;  ///< wall clock
};

/// Leases and acks until `count` deliveries came or `patience` is over.
std::vector<received> take(client::client& server, const std::string& queue, std::size_t count,
                           std::chrono::milliseconds patience);

}  // namespace foliot::crash_test
