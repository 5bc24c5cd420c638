// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/types.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace foliot::demo {

/// A moment on this machine: the wall clock to measure lateness by, the steady one for "before".
struct moment {
    std::int64_t wall_us = 0;
    std::int64_t steady_us = 0;
};
moment now();

/// What the demo knows by itself, outside of foliotd: what it asked for, what was acknowledged, and
/// what came. At the end the two are compared.
///
/// Threads: all functions lock.
class ledger {
public:
    struct plan {
        std::int64_t set_at_us = 0;  ///< from the start
        std::int64_t delay_ms = 0;
        std::optional<std::int64_t> cancel_after_us;  ///< from its acknowledged set
    };

    /// `timers` plans spread over `setting_us`, delays in [min, max], a share of them cancelled.
    struct shape {
        std::size_t timers = 0;
        std::int64_t setting_us = 0;
        std::int64_t min_delay_ms = 0;
        std::int64_t max_delay_ms = 0;
        double cancelled_share = 0.9;
    };
    ledger(const shape& s, std::uint64_t seed);

    [[nodiscard]] const plan& plan_of(std::size_t timer) const { return plans_[timer]; }
    [[nodiscard]] std::size_t size() const { return plans_.size(); }

    void set_acknowledged(std::size_t timer, const client::timer_set& reply, moment sent);
    void cancel_answered(std::size_t timer, client::cancel_outcome outcome, moment heard,
                         unsigned incarnation);
    void cancel_unknown(std::size_t timer);

    /// `incarnation`: how often foliotd had been started when the lease was asked for.
    void delivered(const client::delivery& d, moment received, unsigned incarnation);

    void outage(moment killed, moment ready);

    struct progress {
        std::size_t set = 0;
        std::size_t cancelled = 0;
        std::size_t fired = 0;      ///< timers delivered at least once
        std::size_t still_due = 0;  ///< acknowledged, not cancelled, not yet delivered
        std::int64_t last_due_ms = 0;
    };
    [[nodiscard]] progress seen() const;

    struct spread {
        std::size_t count = 0;
        double p50_ms = 0, p99_ms = 0, max_ms = 0;
    };
    struct verdict {
        std::size_t set = 0, cancelled = 0, fired = 0;
        std::size_t untold = 0;  ///< neither came nor was told `cancelled`, and rightly so
        std::size_t early = 0, lost = 0, after_cancel = 0, duplicates = 0;
        spread lateness;         ///< of firings that the outage did not touch
        spread outage_lateness;  ///< of those due by its end and received after its begin
        double outage_ms = 0;
        std::vector<std::string> complaints;  ///< a few of the wrong ones, in words
        [[nodiscard]] bool good() const { return early + lost + after_cancel == 0; }
    };
    [[nodiscard]] verdict judge() const;

private:
    struct receipt {
        std::string generation;
        moment received;
        unsigned incarnation = 0;
    };
    struct entry {
        bool set = false;
        std::string generation;
        std::int64_t due_ms = 0;
        moment sent;
        std::optional<client::cancel_outcome> cancel;
        bool cancel_unknown = false;  ///< a cancel was sent whose answer never came
        moment cancel_heard;
        unsigned cancel_incarnation = 0;
        std::vector<receipt> receipts;
    };

    [[nodiscard]] bool must_fire(const entry& e) const;
    [[nodiscard]] bool fired(const entry& e) const;
    void judge_entry(std::size_t timer, verdict& v, std::vector<double>& usual,
                     std::vector<double>& touched) const;

    std::vector<plan> plans_;
    mutable std::mutex mutex_;
    std::vector<entry> entries_;
    moment killed_, ready_;
};

/// The id of a timer and back; nothing if it is not one of ours.
std::string id_of(std::size_t timer);
std::optional<std::size_t> timer_of(const std::string& id);

}  // namespace foliot::demo
