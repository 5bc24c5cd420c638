// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/foliotd_fixture.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <numeric>

namespace foliot::crash_test {

using namespace std::chrono_literals;

std::uint64_t test_seed(std::uint64_t fallback) {
    const char* given = std::getenv("FOLIOT_SEED");
    const auto seed = given == nullptr ? fallback : std::strtoull(given, nullptr, 10);
    std::cout << "FOLIOT_SEED=" << seed << std::endl;
    return seed;
}

void send_all(client::client& server, const std::vector<client::batch_request>& requests,
              const std::function<void(std::size_t, const answer&)>& on_result) {
    constexpr std::size_t most = 1000;
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    std::deque<std::size_t> left(requests.size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    while (!left.empty()) {
        ASSERT_LT(std::chrono::steady_clock::now(), give_up) << left.size() << " are not taken";
        std::vector<std::size_t> indices;
        std::vector<client::batch_request> part;
        for (; !left.empty() && part.size() < most; left.pop_front()) {
            indices.push_back(left.front());
            part.push_back(requests[left.front()]);
        }
        const auto whole = server.batch(part, [&](std::size_t i, const client::batch_result& r) {
            if (!r && r.error().try_later() && !r.error().outcome_unknown()) {
                left.push_back(indices[i]);
                return;
            }
            ASSERT_TRUE(r.has_value()) << r.error().message;
            if (on_result) on_result(indices[i], r.value());
        });
        ASSERT_TRUE(whole.has_value()) << whole.error().message;
    }
}

std::vector<received> take(client::client& server, const std::string& queue, std::size_t count,
                           std::chrono::milliseconds patience) {
    std::vector<received> out;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (out.size() < count && std::chrono::steady_clock::now() < end) {
        const auto got =
            server.lease({.queue = queue, .max = 500, .wait = 100ms, .lease = 30000ms});
        const auto at = wall_us();
        if (!got) {
            ADD_FAILURE() << got.error().message;
            return out;
        }
        std::vector<std::string> tokens;
        for (const auto& d : got.value()) {
            out.push_back({d, at});
            tokens.push_back(d.token);
        }
        if (tokens.empty()) continue;
        const auto acked = server.ack(queue, tokens);
        if (!acked) {
            ADD_FAILURE() << acked.error().message;
            return out;
        }
        for (const auto& s : acked.value()) EXPECT_EQ(s.outcome, "acked");
    }
    return out;
}

}  // namespace foliot::crash_test
