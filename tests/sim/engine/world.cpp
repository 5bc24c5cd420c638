// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "sim/engine/world.hpp"

#include "sim/engine/bounded_memory.hpp"
#include "sim/engine/fenced_writers.hpp"
#include "sim/engine/final_end.hpp"
#include "sim/engine/never_early.hpp"
#include "sim/engine/nothing_lost.hpp"
#include "sim/engine/one_lease.hpp"
#include "sim/engine/same_due.hpp"
#include "sim/engine/true_gauges.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace foliot::sim {

using namespace std::chrono_literals;

namespace {

/// The engine's own view of its options: one canary gives it others than the checkers know.
engine::options for_engine(const plan& p, std::uint64_t boot) {
    engine::options o = p.options;
    o.boot = boot;
    if (p.planted == canary::wide_window) o.window_max_timers *= 4;
    return o;
}

}  // namespace

world::world(const plan& p)
    : plan_(p),
      random_(p.seed ^ 0x5eed),
      store_(plan_, agenda_, trace_, random_.fork(),
             {[this](store::epoch e) {
                  ledger_.shard_acquired();
                  for (auto& c : checkers_) c->on_acquired(e);
              },
              [this](const engine::commit_request& c) {
                  for (auto& k : checkers_) {
                      k->on_commit(c.epoch);
                      for (const auto& op : c.batch.operations) {
                          std::visit(
                              [&](const auto& o) {
                                  if constexpr (requires { o.row; }) k->on_row(o.row);
                              },
                              op);
                      }
                  }
              }}),
      clients_(plan_, agenda_, random_.fork(), *this) {
    const auto add = [&]<class Checker>(std::type_identity<Checker>) {
        checkers_.push_back(std::make_unique<Checker>(ledger_, plan_, breaches_));
    };
    add(std::type_identity<nothing_lost>{});
    add(std::type_identity<never_early>{});
    add(std::type_identity<one_lease>{});
    add(std::type_identity<final_end>{});
    add(std::type_identity<fenced_writers>{});
    add(std::type_identity<same_due>{});
    add(std::type_identity<bounded_memory>{});
    add(std::type_identity<true_gauges>{});
}

void world::say(std::string_view who, const std::string& what) {
    trace_.line(agenda_.now(), who, what);
}

std::optional<breach> world::run() try {
    say("plan", plan_.describe());
    start_process();
    for (unsigned i = 0; i < plan_.rounds && breaches_.empty(); ++i) {
        trouble_round();
        if (breaches_.empty()) calm_down();
        if (breaches_.empty()) look_at_everything();
    }
    if (breaches_.empty()) drain();
    if (breaches_.empty()) return std::nullopt;
    say("breach", breaches_.front().promise + ": " + breaches_.front().what);
    return breaches_.front();
} catch (const std::exception& e) {
    say("breach", e.what());
    return breach{"no_nonsense", e.what()};
}

// --- the process --------------------------------------------------------------------------------

void world::start_process() {
    ++process_;
    clock_started_ = false;
    acquired_.reset();
    stopping_since_.reset();
    say("server", "starts");
    server_.emplace(
        for_engine(plan_, machine_.boot()),
        [this](exchange&& e, const protocol::http_response& r) { respond(std::move(e), r); });
    plan_step();
}

void world::end_process(bool kept_leases) {
    store_.process_ends();
    for (const auto& [number, e] : server_->open()) {
        for (std::size_t i = 0; i < e.meant.size(); ++i) {
            ledger_.unanswered(e.events[i], e.meant[i], agenda_.now());
        }
        break_connection(request_of_.at(number));
    }
    ledger_.process_ended(kept_leases);
    server_.reset();
}

void world::plan_step() {
    if (step_planned_ || !server_) return;
    step_planned_ = true;
    agenda_.after(random_.up_to(50us), [this] {
        step_planned_ = false;
        if (server_) step();
    });
}

void world::step() {
    const ns t = agenda_.now();
    engine::instant now{machine_.steady(t), machine_.wall(t)};
    if (plan_.planted == canary::fast_clock) now.steady += t / 50;
    ledger_.readings.note(now.wall);
    follow_service_clock();
    auto out = server_->step(now);
    for (auto& r : out.requests) {
        const auto process = process_;
        store_.submit(std::move(r), [this, process](engine::io_done d) {
            if (process != process_ || !server_) return;
            if (auto* a = std::get_if<store::store_result<store::acquired>>(&d.what); a && *a) {
                acquired_ = (*a)->meta;
            }
            server_->store_answers(std::move(d));
            plan_step();
        });
    }
    const auto stats = server_->stats();
    for (auto& c : checkers_) c->on_step(stats);
    if (out.wake_at) plan_wake(*out.wake_at);
    if (out.stopped && stopping_since_) {
        const bool kept = stats.ready && store_.failures() == failures_before_stop_;
        say("server", kept ? "has stopped" : "has stopped, the store failed meanwhile");
        end_process(kept);
        agenda_.after(random_.up_to(3s), [this] {
            if (!server_) start_process();
        });
    }
}

/// In the step that begins with an acquired shard the engine takes up the clock of delays.
void world::follow_service_clock() {
    if (!acquired_ || clock_started_) return;
    clock_started_ = true;
    const ns t = agenda_.now();
    const auto meta = *std::exchange(acquired_, {});
    if (meta.boot == machine_.boot()) return;  // it goes on where it was, to the nanosecond
    const ns before = machine_.service(t);
    machine_.service_is(t, machine_.wall(t) - ns{meta.clock_offset_ns});
    say("clock", "the clock of delays moves by " +
                     std::to_string((machine_.service(t) - before) / 1us) + " us");
}

void world::plan_wake(ns steady) {
    const ns t = agenda_.now();
    const ns delay = std::max(ns{0}, steady - machine_.steady(t));
    agenda_.after(plan_.planted == canary::fast_clock ? std::min(delay, ns{250ms}) : delay,
                  [this, mine = ++wake_number_] {
                      if (mine == wake_number_) plan_step();
                  });
}

// --- the network --------------------------------------------------------------------------------

std::uint64_t world::send(http_text text, std::vector<intent> meant, bool batch, told then) {
    const auto request = ++last_request_;
    sent_[request].then = std::move(then);
    unsigned copies = 1;
    if (trouble_ && random_.one_in(plan_.net.lost_request)) copies = 0;
    if (trouble_ && random_.one_in(plan_.net.twice)) copies = 2;
    if (copies == 0) say("network", "loses request " + std::to_string(request));
    for (; copies > 0; --copies) {
        ++in_transit_;
        agenda_.after(random_.up_to(plan_.net.delay),
                      [this, request, e = exchange{0, text, meant, batch, {}}] {
                          --in_transit_;
                          arrive(e, request);
                      });
    }
    return request;
}

void world::give_up(std::uint64_t request) {
    const auto at = sent_.find(request);
    if (at == sent_.end()) return;
    if (server_) {
        for (const auto number : at->second.exchanges) server_->leaves(number);
        plan_step();
    }
    at->second.then = nullptr;
}

void world::arrive(exchange e, std::uint64_t request) {
    if (!server_) return break_connection(request);
    e.number = ++last_exchange_;
    say("request", std::to_string(e.number) + " " + e.text.method + " " + e.text.target +
                       (e.text.if_match ? " If-Match: " + *e.text.if_match : "") +
                       (e.text.if_none_match ? " If-None-Match: *" : "") + " " + e.text.body);
    for (const auto& m : e.meant) e.events.push_back(ledger_.arrives(m, agenda_.now()));
    request_of_[e.number] = request;
    sent_[request].exchanges.insert(e.number);
    if (lies(e)) return;
    server_->arrives(std::move(e));
    plan_step();
}

/// A canary: the answer to a cancel is made up.
bool world::lies(exchange& e) {
    if (plan_.planted != canary::unheard_cancel || e.text.method != "DELETE") return false;
    if (!random_.one_in(4)) return false;
    const auto& name = std::get<cancel_intent>(e.meant.front()).name;
    const auto r =
        protocol::render({protocol::route::cancel, name.second, {}, 0},
                         engine::timer_cancelled{name.second, engine::cancel_outcome::cancelled});
    respond(std::move(e), r);
    return true;
}

/// A canary: a set of deliveries is given a second time, to another consumer of the queue.
const protocol::http_response& world::maybe_second(const exchange& e,
                                                   const protocol::http_response& r) {
    const auto* l = std::get_if<lease_intent>(&e.meant.front());
    if (plan_.planted != canary::second_lease || !l || r.status != 200) return r;
    const bool empty = r.body.find("token") == std::string::npos;
    if (!empty) {
        kept_answer_ = {*l, r};
        return r;
    }
    const bool fits = kept_answer_ && kept_answer_->first.queue == l->queue &&
                      kept_answer_->first.space == l->space;
    return fits ? kept_answer_->second : r;
}

void world::respond(exchange&& e, const protocol::http_response& response) {
    const auto& r = maybe_second(e, response);
    say("answer", std::to_string(e.number) + " " + std::to_string(r.status) + " " + r.body);
    auto all = read(e.meant, e.batch, r);
    for (std::size_t i = 0; i < e.meant.size(); ++i) judge(e, i, all[i]);
    const auto request = request_of_.at(e.number);
    if (trouble_ && random_.one_in(plan_.net.lost_reply)) {
        say("network", "loses answer " + std::to_string(e.number));
        return;
    }
    tell(request, std::move(all), random_.up_to(plan_.net.delay));
}

void world::judge(const exchange& e, std::size_t i, answer_seen& said) {
    const ns t = agenda_.now();
    const auto& meant = e.meant[i];
    judge_manners(meant, said);
    const answered a{e.events[i], meant, said, machine_.service(t)};
    for (auto& c : checkers_) c->on_answer(a);
    if (const auto* given = std::get_if<lease_answer>(&said)) {
        const auto& l = std::get<lease_intent>(meant);
        if (given->given.size() > l.max) breaches_.push_back({"no_nonsense", "more than max"});
        for (const auto& d : given->given) {
            ++deliveries_;
            const auto made_by = ledger_.made(d.what.name, d.what.gen, d.payload);
            const delivered one{l, d, made_by, machine_.service(t), machine_.wall(t)};
            for (auto& c : checkers_) c->on_delivery(one);
        }
    }
    ledger_.learns(e.events[i], meant, said, t);
}

/// A request that is right is refused for no other reason than those that its intent allows.
void world::judge_manners(const intent& meant, const answer_seen& said) {
    if (const auto* n = std::get_if<nonsense>(&said)) {
        breaches_.push_back({"no_nonsense", n->what});
    }
    const auto* f = std::get_if<refusal>(&said);
    if (!f || f->status == 503) return;
    const bool wrong = std::holds_alternative<wrong_intent>(meant);
    const auto* set = std::get_if<set_intent>(&meant);
    const auto* cancel = std::get_if<cancel_intent>(&meant);
    const bool asked =
        (set && (set->require.absent || set->require.is)) || (cancel && cancel->require.is);
    const bool fits = (wrong && f->status == 400) || (asked && f->status == 412) ||
                      (std::holds_alternative<get_intent>(meant) && f->status == 404);
    if (!fits) breaches_.push_back({"no_nonsense", "refused with " + f->code});
}

void world::tell(std::uint64_t request, std::vector<answer_seen> all, ns delay) {
    ++in_transit_;
    agenda_.after(delay, [this, request, all = std::move(all)] {
        --in_transit_;
        auto& then = sent_[request].then;
        if (then) std::exchange(then, nullptr)(&all);
    });
}

void world::break_connection(std::uint64_t request) {
    agenda_.after(random_.up_to(plan_.net.delay), [this, request] {
        auto& then = sent_[request].then;
        if (then) std::exchange(then, nullptr)(nullptr);
    });
}

}  // namespace foliot::sim
