// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/engine/checker.hpp"

namespace foliot::sim {

/// 8. Every gauge equals a full scan of the store, or what the ledger counts.
class true_gauges final : public checker {
public:
    true_gauges(const ledger& l, const plan& p, std::vector<breach>& b)
        : checker("true_gauges", l, p, b) {}

    void on_quiet(const quiet_moment& q) override {
        std::uint64_t near = 0, far = 0, dead = 0;
        for (const auto& r : q.rows) {
            near += r.where == scanned_row::place::near;
            far += r.where == scanned_row::place::far;
            dead += r.where == scanned_row::place::dead;
        }
        same("pending", q.stats.pending, near + far);
        same("pending, as stored,", q.meta.pending, near + far);
        same("dead", q.stats.dead, dead);
        same("dead, as stored,", q.meta.dead, dead);
        same("uncommitted", q.stats.uncommitted, 0);
        if (q.stats.in_memory < near || q.stats.in_memory > near + far) {
            broken("in_memory says " + std::to_string(q.stats.in_memory) + ", near rows are " +
                   std::to_string(near) + ", far rows " + std::to_string(far));
        }
        std::uint64_t in_flight = 0, waiting = 0;
        for (const auto& queue : q.stats.queues) {
            in_flight += queue.in_flight;
            waiting += queue.waiting_consumers;
        }
        same("in_flight of all queues", in_flight, q.stats.in_flight);
        same("waiting_consumers", waiting, q.waiting_consumers);
        auto [least, most] = leases(q.service);
        for (const auto& r : q.rows) most += ms{r.row.lease_until.count} > q.service;
        // An ack's or extend's token from before a crash may make a lease anew that nobody counts.
        const bool all_known = plan_.trouble.crash == 0 && plan_.trouble.reboot == 0;
        if (q.stats.in_flight < least || (all_known && q.stats.in_flight > most)) {
            broken("in_flight says " + std::to_string(q.stats.in_flight) + ", leases are " +
                   std::to_string(least) + " to " + std::to_string(most));
        }
    }

private:
    void same(const char* gauge, std::uint64_t says, std::uint64_t is) {
        if (says == is) return;
        broken(std::string(gauge) + " says " + std::to_string(says) + ", counted are " +
               std::to_string(is));
    }

    /// How many leases live: at least, at most.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> leases(ns now) const {
        std::uint64_t least = 0, most = 0;
        for (const ns end : ledger_.unknown_leases()) most += end >= now;
        for (const auto& [n, h] : ledger_.all()) {
            for (const auto& x : h.timers) {
                if (x.dead_by != 0) continue;
                if (!x.lease) continue;
                most += x.lease->high >= now;
                least += ledger_.certain(h, x) && x.lease->process == ledger_.process() &&
                         x.lease->settled_by == 0 && x.lease->low > now;
            }
        }
        return {least, most};
    }
};

}  // namespace foliot::sim
