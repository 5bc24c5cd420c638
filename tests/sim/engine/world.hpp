// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/checker.hpp"
#include "sim/engine/clients.hpp"
#include "sim/engine/server.hpp"
#include "sim/engine/store.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace foliot::sim {

/// One run: the server, its store, its machine and its clients, from a seed. The same seed gives
/// the same run, to the byte.
class world final : public network {
public:
    explicit world(const plan& p);

    /// Lines first..last of the trace go to standard output.
    void print_trace(std::uint64_t first, std::uint64_t last) { trace_.print(first, last); }

    /// Ends at the first breach of a promise. Nothing if all were kept.
    std::optional<breach> run();

    [[nodiscard]] std::uint64_t trace_hash() const { return trace_.hash(); }
    [[nodiscard]] std::uint64_t trace_lines() const { return trace_.lines(); }
    [[nodiscard]] std::uint64_t deliveries() const { return deliveries_; }

    // network
    std::uint64_t send(http_text text, std::vector<intent> meant, bool batch, told then) override;
    void give_up(std::uint64_t request) override;
    [[nodiscard]] ns wall() const override { return machine_.wall(agenda_.now()); }

private:
    struct sent {
        told then;
        std::set<std::uint64_t> exchanges;
    };

    // world.cpp: the process, its steps, its network
    void start_process();
    void end_process(bool kept_leases);
    void plan_step();
    void step();
    void follow_service_clock();
    void plan_wake(ns steady);
    void arrive(exchange e, std::uint64_t request);
    void respond(exchange&& e, const protocol::http_response& r);
    void judge(const exchange& e, std::size_t i, answer_seen& said);
    void judge_manners(const intent& meant, const answer_seen& said);
    void tell(std::uint64_t request, std::vector<answer_seen> all, ns delay);
    void break_connection(std::uint64_t request);
    void say(std::string_view who, const std::string& what);
    [[nodiscard]] bool lies(exchange& e);
    [[nodiscard]] const protocol::http_response& maybe_second(const exchange& e,
                                                              const protocol::http_response& r);

    // trouble.cpp: what goes wrong, and the calm after it
    void next_trouble();
    void one_trouble();
    void crash(bool of_machine);
    void stop();
    void trouble_round();
    void calm_down();
    [[nodiscard]] bool quiet() const;
    [[nodiscard]] std::string why_not_quiet() const;
    void look_at_everything();
    void drain();
    std::size_t take_all();
    void run_until(ns t);
    [[nodiscard]] ns until_next_due(const std::vector<scanned_row>& rows);

    const plan plan_;
    random_source random_;
    trace trace_;
    agenda agenda_;
    machine machine_;
    ledger ledger_{machine_};
    std::vector<breach> breaches_;
    std::vector<std::unique_ptr<checker>> checkers_;
    sim_store store_;
    std::optional<server> server_;
    clients clients_;

    std::uint64_t process_ = 0;
    bool trouble_ = false;
    bool step_planned_ = false;
    std::uint64_t wake_number_ = 0;
    std::optional<store::shard_meta> acquired_;  ///< its answer is in the inbox
    bool clock_started_ = false;
    std::optional<ns> stopping_since_;
    std::uint64_t failures_before_stop_ = 0;

    std::uint64_t last_request_ = 0;
    std::uint64_t last_exchange_ = 0;
    std::size_t in_transit_ = 0;
    std::map<std::uint64_t, sent> sent_;
    std::map<std::uint64_t, std::uint64_t> request_of_;  ///< by exchange
    std::uint64_t deliveries_ = 0;
    std::optional<std::pair<lease_intent, protocol::http_response>> kept_answer_;  ///< a canary's
    std::map<generation, ns> due_since_;  ///< rows that are due and still there, when draining
};

}  // namespace foliot::sim
