// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "model/engine/ledger.hpp"

#include <algorithm>

namespace foliot::test {

void belief::add(state s) {
    if (std::find(possible.begin(), possible.end(), s) == possible.end()) possible.push_back(s);
}

bool belief::certainly_present() const {
    return std::all_of(possible.begin(), possible.end(), [](const state& s) { return s.present; });
}

bool belief::certainly_absent() const {
    return std::none_of(possible.begin(), possible.end(), [](const state& s) { return s.present; });
}

const belief::state* belief::match(store::sequence generation) const {
    const auto fits = [&](const state& s) {
        return s.present && (!s.generation || *s.generation == generation);
    };
    const auto exact = std::find_if(possible.begin(), possible.end(),
                                    [&](const state& s) { return fits(s) && s.generation; });
    if (exact != possible.end()) return &*exact;
    const auto any = std::find_if(possible.begin(), possible.end(), fits);
    return any == possible.end() ? nullptr : &*any;
}

tick ledger::latest_wall(const belief::state& s) const {
    const auto set_at = wall_.begin() + static_cast<std::ptrdiff_t>(s.since);
    return set_at == wall_.end() ? tick{} : *std::max_element(set_at, wall_.end());
}

std::string ledger::delivered(const engine::delivery& d, tick service_now, tick lease_end,
                              bool undecided) {
    const std::string& id = d.token.id;
    belief& b = of(id);
    if (!b.match(d.token.generation))
        return id + " was delivered though it is gone or was replaced";
    // Of the states that may be, those that explain this delivery are left.
    std::vector<belief::state> explain;
    std::string early;
    for (belief::state s : b.possible) {
        if (!s.present || (s.generation && *s.generation != d.token.generation)) continue;
        const tick now = s.due.clock == store::clock_kind::wall ? latest_wall(s) : service_now;
        if (now < s.due.at) {
            early = id + " (attempt " + std::to_string(d.token.attempt) +
                    ") was delivered early by " + std::to_string(s.due.at.count - now.count) +
                    " ms";
            continue;
        }
        s.generation = d.token.generation;
        explain.push_back(s);
    }
    if (explain.empty()) return early;
    if (d.lateness.count() < 0) return id + " has a negative lateness";
    if (const auto l = leases_.find(id); l != leases_.end() && l->second.end > service_now &&
                                         l->second.generation == d.token.generation) {
        return id + " was delivered while a lease of it lives";
    }
    if (!undecided) b.possible = explain;
    leases_[id] = {d.token.generation, d.token.attempt, lease_end};
    return {};
}

bool ledger::lease_lives(const engine::delivery& d, tick service_now) const {
    const auto l = leases_.find(d.token.id);
    return l != leases_.end() && l->second.generation == d.token.generation &&
           l->second.attempt == d.token.attempt && l->second.end > service_now;
}

std::vector<std::string> ledger::ids_possibly_present() const {
    std::vector<std::string> ids;
    for (const auto& [id, b] : beliefs_) {
        if (!b.certainly_absent()) ids.push_back(id);
    }
    return ids;
}

}  // namespace foliot::test
