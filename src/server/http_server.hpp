// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "protocol/http.hpp"
#include "server/auth.hpp"
#include "server/backups.hpp"
#include "server/config.hpp"
#include "server/engine_loop.hpp"
#include "server/log.hpp"
#include "server/metrics.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace foliot::server {

/// What the HTTP side needs from the rest of the server; all of it outlives the HTTP side.
struct http_environment {
    engine_loop& loop;
    const token_list& tokens;
    const http_options& options;
    const protocol::limits& limits;
    std::chrono::milliseconds store_timeout;  ///< the engine answers a change within it
    http_counters& counters;
    logger& log;
    backups& copies;
    std::function<protocol::http_response(protocol::operational)> page;  ///< on any net thread
};

/// HTTP/1.1 on one listening socket: keep-alive, pipelining (answered in order), and a limit on
/// everything a client can make the server hold or wait for.
///
/// Threads: `http_options::net_threads` of its own; all functions are called from one other.
/// Memory:  per connection a read buffer of limits.header_bytes + 64 KiB at most, one body (summed
///          up under limits.body_memory) and one response.
/// Errors:  a wrong request is answered with a 4xx and JSON; where the rest of the stream cannot
///          be understood after it, the connection is closed. Slow clients are closed.
class http_server {
public:
    explicit http_server(const http_environment& environment);
    ~http_server();

    /// Bind and listen; the error is a sentence.
    result<std::uint16_t, std::string> listen(const listen_address& address);
    /// Begin to accept.
    void start();

    /// Close the listener and idle connections; others end after their current response.
    void begin_stop();
    /// Whether all connections ended within `timeout`.
    bool wait_idle(std::chrono::nanoseconds timeout);
    /// Close what is left and end the threads. The engine loop must be joined before.
    void shutdown();

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace foliot::server
