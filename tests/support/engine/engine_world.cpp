// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/engine/engine_world.hpp"

#include <utility>

namespace foliot::test {

using namespace foliot::engine;

namespace {
constexpr store::shard_id shard{0};
}

engine_world::engine_world(store::due_store& store, options o) : store_(store), options_(o) {
    if (options_.boot == 0) options_.boot = 1;
    restart();
}

void engine_world::restart() {
    engine_.emplace(options_);
    inbox_.clear();
    held.clear();
    answers_.clear();
    settle();
}

void engine_world::reboot() {
    ++options_.boot;
    steady_ = ns{0};
    restart();
}

void engine_world::step() {
    std::vector<input> inputs = std::exchange(inbox_, {});
    outputs out = engine_->step(now(), inputs);
    for (auto& a : out.answers) {
        if (!answers_.emplace(a.to, std::move(a.what)).second) {
            throw std::runtime_error("a request was answered twice");
        }
    }
    for (auto& r : out.requests) held.push_back(std::move(r));
    wake_at_ = out.wake_at;
    stopped = stopped || out.stopped;
}

store_reply engine_world::call_store(store_request& r) {
    if (std::get_if<acquire_request>(&r)) return store_.acquire(shard);
    if (auto* c = std::get_if<commit_request>(&r)) return store_.commit(shard, c->epoch, c->batch);
    if (auto* l = std::get_if<load_near_request>(&r)) {
        return store_.load_near(shard, l->epoch, l->after, l->limit);
    }
    if (auto* l = std::get_if<load_far_request>(&r)) {
        return store_.load_far(shard, l->epoch, l->clock, l->after, l->to, l->limit);
    }
    if (auto* l = std::get_if<load_dead_request>(&r)) {
        return store_.load_dead(shard, l->epoch, l->after, l->limit);
    }
    auto& f = std::get<find_request>(r);
    return store_.find(shard, f.epoch, f.keys);
}

io_done engine_world::execute(held_io which) {
    io r = std::move(*which);
    held.erase(which);
    return {r.id, call_store(r.what)};
}

void engine_world::settle() {
    for (int rounds = 0; rounds < 100'000; ++rounds) {
        if (!hold_io) {
            while (!held.empty()) run_io();
        }
        const bool at_once = wake_at_ && *wake_at_ <= steady_;
        if (rounds > 0 && inbox_.empty() && !at_once) return;
        step();
    }
    throw std::runtime_error("the engine does not come to rest");
}

void engine_world::pass(ns d) {
    steady_ += d;
    wall_ += d;
    settle();
}

void engine_world::pass_in_steps(ns d) {
    const ns end = steady_ + d;
    settle();
    while (wake_at_ && *wake_at_ < end) {
        const ns to = std::max(*wake_at_, steady_ + ns{1});
        pass(to - steady_);
    }
    pass(end - steady_);
}

void engine_world::give(input i) { inbox_.push_back(std::move(i)); }

std::optional<reply> engine_world::try_take(request_id id) {
    auto node = answers_.extract(id);
    if (node.empty()) return std::nullopt;
    return std::move(node.mapped());
}

request_id engine_world::send(command c) {
    inbox_.emplace_back(request{++last_request_, std::move(c)});
    return last_request_;
}

timer_set engine_world::set(std::string id, after delay, std::string payload) {
    return ask<timer_set>(set_timer{"n", std::move(id), "q", delay, std::move(payload), {}, {}});
}

timer_set engine_world::set_at(std::string id, tick wall_ms) {
    return ask<timer_set>(set_timer{"n", std::move(id), "q", at{wall_ms}, "null", {}, {}});
}

cancel_outcome engine_world::cancel(std::string id) {
    return ask<timer_cancelled>(cancel_timer{"n", std::move(id), {}}).outcome;
}

std::vector<delivery> engine_world::lease(std::size_t max, ms lease) {
    return ask<deliveries>(lease_timers{"n", "q", max, ms{0}, lease}).items;
}

settle_outcome engine_world::settle_token(settlement how, const delivery& d,
                                          std::optional<ns> delay, ms lease) {
    return ask<settled>(foliot::engine::settle{"n", "q", how, {d.token}, delay, lease})
        .outcomes.at(0);
}

std::optional<timer_view> engine_world::get(std::string id) {
    const auto request = send(get_timer{"n", std::move(id)});
    settle();
    reply r = std::move(answers_.extract(request).mapped());
    if (std::holds_alternative<failure>(r)) return std::nullopt;
    return std::get<timer_view>(std::move(r));
}

std::vector<std::string> engine_world::list_ids(std::size_t page, std::string prefix) {
    std::vector<std::string> ids;
    list_timers query{"n", std::move(prefix), tick{0}, tick::max(), page, {}};
    for (;;) {
        auto p = ask<timer_page>(query);
        for (auto& t : p.timers) ids.push_back(std::move(t.id));
        if (!p.next) return ids;
        query.cursor = p.next;
    }
}

}  // namespace foliot::test
