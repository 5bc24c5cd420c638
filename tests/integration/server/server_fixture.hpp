// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integration/server/raw_client.hpp"
#include "server/server.hpp"
#include "store/memory_store.hpp"
#include "support/store/fault_store.hpp"
#include "support/store/forwarding_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace foliot::test {

using namespace std::chrono_literals;

/// A server in this process, on a memory store that outlives it and that can be made to fail.
class server_fixture : public testing::Test {
protected:
    server_fixture() {
        config_.listen = "127.0.0.1:0";
        config_.engine.store_retry_interval = 50ms;
    }
    ~server_fixture() override {
        faults_.clear();
        server_.reset();
    }

    void start() {
        server_ = std::make_unique<server::server>(
            config_, std::make_unique<forwarding_store>(faults_), log_);
        const auto started = server_->start();
        ASSERT_TRUE(started) << started.error();
        ASSERT_TRUE(server_->wait_ready(30s));
    }
    void restart() {
        server_.reset();
        start();
    }

    [[nodiscard]] std::uint16_t port() const { return server_->port(); }

    raw_response ask(std::string_view method, std::string_view target, std::string_view body = {},
                     std::string_view headers = {}) {
        return ask_once(port(), method, target, body, headers);
    }
    raw_response set(const std::string& id, const std::string& delay = "1h") {
        return ask("PUT", "/v1/default/timers/" + id, "{\"delay\":\"" + delay + "\"}");
    }
    raw_response lease(std::size_t max = 1, const std::string& wait = "20s") {
        return ask("POST", "/v1/default/queues/default:lease",
                   "{\"max\":" + std::to_string(max) + ",\"wait\":\"" + wait + "\"}");
    }
    [[nodiscard]] double metric(std::string_view name) {
        return test::metric(ask("GET", "/metrics").body, name);
    }
    /// Polls until `holds`, up to half a minute.
    template <class Condition>
    [[nodiscard]] static bool eventually(Condition holds) {
        const auto until = std::chrono::steady_clock::now() + 30s;
        while (!holds()) {
            if (std::chrono::steady_clock::now() > until) return false;
            std::this_thread::sleep_for(10ms);
        }
        return true;
    }
    void expect_serving() { EXPECT_EQ(ask("GET", "/healthz").status, 200); }

    server::config config_;
    server::logger log_{server::log_format::text, server::log_level::error};
    std::unique_ptr<store::due_store> memory_ = store::make_memory_store();
    fault_store faults_{*memory_};
    std::unique_ptr<server::server> server_;
};

}  // namespace foliot::test
