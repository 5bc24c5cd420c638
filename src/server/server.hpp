// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "server/backups.hpp"
#include "server/config.hpp"
#include "store/due_store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace foliot::server {

enum class stop_outcome : std::uint8_t {
    clean,      ///< everything accepted is written
    timed_out,  ///< stop_timeout was over; nothing acknowledged is lost, leases may be given twice
};

/// A whole Foliot server in one object: engine loop, store workers, HTTP.
///
/// Threads: start, stop and the destructor from one thread; the others from any.
/// Memory:  bounded by the limits of `config`.
/// Errors:  `start` explains in a sentence; after it, errors are answers, metrics and log lines.
class server {
public:
    /// `take_backup` copies that store; without one there are no backups.
    server(const config& c, std::unique_ptr<store::due_store> store, logger& log,
           backups::taker take_backup = {});
    ~server();

    /// Check the settings, bind, begin to serve. Timers are taken from the store meanwhile: until
    /// that is done, requests are answered 503 and /readyz is red.
    result<done, std::string> start();

    /// Whether /readyz turned green within `timeout`.
    bool wait_ready(std::chrono::milliseconds timeout);

    /// Stop accepting, finish what was accepted, write leases, give up the shard. Bounded by
    /// stop_timeout; when that is over, the destructor still waits for a store call that hangs.
    stop_outcome stop();

    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] std::string url() const;
    [[nodiscard]] std::uint64_t pending() const;

    /// Run on the engine's thread before its next step. Tests hang the loop with it.
    void post_task(std::function<void()> task);

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

/// Whether the address and the token file can be used together: an address that other machines can
/// reach needs a token.
result<done, std::string> check_listening(const config& c);

}  // namespace foliot::server
