// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/agenda.hpp"
#include "sim/engine/plan.hpp"
#include "sim/engine/trace.hpp"
#include "sim/engine/wire.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace foliot::sim {

/// How clients reach the server. `told` is called when an answer reaches the client, or with
/// nothing when the connection broke; it may never be called.
class network {
public:
    using told = std::function<void(const std::vector<answer_seen>*)>;
    virtual ~network() = default;
    /// Returns a number to give up by.
    virtual std::uint64_t send(http_text text, std::vector<intent> meant, bool batch,
                               told then) = 0;
    virtual void give_up(std::uint64_t request) = 0;
    [[nodiscard]] virtual ns wall() const = 0;
};

/// Those who set, move, cancel, look and page; and consumers, quick and slow, who ack, nack,
/// extend, come late, come with old tokens, or die.
class clients {
public:
    clients(const plan& p, agenda& a, random_source r, network& n);

    /// Everybody at work; consumers from here on until stop().
    void start();
    /// No new requests; deliveries that are out are still settled.
    void stop() { working_ = false; }
    [[nodiscard]] unsigned requests() const { return requests_; }
    void begin_round() { requests_ = 0; }

private:
    void next_request();
    void one_request();
    [[nodiscard]] timer_name some_name();
    [[nodiscard]] std::string some_queue();
    [[nodiscard]] set_intent make_set();
    [[nodiscard]] cancel_intent make_cancel();
    void burst();
    void batch();
    void list();
    void follow(const list_intent& l, const std::vector<answer_seen>* all, unsigned pages);
    void request(intent what);
    void send(http_text text, std::vector<intent> meant, bool batch, unsigned tries);
    [[nodiscard]] condition some_condition(const timer_name& n);

    void poll(unsigned consumer);
    void work(const held_delivery& d);
    void settle(verb how, const held_delivery& d);
    void remember(const std::vector<intent>& meant, const std::vector<answer_seen>& all);

    const plan& plan_;
    agenda& agenda_;
    random_source random_;
    network& network_;
    bool working_ = false;
    unsigned requests_ = 0;
    std::uint64_t payloads_ = 0;
    std::map<timer_name, generation> generations_;  ///< last heard of
    std::vector<held_delivery> old_;
};

}  // namespace foliot::sim
