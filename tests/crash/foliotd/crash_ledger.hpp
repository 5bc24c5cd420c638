// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/types.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace foliot::crash_test {

/// A moment of this machine: the wall clock for dues, the steady one for "before" and "after".
struct moment {
    std::int64_t wall_us = 0;
    std::int64_t steady_us = 0;
};
moment now();

/// What clients of a foliotd that gets killed know for sure: what they sent, what was answered, and
/// what was delivered to them. It keeps every event; `judge` compares them at the end.
///
/// Each id has one writer, which repeats a set or cancel until it is answered before it does
/// anything else with that id; so the acknowledged changes of an id have one order. Reasoning about
/// a delivery always goes by the moment at which its lease was *asked for*: what was acknowledged
/// before that moment must show in the answer, whoever was killed in between.
///
/// Threads: all functions lock.
class crash_ledger {
public:
    using generation = std::uint64_t;

    struct set_event {
        moment sent;   ///< the request that was answered
        moment heard;  ///< its answer
        generation gen = 0;
        std::optional<generation> previous;
        std::int64_t due_ms = 0;
        std::optional<std::int64_t> delay_ms;  ///< absent: an absolute due
        bool repeated = false;                 ///< requests before it were not answered
    };
    void set(const std::string& id, const set_event& e);

    struct cancel_event {
        moment heard;
        client::cancel_outcome outcome{};
        bool repeated = false;
    };
    void cancelled(const std::string& id, const cancel_event& e);

    struct receipt {
        std::string id;
        generation gen = 0;
        std::int64_t due_ms = 0;
        moment asked;     ///< the lease was sent
        moment received;  ///< its answer was read
        std::int64_t lease_ms = 0;
        unsigned asked_life = 0;  ///< of foliotd: how often it had been started
        unsigned received_life = 0;
    };
    void delivered(const receipt& r);

    enum class verb { ack, nack, extend };
    struct settle_event {
        std::string id;
        generation gen = 0;
        verb what = verb::ack;
        moment sent;
        moment heard;
        std::string outcome;        ///< empty: no answer came
        std::int64_t delay_ms = 0;  ///< nack
    };
    /// Before an ack, nack or extend is sent.
    void settling(const std::string& id, generation gen, moment sent);
    void settled(const settle_event& e);

    struct live_timer {
        std::string id;
        generation gen = 0;
        std::int64_t due_ms = 0;
    };
    /// Timers that are set, by the ledger, and whose firing nobody acknowledged.
    [[nodiscard]] std::vector<live_timer> live() const;

    struct counts {
        std::size_t sets = 0, cancels = 0, receipts = 0, acks = 0, nacks = 0, repeated = 0;
    };
    [[nodiscard]] counts totals() const;

    /// Every breach of a promise, in words; empty if all were kept. `until_ms`: timers due before
    /// it must have been delivered.
    [[nodiscard]] std::vector<std::string> judge(std::int64_t until_ms) const;

private:
    struct history {
        std::vector<set_event> sets;
        std::vector<cancel_event> cancels;
        std::vector<receipt> receipts;
        std::vector<settle_event> settles;
        std::map<generation, moment> first_settling;  ///< when the first of a generation was sent
    };

    std::vector<std::string> judge_id(const std::string& id, const history& h,
                                      std::int64_t until_ms) const;

    mutable std::mutex mutex_;
    std::map<std::string, history> ids_;
};

}  // namespace foliot::crash_test
