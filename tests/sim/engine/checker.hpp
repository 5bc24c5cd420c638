// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/stats.hpp"
#include "sim/engine/ledger.hpp"
#include "sim/engine/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace foliot::sim {

/// An answer as it leaves the server.
struct answered {
    event_number index = 0;  ///< of the arrival
    const intent& meant;
    const answer_seen& said;
    ns now{};  ///< service clock
};

/// One delivery as it leaves the server.
struct delivered {
    const lease_intent& to;
    const seen_delivery& what;
    const std::vector<const timer*>& made_by;  ///< the sets that it may come from
    ns now{};
    ns wall{};
};

/// A moment at which nothing is under way.
struct quiet_moment {
    const std::vector<scanned_row>& rows;
    const store::shard_meta& meta;
    const engine::stats& stats;
    ns steady{}, wall{}, service{};
    std::uint64_t boot = 0;
    std::size_t waiting_consumers = 0;
};

struct breach {
    std::string promise;
    std::string what;
};

/// Watches one promise. Each hook is called before the ledger learns from the event.
class checker {
public:
    checker(const char* promise, const ledger& l, const plan& p, std::vector<breach>& breaches)
        : ledger_(l), plan_(p), promise_(promise), breaches_(breaches) {}
    virtual ~checker() = default;
    checker(const checker&) = delete;
    checker& operator=(const checker&) = delete;

    virtual void on_answer(const answered&) {}
    virtual void on_delivery(const delivered&) {}
    virtual void on_row(const store::record&) {}  ///< each that a commit writes
    virtual void on_acquired(store::epoch) {}
    virtual void on_commit(store::epoch /*by*/) {}
    virtual void on_step(const engine::stats&) {}
    virtual void on_quiet(const quiet_moment&) {}
    /// All trouble is over, consumers take whatever they can get, and this row stays though due.
    virtual void on_withheld(const store::record&) {}

protected:
    void broken(std::string what) const { breaches_.push_back({promise_, std::move(what)}); }

    static std::string text(const timer_name& n) { return n.first + "/" + n.second; }
    static std::string text(std::optional<generation> g) { return g ? std::to_string(*g) : "?"; }

    const ledger& ledger_;
    const plan& plan_;

private:
    const char* promise_;
    std::vector<breach>& breaches_;
};

}  // namespace foliot::sim
