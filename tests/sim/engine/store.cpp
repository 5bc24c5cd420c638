// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "sim/engine/store.hpp"

#include "store/store_errors.hpp"

#include <algorithm>
#include <utility>

namespace foliot::sim {

using namespace std::chrono_literals;
using namespace foliot::engine;
using store::store_error;

namespace {

constexpr store::shard_id shard{0};
constexpr ns sync_every = 2s;  ///< of the operating system, under os_cache

bool writes(const store_request& r) {
    return std::holds_alternative<commit_request>(r) || std::holds_alternative<acquire_request>(r);
}

store_reply failed(const store_request& r, store_error e) {
    if (std::holds_alternative<acquire_request>(r)) {
        return store::store_result<store::acquired>{std::move(e)};
    }
    if (std::holds_alternative<commit_request>(r)) return store::store_result<done>{std::move(e)};
    if (std::holds_alternative<find_request>(r)) {
        return store::store_result<std::vector<std::optional<store::found>>>{std::move(e)};
    }
    return store::store_result<store::page>{std::move(e)};
}

const char* name_of(const store_request& r) {
    constexpr const char* names[]{"acquire",  "commit",    "load near",
                                  "load far", "load dead", "find"};
    return names[r.index()];
}

/// "+near t1 -far t2": what a commit does.
std::string list_of(const store::batch& b) {
    constexpr const char* names[]{"+near ", "+far ", "+dead ", "-near ", "-far ", "-dead "};
    std::string s;
    for (const auto& op : b.operations) {
        s += names[op.index()];
        std::visit(
            [&](const auto& o) {
                if constexpr (requires { o.row; }) {
                    s += o.row.id + " " + std::to_string(o.row.seq.value);
                    if (o.row.failures > 0) s += " failed " + std::to_string(o.row.failures);
                    if (o.row.lease_until.count > 0) s += " leased";
                } else {
                    s += std::to_string(o.seq.value);
                }
            },
            op);
        s += ", ";
    }
    return s.empty() ? "clocks only" : s;
}

std::optional<store::epoch> epoch_of(const store_request& r) {
    return std::visit(
        [](const auto& what) -> std::optional<store::epoch> {
            if constexpr (requires { what.epoch; }) {
                return what.epoch;
            } else {
                return std::nullopt;
            }
        },
        r);
}

}  // namespace

sim_store::sim_store(const plan& p, agenda& a, trace& t, random_source r, listener l)
    : plan_(p), agenda_(a), trace_(t), random_(r), listener_(std::move(l)) {}

ns sim_store::draw_delay() {
    const auto& s = plan_.store;
    if (faults_ && random_.one_in(s.stall)) return random_.up_to(10s);
    return random_.up_to(faults_ ? s.delay : ns{1ms});
}

sim_store::fate sim_store::draw_fate() {
    if (!faults_) return fate::good;
    if (random_.one_in(plan_.store.error_before)) return fate::before;
    return random_.one_in(plan_.store.error_after) ? fate::after : fate::good;
}

void sim_store::submit(io request, std::function<void(io_done)> done) {
    ++open_;
    job j{std::move(request), std::move(done), process_, machine_};
    if (writes(j.request.what)) {
        writes_.push_back(std::move(j));
        if (!writing_) next_write();
        return;
    }
    agenda_.after(draw_delay(), [this, j = std::move(j)] {
        if (j.process != process_) return;
        auto reply = carry_out(j.request.what, draw_fate());
        agenda_.after(draw_delay(), [this, j, reply = std::move(reply)] { answer(j, reply); });
    });
}

void sim_store::next_write() {
    if (writes_.empty()) return;
    writing_ = true;
    job j = std::move(writes_.front());
    writes_.pop_front();
    begin_write(std::move(j));
}

void sim_store::begin_write(job j) {
    agenda_.after(draw_delay(), [this, j = std::move(j)]() mutable {
        if (j.process != process_) return write_late(std::move(j));
        auto reply = carry_out(j.request.what, draw_fate());
        agenda_.after(draw_delay(), [this, j = std::move(j), reply = std::move(reply)] {
            if (j.process != process_) return;
            writing_ = false;
            answer(j, reply);
            if (!writing_) next_write();
        });
    });
}

/// The process that asked is gone. Its write may be made yet, even after others own the shard.
void sim_store::write_late(job j) {
    if (random_.coin()) return;
    agenda_.after(plan_.store.late_writers ? random_.up_to(5s) : ns{0}, [this, j = std::move(j)] {
        if (j.machine == machine_) (void)carry_out(j.request.what, fate::good);
    });
}

void sim_store::answer(const job& j, store_reply what) {
    if (j.process != process_) return;
    --open_;
    j.done({j.request.id, std::move(what)});
}

void sim_store::process_ends() {
    trace_.line(agenda_.now(), "store", "the process is gone");
    ++process_;
    open_ = 0;
    writing_ = false;
    auto left = std::exchange(writes_, {});
    if (!plan_.store.late_writers) return;
    for (auto& j : left) write_late(std::move(j));
}

std::optional<ns> sim_store::machine_ends() {
    broken_ = false;
    ++machine_;
    if (!plan_.store.os_cache || unsynced_.empty()) return std::nullopt;
    const auto kept = random_.below(unsynced_.size() + 1);
    std::optional<ns> since;
    if (kept < unsynced_.size()) since = unsynced_[kept].first;
    const auto epochs = disk_.last_epoch;
    disk_ = synced_;
    disk_.last_epoch = epochs;
    for (std::size_t i = 0; i < kept; ++i) disk_.apply(unsynced_[i].second);
    synced_ = disk_;
    trace_.line(agenda_.now(), "store",
                "the machine lost " + std::to_string(unsynced_.size() - kept) + " commits");
    unsynced_.clear();
    return since;
}

store_reply sim_store::carry_out(const store_request& r, fate f) {
    const std::string what = name_of(r);
    const auto say = [&](const std::string& how) {
        trace_.line(agenda_.now(), "store", what + ": " + how);
    };
    const bool acquires = std::holds_alternative<acquire_request>(r);
    if (broken_ && !acquires) {
        say("broken");
        ++failures_;
        return failed(r, {store::store_code::unavailable, "broken until acquired"});
    }
    if (f == fate::before) {
        say("fails");
        ++failures_;
        if (std::holds_alternative<commit_request>(r)) broken_ = random_.one_in(plan_.store.broken);
        return failed(
            r, {random_.coin() ? store::store_code::unavailable : store::store_code::no_space,
                "simulated"});
    }
    store_reply reply = failed(r, {});
    const auto owner = store::epoch{disk_.last_epoch};
    const bool fence = plan_.planted != canary::open_fence;
    if (acquires) {
        broken_ = false;
        ++disk_.last_epoch;
        synced_ = disk_;
        unsynced_.clear();
        ++starting_;
        listener_.acquired(store::epoch{disk_.last_epoch});
        reply = store::store_result<store::acquired>{
            store::acquired{store::epoch{disk_.last_epoch}, disk_.meta}};
        say("epoch " + std::to_string(disk_.last_epoch));
    } else if (fence && epoch_of(r) != owner) {
        say("fenced");
        reply = failed(r, store::fenced_off(shard, *epoch_of(r)));
    } else if (const auto* c = std::get_if<commit_request>(&r)) {
        say(list_of(c->batch));
        listener_.committed(*c);
        reply = commit(*c);
    } else if (const auto* n = std::get_if<load_near_request>(&r)) {
        auto page = disk_.near(n->after, n->limit);
        if (plan_.planted == canary::moved_due && starting_ > 1) {
            for (auto& row : page.rows) {
                row.due.at.count += 1000;
                row.next.at.count += 1000;
            }
        }
        say(std::to_string(page.rows.size()) + " rows");
        reply = store::store_result<store::page>{std::move(page)};
    } else if (const auto* l = std::get_if<load_far_request>(&r)) {
        auto page = disk_.far(l->clock, l->after, l->to, l->limit);
        say(std::to_string(page.rows.size()) + " rows");
        reply = store::store_result<store::page>{std::move(page)};
    } else if (const auto* d = std::get_if<load_dead_request>(&r)) {
        reply = store::store_result<store::page>{disk_.dead(d->after, d->limit)};
        say("");
    } else {
        std::vector<std::optional<store::found>> found;
        for (const auto& key : std::get<find_request>(r).keys) found.push_back(disk_.find(key));
        say(std::to_string(found.size()) + " ids");
        reply = store::store_result<std::vector<std::optional<store::found>>>{std::move(found)};
    }
    if (f == fate::after) {
        say("but says that it failed");
        ++failures_;
        return failed(r, {store::store_code::unavailable, "simulated, after it was done"});
    }
    return reply;
}

store_reply sim_store::commit(const commit_request& c) {
    store::batch b = c.batch;
    if (plan_.planted == canary::lost_write && !b.operations.empty() && random_.one_in(10)) {
        b.operations.erase(b.operations.begin());
    }
    if (plan_.planted == canary::miscounted && random_.one_in(10)) {
        b.meta.pending = disk_.meta.pending;
    }
    disk_.apply(b);
    if (plan_.store.os_cache) {
        if (unsynced_.empty() || agenda_.now() - unsynced_.front().first < sync_every) {
            unsynced_.emplace_back(agenda_.now(), std::move(b));
        } else {
            synced_ = disk_;
            unsynced_.clear();
        }
    }
    return store::store_result<done>{done{}};
}

}  // namespace foliot::sim
