// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/types.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foliot::client {

struct options {
    /// Where foliotd listens: http://host:port. TLS is not spoken; put a proxy or a tunnel in front.
    std::string url = "http://127.0.0.1:7300";

    /// Bearer token; empty sends none.
    std::string token = {};

    /// The namespace of every call on this client.
    std::string ns = "default";

    /// To establish a connection.
    std::chrono::milliseconds connect_timeout{2000};

    /// From the first byte sent to the last received. A lease adds its own `wait`.
    std::chrono::milliseconds request_timeout{10000};

    /// Longest reply that is taken into memory; above it: bad_reply.
    std::size_t max_reply_bytes = std::size_t{64} << 20;
};

/// A synchronous client of foliotd: one keep-alive connection, opened by the first call.
///
/// Pick it for tools, tests and workers with a thread of their own; a program with an event loop
/// wants HTTP in that loop instead.
///
/// Time:    each call waits for its reply, at most connect_timeout + request_timeout.
/// Threads: one caller at a time; use a client a thread.
/// Memory:  a reply at a time, at most max_reply_bytes.
/// Errors:  `client_result`; nothing throws but std::bad_alloc. After a lost connection the next
///          call connects again. Only reads (get, list, limits, metrics, ready) are repeated, once,
///          when a kept connection proves dead: to repeat a change could hide what the first did.
/// Order:   calls reach the server in the order made.
class client {
public:
    explicit client(options o = {});
    ~client();
    client(client&&) noexcept;
    client& operator=(client&&) noexcept;

    /// Durable before it returns a value.
    client_result<timer_set> set(const set_request& request);

    client_result<cancel_outcome> cancel(const cancel_request& request);

    /// refused/not_found if no timer has this id.
    client_result<timer_view> get(std::string_view id);

    client_result<timer_page> list(const list_request& request);

    /// Sends all requests as one NDJSON stream; calls `on_result(index, result)` for each, in order,
    /// as its line arrives. An error says that no further line will come: what was not reported is
    /// then `outcome_unknown()` as the error says.
    using batch_sink = std::function<void(std::size_t, batch_result)>;
    client_result<done> batch(std::span<const batch_request> requests, const batch_sink& on_result);

    /// May be empty, after `wait`.
    client_result<std::vector<delivery>> lease(const lease_request& request);

    /// One settlement a token, in their order.
    using tokens = std::span<const std::string>;
    client_result<std::vector<settlement>> ack(std::string_view queue, tokens t);
    /// Each id is set again in the commit of its ack.
    client_result<std::vector<settlement>> ack(std::string_view queue, tokens t,
                                               const next_timer& next);
    /// Without a delay the server's backoff decides when the next attempt comes.
    client_result<std::vector<settlement>> nack(
        std::string_view queue, tokens t, std::optional<std::chrono::milliseconds> delay = {});
    client_result<std::vector<settlement>> extend(std::string_view queue, tokens t,
                                                  std::chrono::milliseconds lease);

    /// The limits as a JSON object.
    client_result<std::string> limits();

    /// Prometheus text.
    client_result<std::string> metrics();

    /// Has the server copy its data into a new directory of its machine. Waits up to an hour.
    client_result<done> backup(std::string_view to);

    client_result<readiness> ready();

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace foliot::client
