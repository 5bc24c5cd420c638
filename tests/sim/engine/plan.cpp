// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "sim/engine/plan.hpp"

#include <initializer_list>

namespace foliot::sim {

namespace {

using namespace std::chrono_literals;

template <class T>
T one_of(random_source& r, std::initializer_list<T> choices) {
    return choices.begin()[r.below(choices.size())];
}

/// A kind is in force in half of all runs.
unsigned weight(random_source& r, unsigned most) {
    return r.coin() ? 0 : static_cast<unsigned>(r.between(1, most));
}
std::uint64_t rate(random_source& r, std::uint64_t often) {
    return r.coin() ? 0 : r.between(often, often * 10);
}

engine::options draw_options(random_source& r) {
    engine::options o;
    o.window_max_timers = one_of<std::size_t>(r, {4, 8, 12, 16, 24, 32, 48, 64, 1000});
    if (r.one_in(4)) o.window_max_bytes = r.between(400, 8000);
    o.window_horizon = ms{one_of<int>(r, {2'000, 10'000, 30'000, 120'000})};
    o.load_rows = r.between(1, 16);
    o.step_firings = r.between(1, 32);
    o.commit_operations = r.between(1, 40);
    o.retry_min_backoff = ms{r.between(1, 2000)};
    o.retry_max_backoff = o.retry_min_backoff * r.between(1, 8);
    o.retry_max_attempts = one_of<std::uint32_t>(r, {1, 2, 3, 5, 1000});
    o.max_in_flight = one_of<std::size_t>(r, {1, 3, 10, 1000});
    o.max_waiting_commands = one_of<std::size_t>(r, {5, 20, 60});
    o.max_waiting_leases = one_of<std::size_t>(r, {1, 3, 1000});
    o.reply_bytes = one_of<std::size_t>(r, {50, 500, 1 << 20});
    o.store_timeout = ms{r.between(100, 3000)};
    o.store_retry_interval = ms{r.between(10, 800)};
    return o;
}

}  // namespace

plan draw_plan(std::uint64_t seed, canary planted) {
    random_source r{seed};
    plan p;
    p.seed = seed;
    p.planted = planted;
    p.options = draw_options(r);
    p.rounds = static_cast<unsigned>(r.between(1, 3));
    p.requests = static_cast<unsigned>(r.between(40, 200));
    p.pace = one_of<ns>(r, {1ms, 50ms, 500ms, 2s});
    p.ids = static_cast<unsigned>(one_of<unsigned>(r, {3, 10, 40, 120}));
    p.queues = static_cast<unsigned>(r.between(1, 3));
    p.near_delay = one_of<ns>(r, {100ms, 5s, 40s, 120s});
    p.far_delay = one_of<ns>(r, {200s, 1h, 48h});
    // A page for each half of a horizon is read all the way there.
    if (p.options.window_horizon < 30s) p.far_delay = std::min<ns>(p.far_delay, 1h);
    p.far_share = rate(r, 2);
    p.wall_share = rate(r, 1);
    p.burst_share = rate(r, 20);
    p.padding = one_of<std::size_t>(r, {0, 0, 40, 400});

    p.commands = {10,           weight(r, 6), weight(r, 4), weight(r, 3),
                  weight(r, 2), weight(r, 3), weight(r, 1)};
    p.conditions = rate(r, 3);
    p.consumers = static_cast<unsigned>(r.between(0, 4));
    p.lease_max = one_of<std::size_t>(r, {1, 2, 10, 100});
    p.lease = ms{one_of<int>(r, {1, 200, 3'000, 30'000})};
    p.wait = ms{one_of<int>(r, {0, 100, 5'000, 30'000})};
    p.deliveries = {10,           weight(r, 5), weight(r, 4), weight(r, 5),
                    weight(r, 5), weight(r, 3), weight(r, 3)};
    p.net = {one_of<ns>(r, {0ns, 1ms, 50ms, 1s}), rate(r, 10), rate(r, 10), rate(r, 10)};
    p.store.delay = one_of<ns>(r, {100us, 2ms, 50ms, 500ms});
    p.store.error_before = rate(r, 15);
    p.store.error_after = rate(r, 15);
    p.store.stall = rate(r, 40);
    p.store.broken = rate(r, 3);
    p.store.os_cache = r.one_in(4);
    p.store.late_writers = r.coin();
    p.trouble_every = one_of<ns>(r, {500ms, 3s, 20s});
    p.trouble = {weight(r, 6), weight(r, 2), weight(r, 3),
                 weight(r, 4), weight(r, 2), weight(r, 2)};
    return p;
}

std::string plan::describe() const {
    const auto n = [](auto x) { return std::to_string(x); };
    const auto t = [](ns x) { return std::to_string(x / 1us) + "us"; };
    std::string s =
        "window " + n(options.window_max_timers) + " timers " + n(options.window_max_bytes) +
        " bytes, horizon " + t(options.window_horizon) + ", load " + n(options.load_rows) +
        ", step " + n(options.step_firings) + ", commit " + n(options.commit_operations) +
        ", attempts " + n(options.retry_max_attempts) + ", in flight " + n(options.max_in_flight) +
        ", waiting " + n(options.max_waiting_commands) + "; " + n(rounds) + " rounds of " +
        n(requests) + " requests, pace " + t(pace) + ", " + n(ids) + " ids, " + n(queues) +
        " queues, near " + t(near_delay) + ", far " + t(far_delay) + " 1/" + n(far_share) + "; " +
        n(consumers) + " consumers, lease " + t(lease) + ", wait " + t(wait) + "; store " +
        t(store.delay) + (store.os_cache ? " os_cache" : "") + ", errors 1/" +
        n(store.error_before) + " 1/" + n(store.error_after) + ", stalls 1/" + n(store.stall) +
        "; crash " + n(trouble.crash) + ", reboot " + n(trouble.reboot) + ", stop " +
        n(trouble.stop) + ", step " + n(trouble.step) + ", suspend " + n(trouble.suspend) +
        ", drift " + n(trouble.drift) + " every " + t(trouble_every);
    return s;
}

}  // namespace foliot::sim
