// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/disk.hpp"
#include "sim/engine/intent.hpp"
#include "sim/engine/machine.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace foliot::sim {

/// Numbers what reaches the server and what leaves it, in one order. Changes on one timer take
/// effect in the order of their arrival, which is what all reasoning here rests on.
using event_number = std::uint64_t;

/// The right to a delivery, as the answer told it. Its end is known within bounds: `low` is
/// certain not to be later than the true one, `high` not to be earlier.
struct lease_seen {
    event_number given = 0;
    std::uint32_t attempt = 0;
    ns low{}, high{};             ///< service clock
    std::uint64_t process = 0;    ///< in which it was given; a crash forgets it
    event_number settled_by = 0;  ///< an ack or nack has arrived; 0: none
};

/// One set, as it arrived; and all that is known of what became of it.
struct timer {
    enum class told : std::uint8_t { waiting, done, maybe, refused };

    set_intent meant;
    event_number index = 0;
    ns arrived{};              ///< service clock
    std::size_t readings = 0;  ///< of the wall clock before it arrived
    told set = told::waiting;
    ns told_at{};                 ///< simulation time
    event_number told_after = 0;  ///< the events before its answer
    std::optional<generation> gen;
    event_number dead_by = 0;  ///< the event that certainly ended it; 0: none
    std::string dead_why;
    ns dead_told_at{};
    event_number dead_told_after = 0;
    std::optional<lease_seen> lease;  ///< the last one
    std::uint32_t attempts = 0;       ///< the highest that was given
    bool given = false;               ///< ever
    ns not_before{};                  ///< service clock: a nack asked for it
};

/// Something under way that may end timers of an id; or that nobody knows the outcome of.
struct removal {
    event_number index = 0;
    std::optional<generation> only;
};

struct history {
    std::vector<timer> timers;
    std::vector<removal> removals;
};

/// A row's payload, as clients see it.
[[nodiscard]] std::string payload_text(const store::record& row);

/// What the server promised to whom: it listens to everything on the wire, and reasons about what
/// must, may and cannot be. The checkers ask it.
class ledger {
public:
    explicit ledger(const machine& m) : machine_(m) {}

    /// A request reaches the server.
    event_number arrives(const intent& what, ns t);
    /// Its answer leaves the server; call it after the checkers have looked. Numbers deliveries.
    void learns(event_number index, const intent& what, answer_seen& said, ns t);
    /// There will be no answer.
    void unanswered(event_number index, const intent& what, ns t);

    /// A graceful stop keeps the leases given since the last recovery of the store; of those before,
    /// rows that were not read again yet forget theirs.
    void process_ended(bool kept_leases);
    void shard_acquired() { last_restart_ = ++last_; }
    /// The last restart, or recovery of the store: an ack from before it counts, unless the timer
    /// was leased again.
    [[nodiscard]] event_number last_restart() const { return last_restart_; }
    [[nodiscard]] event_number last_rollback() const { return last_rollback_; }
    /// The last graceful stop: leases that were written then have forgotten who gave them.
    [[nodiscard]] event_number last_stop() const { return last_stop_; }
    /// The disk went back to what it was then: what was told since may not be so.
    void rolled_back(ns since);
    /// All rows there are, at a moment when nothing is under way: what may be becomes what is.
    void settles(const std::vector<scanned_row>& rows, ns t);

    wall_readings readings;

    /// It is there, whatever becomes of what is under way, when event `at` takes effect.
    [[nodiscard]] bool certain(const history& h, const timer& x, event_number at = ~0ULL) const;
    [[nodiscard]] const timer* certain_of(const timer_name& n, event_number at = ~0ULL) const;
    /// It may be there when `at` takes effect.
    [[nodiscard]] static bool possible(const timer& x, event_number at = ~0ULL);
    /// The sets that may have made this generation, dead ones too: one of that number, or of that
    /// payload without a known number.
    [[nodiscard]] std::vector<const timer*> made(const timer_name& n, generation g,
                                                 const std::string& payload) const;
    [[nodiscard]] const std::map<timer_name, history>& all() const { return histories_; }
    [[nodiscard]] ns arrived_at(event_number index) const { return arrived_.at(index); }
    /// Ends of leases of which it is not known whose they are.
    [[nodiscard]] const std::vector<ns>& unknown_leases() const { return unknown_leases_; }
    [[nodiscard]] std::uint64_t process() const { return process_; }

private:
    timer* find(const timer_name& n, event_number index);
    timer* find_generation(const timer_name& n, generation g);
    void kill_before(const timer_name& n, event_number index, const std::string& why, ns t);
    void end(timer& x, event_number by, const std::string& why, ns t);
    void forget_removal(const timer_name& n, event_number index);
    /// A generation was seen: the set that made it was done.
    timer* identify(const timer_name& n, generation g, const std::string& payload, ns t,
                    bool choose = false);

    void arrive(const set_intent& s, event_number index, ns t);
    void arrive(const cancel_intent& c, event_number index, ns t);
    void arrive(const settle_intent& s, event_number index, ns t);
    void learn(event_number i, const set_intent& s, const answer_seen& said, ns t);
    void learn(event_number i, const cancel_intent& c, const answer_seen& said, ns t);
    void learn(event_number i, const get_intent& g, const answer_seen& said, ns t);
    void learn(event_number i, const lease_intent& l, answer_seen& said, ns t);
    void learn(event_number i, const settle_intent& s, const answer_seen& said, ns t);
    void learn_one(event_number i, const settle_intent& s, const held_delivery& d,
                   const std::string& outcome, ns t);

    const machine& machine_;
    std::map<timer_name, history> histories_;
    std::map<event_number, ns> arrived_;  ///< service clock
    event_number last_ = 0;
    std::vector<ns> unknown_leases_;
    event_number last_restart_ = 0;
    event_number last_stop_ = 0;
    event_number last_rollback_ = 0;
    std::uint64_t process_ = 1;
};

}  // namespace foliot::sim
