// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/http_server.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace foliot::server {

/// A connection that can be told that the server stops.
class stoppable {
public:
    virtual ~stoppable() = default;
    virtual void begin_stop() = 0;  ///< any thread
};

/// All connections of a server.
class session_registry {
public:
    void add(stoppable& s);
    void remove(stoppable& s);
    void begin_stop();
    bool wait_empty(std::chrono::nanoseconds timeout);
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

private:
    mutable std::mutex mutex_;
    std::condition_variable emptied_;
    std::unordered_set<stoppable*> all_;  // guarded by mutex_
    std::atomic<bool> stopping_{false};
};

/// Serve one connection until it ends. The socket's executor is a strand of its own.
void start_session(boost::asio::ip::tcp::socket socket, const http_environment& environment,
                   session_registry& registry);

/// Answer 503 to a connection that is too many, and close it.
void start_refusal(boost::asio::ip::tcp::socket socket, const http_environment& environment,
                   session_registry& registry);

}  // namespace foliot::server
