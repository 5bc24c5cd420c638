// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.hpp"
#include "protocol/http.hpp"
#include "sim/engine/wire.hpp"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace foliot::sim {

/// A request at the server: its bytes, and what its client meant by them.
struct exchange {
    std::uint64_t number = 0;
    http_text text;
    std::vector<intent> meant;
    bool batch = false;
    std::vector<std::uint64_t> events;  ///< the ledger's number of each intent
};

/// foliotd without sockets and threads: parses, gives to the engine, renders.
class server {
public:
    using responder = std::function<void(exchange&&, const protocol::http_response&)>;

    server(const engine::options& o, responder r) : engine_(o), respond_(std::move(r)) {}

    /// A request that is wrong is answered at once, others by a step.
    void arrives(exchange e);
    /// The connection of this request is gone.
    void leaves(std::uint64_t number);
    void store_answers(engine::io_done d);
    void stops();

    /// Returns what the engine wants of the store, and when it wants to step again.
    engine::outputs step(engine::instant now);

    [[nodiscard]] engine::stats stats() const { return engine_.snapshot(); }
    [[nodiscard]] bool inbox_empty() const { return inbox_.empty(); }
    /// Requests without an answer, and how many of them wait for deliveries.
    [[nodiscard]] const std::map<std::uint64_t, exchange>& open() const { return open_; }
    [[nodiscard]] std::size_t waiting() const;

private:
    struct part {
        std::uint64_t exchange = 0;
        std::size_t line = 0;
        protocol::call_context how;
    };

    void answer(engine::answer& a);
    void finish(std::uint64_t number, const protocol::http_response& r);

    engine::engine engine_;
    responder respond_;
    protocol::limits limits_;
    std::vector<engine::input> inbox_;
    engine::request_id last_request_ = 0;
    std::map<engine::request_id, part> parts_;
    std::map<std::uint64_t, exchange> open_;
    struct lines {
        std::vector<std::string> done;
        std::size_t missing = 0;
    };
    std::map<std::uint64_t, lines> batches_;
};

}  // namespace foliot::sim
