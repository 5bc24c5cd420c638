// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/asio/asio_timer.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace foliot::test {

namespace asio = boost::asio;
using boost::system::error_code;
using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// The judge, and what is judged.
using timer_types = testing::Types<asio::steady_timer, asio_timer>;

struct timer_names {
    template <class T>
    static std::string GetName(int) {  // NOLINT(readability-identifier-naming): gtest's
        return std::is_same_v<T, asio_timer> ? "foliot" : "boost";
    }
};

/// What the handlers of waits were told, in the order in which they were called: "a", or "a!" if
/// the wait called a was aborted.
class record {
public:
    auto handler(std::string name) {
        return [this, name = std::move(name)](const error_code& ec) {
            const bool aborted = ec == asio::error::operation_aborted;
            EXPECT_TRUE(!ec || aborted) << ec.message();
            said_.push_back(name + (aborted ? "!" : ""));
        };
    }
    [[nodiscard]] std::string said() {
        std::string all;
        for (const std::string& s : std::exchange(said_, {})) all += (all.empty() ? "" : " ") + s;
        return all;
    }

private:
    std::vector<std::string> said_;
};

inline constexpr auto never = 1h;

}  // namespace foliot::test
