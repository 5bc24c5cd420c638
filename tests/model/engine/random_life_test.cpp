// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// Random lives of an engine, from a seed: commands, consumers that ack, nack, extend or die, a
// store that fails, hangs, or commits and then says that it did not, loads that come back late and
// out of order, clock steps, crashes; a window of a few timers. A ledger beside it says what is
// wrong. FOLIOT_SEED replays one seed.
#include "model/engine/ledger.hpp"
#include "store/memory_store.hpp"
#include "support/engine/engine_world.hpp"
#include "support/store/fault_store.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

namespace foliot::test {
namespace {

using namespace foliot::engine;
using namespace std::chrono_literals;
using ns = std::chrono::nanoseconds;

options small_window(std::mt19937_64& random) {
    options o;
    o.window_max_timers = 8 + random() % 40;
    o.window_horizon = std::chrono::seconds{20 + random() % 100};
    o.load_rows = 1 + random() % 16;
    o.step_firings = 1 + random() % 32;
    o.commit_operations = 1 + random() % 32;
    o.retry_min_backoff = 500ms;
    o.retry_max_backoff = 5s;
    o.retry_max_attempts = 1000;
    o.max_in_flight = 5 + random() % 50;
    return o;
}

/// One run. `sabotage` makes the world break a promise on purpose, to prove that it is noticed.
class life {
public:
    enum class sabotage : std::uint8_t { none, deliver_after_cancel, lose_a_commit };

    explicit life(std::uint64_t seed, sabotage s = sabotage::none)
        : random_(seed), sabotage_(s), w_(store_, small_window(random_)) {
        w_.hold_io = true;
        service_base_ = w_.now().wall - w_.now().steady;
    }

    /// Empty, or the first thing that went wrong.
    std::string run(int steps) try {
        for (int i = 0; i < steps && wrong_.empty(); ++i) {
            one_event();
            collect();
        }
        if (wrong_.empty()) drain();
        return wrong_;
    } catch (const std::exception& e) {
        return e.what();
    }

private:
    struct open_command {
        request_id request = 0;
        std::string id;
        std::vector<belief::state> before;
        std::optional<belief::state> after;  ///< if it is carried out; none: absent after it
    };
    struct open_settle {
        request_id request = 0;
        delivery d;
        settlement how{};
        bool lived = false;
        std::vector<belief::state> before;
    };

    std::uint64_t dice(std::uint64_t n) { return random_() % n; }
    tick service_now() const { return to_tick(w_.now().steady + service_base_); }
    static tick to_tick(ns t) { return {static_cast<std::uint64_t>(t / 1ms)}; }
    std::string some_id() { return "t" + std::to_string(dice(60)); }
    bool busy(const std::string& id) const { return busy_.contains(id); }

    void one_event() {
        const auto d = dice(100);
        if (d < 30) {
            set();
        } else if (d < 42) {
            cancel();
        } else if (d < 55) {
            poll();
        } else if (d < 70) {
            settle_some();
        } else if (d < 90) {
            pass();
        } else if (d < 93) {
            faults();
        } else if (d < 95) {
            w_.step_wall(std::chrono::seconds{static_cast<std::int64_t>(dice(7200)) - 3600});
        } else if (d < 96) {
            crash();
        } else if (d < 98) {
            check_view();
        } else {
            // A consumer goes away; what it was given meanwhile comes back when the lease is over.
            if (!polls_.empty()) w_.give(abandon{*polls_.begin()});
        }
        run_io();
        w_.settle();
    }

    /// Commits and acquires in order, reads at any time; results come back late.
    void run_io() {
        for (int i = 0; i < 4 && !w_.held.empty(); ++i) {
            if (dice(3) == 0) break;
            auto which = w_.held.begin() + static_cast<std::ptrdiff_t>(dice(w_.held.size()));
            const auto writes = [](const io& r) {
                return std::holds_alternative<commit_request>(r.what) ||
                       std::holds_alternative<acquire_request>(r.what);
            };
            if (writes(*which)) which = std::find_if(w_.held.begin(), w_.held.end(), writes);
            if (sabotage_ == sabotage::lose_a_commit && dice(20) == 0) {
                if (auto* c = std::get_if<commit_request>(&which->what)) c->batch.operations = {};
            }
            late_.push_back(w_.execute(which));
        }
        while (!late_.empty() && dice(3) != 0) {
            const auto i = static_cast<std::ptrdiff_t>(dice(late_.size()));
            w_.give(std::move(late_[static_cast<std::size_t>(i)]));
            late_.erase(late_.begin() + i);
        }
    }

    void set() {
        const std::string id = some_id();
        if (busy(id)) return;
        belief::state s;
        s.present = true;
        s.since = ledger_.readings();
        set_timer c{"n", id, "q", after{0ns}, id, {}, {}};
        const ns delay = dice(4) == 0 ? ns{1h} * static_cast<std::int64_t>(dice(3))
                                      : ns{1ms} * static_cast<std::int64_t>(dice(200'000));
        if (dice(2) == 0) {
            c.when = after{delay};
            s.due = {store::clock_kind::service,
                     to_tick(w_.now().steady + service_base_ + delay + 999'999ns)};
        } else {
            s.due = {store::clock_kind::wall, to_tick(w_.now().wall + delay)};
            c.when = at{s.due.at};
        }
        if (dice(3) == 0) c.retain = std::chrono::milliseconds{dice(200'000)};  // longest_retain
        command(std::move(c), id, s);
    }

    void cancel() {
        const std::string id = some_id();
        if (!busy(id)) command(cancel_timer{"n", id, {}}, id, std::nullopt);
    }

    void command(foliot::engine::command c, const std::string& id,
                 std::optional<belief::state> after) {
        belief& b = ledger_.of(id);
        open_command o{w_.send(std::move(c)), id, b.possible, after};
        b.add(after ? *after : belief::state{});
        busy_.insert(id);
        commands_.push_back(std::move(o));
    }

    void poll() {
        if (polls_.size() > 5) return;
        const std::chrono::milliseconds wait{dice(3) == 0 ? 0 : dice(10'000)};
        polls_.insert(w_.send(lease_timers{"n", "q", 1 + dice(8), wait, lease_}));
    }

    void settle_some() {
        if (deliveries_.empty()) return;
        const auto i = static_cast<std::ptrdiff_t>(dice(deliveries_.size()));
        const delivery d = deliveries_[static_cast<std::size_t>(i)];
        if (busy(d.token.id)) return;
        const auto kind = dice(10);
        if (kind == 9) {  // the consumer dies
            deliveries_.erase(deliveries_.begin() + i);
            return;
        }
        const auto how = kind < 6   ? settlement::ack
                         : kind < 8 ? settlement::nack
                                    : settlement::extend;
        if (how != settlement::extend) deliveries_.erase(deliveries_.begin() + i);
        belief& b = ledger_.of(d.token.id);
        open_settle o{0, d, how, ledger_.lease_lives(d, service_now()), b.possible};
        std::optional<ns> delay;
        if (dice(2) == 0) delay = ns{1ms} * static_cast<std::int64_t>(dice(100'000));
        o.request = w_.send(settle{"n", "q", how, {d.token}, delay, lease_});
        if (how == settlement::ack) b.add({});
        busy_.insert(d.token.id);
        settles_.push_back(std::move(o));
    }

    void pass() {
        const ns d = dice(10) == 0 ? ns{1s} * static_cast<std::int64_t>(dice(300))
                                   : ns{1us} * static_cast<std::int64_t>(dice(5'000'000));
        w_.pass(d);
    }

    void faults() {
        const auto call = static_cast<store_call>(dice(store_call_count));
        const std::size_t times = 1 + dice(5);
        if (dice(2) == 0) {
            store_.fail(call, store::store_code::unavailable, times);
        } else {
            store_.fail_after(call, store::store_code::unavailable, times);
        }
    }

    /// The process dies; the write that was under way may be made or not.
    void crash() {
        if (dice(2) == 0 && !w_.held.empty()) (void)w_.execute(w_.held.begin());
        late_.clear();
        for (auto& c : commands_) busy_.erase(c.id);
        for (auto& s : settles_) busy_.erase(s.d.token.id);
        commands_.clear();
        settles_.clear();
        polls_.clear();
        ledger_.crashed();
        w_.hold_io = false;
        store_.clear();
        w_.restart();
        w_.hold_io = true;
        // A restart after steps keeps the service clock; nothing to adjust here: that is the point.
    }

    void check_view() {
        const std::string id = some_id();
        if (busy(id)) return;
        const auto request = w_.send(get_timer{"n", id});
        busy_.insert(id);
        views_.emplace(request, id);
    }

    void collect() {
        ledger_.wall_is(to_tick(w_.now().wall));
        collect_commands();
        collect_settles();
        for (auto at = views_.begin(); at != views_.end();) {
            const auto r = w_.try_take(at->first);
            if (!r) {
                ++at;
                continue;
            }
            judge_view(at->second, *r);
            busy_.erase(at->second);
            at = views_.erase(at);
        }
        for (auto at = polls_.begin(); at != polls_.end();) {
            const auto r = w_.try_take(*at);
            if (!r) {
                ++at;
                continue;
            }
            if (const auto* got = std::get_if<foliot::engine::deliveries>(&*r))
                judge_deliveries(*got);
            at = polls_.erase(at);
        }
    }

    void judge_deliveries(const foliot::engine::deliveries& got) {
        for (const auto& d : got.items) {
            tick end = to_tick(w_.now().steady + service_base_ + ns{lease_});
            const std::string w = ledger_.delivered(d, service_now(), end, busy(d.token.id));
            if (wrong_.empty()) wrong_ = w;
            if (d.payload != d.token.id && wrong_.empty()) wrong_ = d.token.id + ": other payload";
            deliveries_.push_back(d);
        }
    }

    void judge_view(const std::string& id, const reply& r) {
        const belief& b = ledger_.of(id);
        const auto* v = std::get_if<timer_view>(&r);
        if (v && v->ended_ms) {
            if (b.certainly_present()) wrong_ = id + " is shown as ended though it is there";
        } else if (v) {
            if (!b.match(v->generation)) wrong_ = id + " is shown though it is gone";
        } else if (std::get<failure>(r).code == failure_code::not_found && b.certainly_present()) {
            wrong_ = id + " is not found though it is there";
        }
    }

    void collect_commands() {
        std::erase_if(commands_, [&](const open_command& c) {
            const auto r = w_.try_take(c.request);
            if (!r) return false;
            busy_.erase(c.id);
            belief& b = ledger_.of(c.id);
            if (const auto* f = std::get_if<failure>(&*r)) {
                if (f->code != failure_code::store_unavailable) b.possible = c.before;
            } else if (const auto* s = std::get_if<timer_set>(&*r)) {
                auto known = *c.after;
                known.generation = s->generation;
                b.know(known);
                ledger_.lease_over(c.id);
            } else {
                const auto outcome = std::get<timer_cancelled>(*r).outcome;
                belief before;
                before.possible = c.before;
                if (outcome == cancel_outcome::gone && before.certainly_present()) {
                    wrong_ = c.id + ": cancel says gone, but it was there";
                }
                if (sabotage_ != sabotage::deliver_after_cancel || dice(10) != 0) b.know({});
                if (sabotage_ == sabotage::deliver_after_cancel) {
                    w_.send(set_timer{"n", c.id, "q", after{0ns}, c.id, {}, {}});
                }
                ledger_.lease_over(c.id);
            }
            return true;
        });
    }

    void collect_settles() {
        std::erase_if(settles_, [&](const open_settle& s) {
            const auto r = w_.try_take(s.request);
            if (!r) return false;
            const std::string& id = s.d.token.id;
            busy_.erase(id);
            belief& b = ledger_.of(id);
            if (const auto* f = std::get_if<failure>(&*r)) {
                if (f->code != failure_code::store_unavailable) b.possible = s.before;
                if (s.how == settlement::nack) ledger_.lease_over(id);  // it may have been counted
                return true;
            }
            const auto outcome = std::get<settled>(*r).outcomes.at(0);
            if (outcome == settle_outcome::acked) {
                b.know({});
                ledger_.lease_over(id);
            } else {
                b.possible = s.before;
                if (outcome == settle_outcome::nacked) ledger_.lease_over(id);
            }
            return true;
        });
    }

    /// All faults end, all time passes: what is certainly there must come, once, and nothing else.
    void drain() {
        store_.clear();
        w_.hold_io = false;
        for (auto& r : late_) w_.give(std::move(r));
        late_.clear();
        w_.settle();
        for (int i = 0; i < 20; ++i) {
            w_.pass_in_steps(10s);
            collect();
        }
        if (!wrong_.empty()) return;
        // Those that wait by a wall clock that was stepped back need more than the longest delay.
        for (int i = 0; i < 20'000 && !ledger_.ids_possibly_present().empty(); ++i) {
            poll();
            w_.pass_in_steps(10s);  // less than the lease
            collect();
            const auto ready = std::exchange(deliveries_, {});
            for (const auto& d : ready) {
                const auto outcome = w_.ack(d);
                if (outcome != settle_outcome::acked) continue;
                ledger_.of(d.token.id).know({});
                ledger_.lease_over(d.token.id);
            }
            if (!wrong_.empty()) return;
            if (w_.stats().pending == 0) break;
        }
        w_.pass_in_steps(longest_retain);
        for (const auto& [id, b] : ledger_.all()) {
            if (b.certainly_present()) wrong_ = id + " was never delivered";
        }
        if (wrong_.empty() && w_.stats().pending != 0) wrong_ = "pending is not 0 at the end";
        if (wrong_.empty() && w_.stats().retained != 0) wrong_ = "ended timers are kept for ever";
        if (wrong_.empty() && w_.stats().in_memory != 0) wrong_ = "entries stay in memory";
    }

    std::mt19937_64 random_;
    sabotage sabotage_;
    std::unique_ptr<store::due_store> below_ = store::make_memory_store();
    fault_store store_{*below_};
    engine_world w_;
    ns service_base_{};
    std::chrono::milliseconds lease_{15'000};
    static constexpr std::chrono::milliseconds longest_retain{200'000};
    ledger ledger_;
    std::vector<io_done> late_;
    std::set<std::string> busy_;
    std::vector<open_command> commands_;
    std::vector<open_settle> settles_;
    std::set<request_id> polls_;
    std::map<request_id, std::string> views_;
    std::vector<delivery> deliveries_;
    std::string wrong_;
};

std::uint64_t first_seed() {
    const char* given = std::getenv("FOLIOT_SEED");
    return given ? std::strtoull(given, nullptr, 10) : 1;
}

int seeds() {
    const char* given = std::getenv("FOLIOT_SEEDS");
    if (given) return std::atoi(given);
    return std::getenv("FOLIOT_SEED") ? 1 : 300;
}

TEST(random_life, keeps_every_promise_under_faults) {
    for (int i = 0; i < seeds(); ++i) {
        const std::uint64_t seed = first_seed() + static_cast<std::uint64_t>(i);
        const std::string wrong = life{seed}.run(2000);
        ASSERT_EQ(wrong, "") << "replay with FOLIOT_SEED=" << seed;
    }
}

TEST(random_life, delivery_after_a_cancel_is_noticed) {
    int noticed = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        noticed += !life{seed, life::sabotage::deliver_after_cancel}.run(1000).empty();
    }
    EXPECT_GT(noticed, 10);
}

TEST(random_life, lost_commit_is_noticed) {
    int noticed = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        noticed += !life{seed, life::sabotage::lose_a_commit}.run(1000).empty();
    }
    EXPECT_GT(noticed, 10);
}

}  // namespace
}  // namespace foliot::test
