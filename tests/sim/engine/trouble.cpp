// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// What goes wrong in a world, the calm after it, and the end.
#include "sim/engine/world.hpp"

#include <algorithm>
#include <array>

namespace foliot::sim {

using namespace std::chrono_literals;

namespace {

constexpr ns rest_time = 180s;        ///< in which all must come to rest after the trouble
constexpr ns stop_timeout = 15s;      ///< of a graceful stop
constexpr ns withheld_after = 150s;   ///< longer than all leases and back-offs together
constexpr ns notices_within = 250ms;  ///< the server's loop looks at the clocks at least so often

}  // namespace

void world::trouble_round() {
    trouble_ = true;
    store_.faults(true);
    clients_.begin_round();
    clients_.start();
    next_trouble();
    while (clients_.requests() < plan_.requests && breaches_.empty()) agenda_.run_one();
    trouble_ = false;
    store_.faults(false);
    clients_.stop();
}

void world::next_trouble() {
    agenda_.after(random_.up_to(plan_.trouble_every * 2), [this] {
        if (!trouble_) return;
        one_trouble();
        next_trouble();
    });
}

void world::one_trouble() {
    const auto& p = plan_.trouble;
    const std::array weights{p.crash, p.reboot, p.stop, p.step, p.suspend, p.drift};
    unsigned all = 0;
    for (const auto w : weights) all += w;
    auto at = random_.below(all);
    std::size_t which = 0;
    while (which < weights.size() && at >= weights[which]) at -= weights[which++];
    const ns t = agenda_.now();
    switch (which) {
        case 0: return crash(false);
        case 1: return crash(true);
        case 2: return stop();
        case 3: {
            const ns by = random_.up_to(random_.coin() ? ns{2h} : ns{60ms}) -
                          (random_.coin() ? ns{1h} : ns{30ms});
            say("clock", "the wall clock is stepped by " + std::to_string(by / 1us) + " us");
            machine_.step_wall(t, by);
            break;
        }
        case 4: {
            const ns length = random_.up_to(random_.coin() ? ns{1h} : ns{5s});
            say("clock", "suspended for " + std::to_string(length / 1us) + " us");
            machine_.suspend(t, length);
            break;
        }
        case 5: {
            const auto ppm = static_cast<std::int64_t>(random_.below(1001)) - 500;
            say("clock", "the wall clock drifts by " + std::to_string(ppm) + " ppm");
            machine_.drift(t, ppm);
            break;
        }
        default: return;
    }
    agenda_.after(random_.up_to(notices_within), [this] { plan_step(); });
}

void world::crash(bool of_machine) {
    if (server_) {
        say("server", of_machine ? "the machine goes down" : "is killed");
        end_process(false);
    }
    if (of_machine) {
        if (const auto since = store_.machine_ends()) ledger_.rolled_back(*since);
        machine_.reboot(agenda_.now(), random_.up_to(100s));
        if (random_.one_in(4)) {
            machine_.step_wall(agenda_.now(), random_.up_to(20s) - ns{10s});
        }
        ledger_.process_ended(false);
    }
    agenda_.after(random_.up_to(random_.coin() ? ns{10ms} : ns{5s}), [this] {
        if (!server_) start_process();
    });
}

void world::stop() {
    if (!server_ || stopping_since_) return;
    say("server", "is told to stop");
    stopping_since_ = agenda_.now();
    failures_before_stop_ = store_.failures();
    server_->stops();
    plan_step();
    agenda_.after(stop_timeout, [this, process = process_] {
        if (server_ && process == process_) crash(false);
    });
}

// --- calm ---------------------------------------------------------------------------------------

bool world::quiet() const {
    if (!server_ || stopping_since_ || !clock_started_ || step_planned_ || in_transit_ > 0) {
        return false;
    }
    const auto& open = server_->open();
    return server_->inbox_empty() && store_.idle() &&
           std::all_of(open.begin(), open.end(),
                       [](const auto& e) {
                           return std::holds_alternative<lease_intent>(e.second.meant.front());
                       }) &&
           server_->stats().ready;
}

std::string world::why_not_quiet() const {
    if (!server_) return {};
    const auto s = server_->stats();
    return ", " + std::to_string(server_->open().size()) + " requests open, " +
           std::to_string(server_->waiting()) + " of them wait for deliveries, store " +
           (store_.idle() ? "idle" : "busy") + (s.ready ? ", ready, " : ", not ready, ") +
           std::to_string(s.uncommitted) + " uncommitted, " + std::to_string(in_transit_) +
           " in transit";
}

/// Until nothing is under way, not even after the engine has looked at the clocks once more.
void world::calm_down() {
    const ns until = agenda_.now() + rest_time;
    const ns at_least = agenda_.now() + 2s;
    agenda_.after(2s, [] {});
    while (breaches_.empty()) {
        if (agenda_.now() > until) {
            breaches_.push_back({"no_nonsense", "the server does not come to rest: " +
                                                    std::string(server_ ? "up" : "down") +
                                                    why_not_quiet()});
            return;
        }
        if (quiet() && agenda_.now() >= at_least) {
            step();
            if (quiet()) return;
        }
        if (agenda_.empty()) agenda_.after(100ms, [] {});
        agenda_.run_one();
    }
}

void world::look_at_everything() {
    const ns t = agenda_.now();
    const auto rows = store_.now().scan();
    const auto stats = server_->stats();
    say("look", std::to_string(rows.size()) + " rows, " + std::to_string(stats.in_memory) +
                    " in memory, " + std::to_string(stats.in_flight) + " leased");
    if (const auto damage = store_.now().damage(); !damage.empty()) {
        breaches_.push_back({"no_nonsense", damage});
    }
    const quiet_moment q{rows,
                         store_.now().meta,
                         stats,
                         machine_.steady(t),
                         machine_.wall(t),
                         machine_.service(t),
                         machine_.boot(),
                         server_->waiting()};
    for (auto& c : checkers_) c->on_quiet(q);
    ledger_.settles(rows, t);
}

// --- the end ------------------------------------------------------------------------------------

void world::run_until(ns t) {
    agenda_.after(std::max(ns{0}, t - agenda_.now()), [] {});
    while (agenda_.now() < t && breaches_.empty()) agenda_.run_one();
}

/// One consumer that takes all there is. How many it got.
std::size_t world::take_all() {
    std::size_t taken = 0;
    for (const char* ns_name : {"a", "b"}) {
        for (const char* queue : {"default", "q1", "q2"}) {
            const lease_intent l{ns_name, queue, 100, ms{60'000}, ms{0}};
            bool more = true;
            while (more && breaches_.empty()) {
                more = false;
                bool done = false;
                send(write(l, random_), {l}, false, [&](const auto* all) {
                    done = true;
                    const auto* got = all ? std::get_if<lease_answer>(&all->front()) : nullptr;
                    if (!got || got->given.empty()) return;
                    more = true;
                    settle_intent s{ns_name, queue, verb::ack, {}, {}, {}};
                    for (const auto& d : got->given) s.what.push_back(d.what);
                    taken += s.what.size();
                    done = false;
                    send(write(s, random_), {s}, false, [&](const auto*) { done = true; });
                });
                while (!done && breaches_.empty()) agenda_.run_one();
            }
        }
    }
    return taken;
}

/// Zero if something is due already; what stays due for too long is a breach.
ns world::until_next_due(const std::vector<scanned_row>& rows) {
    const ns t = agenda_.now();
    ns least = ns::max();
    std::map<generation, ns> due;
    const auto all_leased = std::count_if(rows.begin(), rows.end(), [&](const scanned_row& r) {
        return ms{static_cast<std::int64_t>(r.row.lease_until.count)} > machine_.service(t);
    });
    const bool none_may_be_leased =
        static_cast<std::size_t>(all_leased) >= plan_.options.max_in_flight;
    for (const auto& r : rows) {
        if (r.where == scanned_row::place::dead) continue;
        const ns clock =
            r.row.next.clock == store::clock_kind::wall ? machine_.wall(t) : machine_.service(t);
        // A lease that was written holds, also if a reboot made its clock go back.
        const ns leased = ms{static_cast<std::int64_t>(r.row.lease_until.count)};
        const ns at = std::max(ms{static_cast<std::int64_t>(r.row.next.at.count)} + ns{0},
                               leased - machine_.service(t) + clock);
        least = std::min(least, std::max(ns{0}, at - clock));
        if (at > clock) continue;
        const auto since = due_since_.find(r.row.seq.value);
        due[r.row.seq.value] = since == due_since_.end() ? t : since->second;
        if (t - due[r.row.seq.value] < withheld_after || none_may_be_leased) continue;
        for (auto& c : checkers_) c->on_withheld(r.row);
    }
    due_since_ = std::move(due);
    return least;
}

/// All faults are over and consumers take what they can: all that is there comes, at its time.
void world::drain() {
    say("end", "consumers take all there is");
    while (breaches_.empty()) {
        const auto taken = take_all();
        const auto rows = store_.now().scan();
        const ns wait = until_next_due(rows);
        if (wait == ns::max()) break;
        if (taken == 0) run_until(agenda_.now() + std::max(ns{200ms}, wait));
    }
    if (breaches_.empty()) calm_down();
    if (breaches_.empty()) look_at_everything();
}

}  // namespace foliot::sim
