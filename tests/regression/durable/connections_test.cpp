// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crash/foliotd/foliotd_fixture.hpp"
#include "support/environment.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

// Clients that do nothing, and clients that send a byte a second, beside one that works. The full
// numbers: FOLIOT_FIELD_IDLE=10000 FOLIOT_FIELD_SLOW=1000.

namespace foliot::crash_test {
namespace {

using namespace std::chrono_literals;

/// Sockets that are closed at the end.
class sockets {
public:
    sockets() = default;
    ~sockets() {
        for (const int fd : all_) ::close(fd);
    }
    sockets(const sockets&) = delete;
    sockets& operator=(const sockets&) = delete;

    void open(std::uint16_t port, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const int fd = test_support::plain_connect(port);
            ASSERT_GE(fd, 0) << "connection " << i;
            all_.push_back(fd);
        }
    }
    void send(std::string_view bytes) {
        for (const int fd : all_) ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }

private:
    std::vector<int> all_;
};

class connections : public foliotd_fixture {
protected:
    void SetUp() override {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
        ASSERT_GT(limit.rlim_cur, idle_count() + slow_count() + 100)
            << "too few file descriptors: raise ulimit -n";
        // Nobody is closed for being slow while this looks.
        start({"--limits-connections", std::to_string(idle_count() + slow_count() + 100),
               "--limits-head-timeout", "5m", "--limits-body-timeout", "5m"});
    }

    static std::uint64_t idle_count() { return count_or("FOLIOT_FIELD_IDLE", 1000); }
    static std::uint64_t slow_count() { return count_or("FOLIOT_FIELD_SLOW", 100); }

    /// Of foliotd, in KiB.
    std::uint64_t resident() const {
        std::ifstream status("/proc/" + std::to_string(foliotd.pid()) + "/status");
        std::string word;
        while (status >> word) {
            if (word == "VmRSS:") break;
        }
        std::uint64_t kib = 0;
        status >> kib;
        return kib;
    }

    /// Sets a timer, takes it and acks it; how long that took.
    std::chrono::milliseconds serve_one() {
        const auto begin = std::chrono::steady_clock::now();
        auto server = connect();
        EXPECT_TRUE(server.set({.id = "x", .due = client::when::in(0ms)}).has_value());
        EXPECT_EQ(take(server, "default", 1, 20s).size(), 1U);
        return std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - begin);
    }
};

TEST_F(connections, idle_and_slow_ones_cost_little_and_keep_nobody_out) {
    serve_one();
    const auto before = resident();
    sockets idle;
    idle.open(foliotd.port(), idle_count());
    idle.send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");  // and keep the connection
    serve_one();
    const auto with_idle = resident();
    sockets slow;
    slow.open(foliotd.port(), slow_count());
    const std::string request =
        "PUT /v1/default/timers/slow HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n{";
    std::chrono::milliseconds longest{0};
    const auto seconds = std::min<std::size_t>(count_or("FOLIOT_FIELD_SECONDS", 5), request.size());
    for (std::size_t i = 0; i < seconds; ++i) {
        slow.send(std::string_view(request).substr(i, 1));
        longest = std::max(longest, serve_one());
        std::this_thread::sleep_for(1s);
    }
    const auto with_all = resident();
    std::cout << idle_count() << " idle: " << before << " -> " << with_idle << " KiB; "
              << slow_count() << " slow: " << with_all
              << " KiB; a timer set, taken and acked within " << longest.count() << " ms"
              << std::endl;
    // docs/operating.md, Memory: 8 KiB while idle, and what a session itself needs.
    constexpr std::uint64_t allowance = 24;  // KiB a connection
    EXPECT_LE(with_idle, before + idle_count() * allowance + 20'000);
    EXPECT_LE(with_all, with_idle + slow_count() * allowance + 20'000);
}

}  // namespace
}  // namespace foliot::crash_test
