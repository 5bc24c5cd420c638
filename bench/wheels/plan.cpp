// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace bench {

namespace {

using generator = std::mt19937_64;

std::uint32_t below(generator& random, std::uint64_t bound) {
    return static_cast<std::uint32_t>(((random() >> 32) * bound) >> 32);
}

std::uint32_t uniform_delay(generator& random, std::uint64_t longest) {
    return 1 + below(random, longest);
}

std::uint32_t log_uniform_delay(generator& random) {
    static const double log_longest = std::log(static_cast<double>(thirty_days));
    const double u = std::uniform_real_distribution<>(0.0, 1.0)(random);
    return static_cast<std::uint32_t>(std::exp(u * log_longest));
}

std::vector<op> every_object_once(generator& random, std::uint64_t n) {
    std::vector<op> ops(n);
    for (std::uint32_t i = 0; i < n; ++i) ops[i].pick = i;
    std::shuffle(ops.begin(), ops.end(), random);
    return ops;
}

template <class Delay>
std::vector<op> random_ops(generator& random, std::uint64_t n, std::uint64_t count, Delay delay) {
    std::vector<op> ops(count);
    for (op& o : ops) o = {below(random, n), delay()};
    return ops;
}

template <class Delay>
void plan_first(plan& p, generator& random, Delay delay) {
    p.first = every_object_once(random, p.n);
    for (op& o : p.first) o.delay = delay();
}

template <class Delay>
void plan_churn(plan& p, generator& random, Delay delay) {
    plan_first(p, random, delay);
    p.warm = random_ops(random, p.n, std::max<std::uint64_t>(p.n / 2, 100'000), delay);
    p.timed = random_ops(random, p.n, p.n > 1'000'000 ? 1 << 22 : 1 << 20, delay);
}

// A server with an idle timeout of 30 s, and a packet a second on each of its connections (more, if
// there are few). A turn begins as such a server looks after a while: a queue that only notes that
// a timer moved has its entries spread evenly over the 30 s, while the dues are close to their end.
// So a turn pays its share of what such a queue put off.
void plan_push_later(plan& p, generator& random) {
    p.ops_per_tick = std::max<std::uint64_t>(p.n / 1000, 256);
    const double mean_idle = static_cast<double>(p.n) / static_cast<double>(p.ops_per_tick);
    std::exponential_distribution<> idle(1 / mean_idle);
    plan_first(p, random, [&] { return uniform_delay(random, idle_timeout); });
    p.warm = p.first;
    for (op& o : p.warm) {
        const auto since = static_cast<std::uint32_t>(idle(random));
        o.delay = std::max<std::uint32_t>(o.delay, idle_timeout - std::min(since, o.delay));
    }
    std::shuffle(p.warm.begin(), p.warm.end(), random);
    const std::uint64_t ticks = std::max<std::uint64_t>(1024, (1 << 20) / p.ops_per_tick);
    p.timed = random_ops(random, p.n, ticks * p.ops_per_tick, [] { return idle_timeout; });
}

// A few timers over a month, many times over.
void plan_sparse(plan& p, generator& random) {
    constexpr int months = 50;
    for (int i = 0; i < months; ++i) {
        for (std::uint32_t pick = 0; pick < p.n; ++pick) {
            p.first.push_back({pick, uniform_delay(random, thirty_days)});
        }
    }
}

// All dues within one aligned range of `length` ticks, a hundred ranges ahead: one slot of an upper
// level of a wheel of 256 slots.
void plan_crowded(plan& p, generator& random, std::uint64_t length) {
    const std::uint64_t begin = (start_tick / length + 100) * length - start_tick;
    plan_first(p, random,
               [&] { return static_cast<std::uint32_t>(begin + below(random, length)); });
}

}  // namespace

std::string_view name_of(workload what) {
    switch (what) {
        case workload::churn_uniform: return "W1u";
        case workload::churn_log: return "W1l";
        case workload::push_later: return "W2";
        case workload::fire: return "W3";
        case workload::sparse: return "W4";
        case workload::crowded_level_1: return "W4b";
        case workload::crowded_level_2: return "W4b_level_2";
        case workload::memory_inserted: return "W5";
        case workload::memory_churned: return "W5_churned";
        case workload::hashed_one_lap: return "hashed_one_lap";
        case workload::hashed_100_laps: return "hashed_100_laps";
        case workload::probe: return "probe";
    }
    return "?";
}

plan make_plan(workload what, std::uint64_t n, std::uint64_t seed) {
    generator random(seed);
    const auto within = [&](std::uint64_t longest) {
        return [&random, longest] { return uniform_delay(random, longest); };
    };
    plan p;
    p.what = what;
    p.n = n;
    switch (what) {
        case workload::churn_uniform: plan_churn(p, random, within(minute)); break;
        case workload::churn_log:
            plan_churn(p, random, [&] { return log_uniform_delay(random); });
            break;
        case workload::push_later: plan_push_later(p, random); break;
        case workload::fire: plan_first(p, random, within(minute)); break;
        case workload::sparse: plan_sparse(p, random); break;
        case workload::crowded_level_1: plan_crowded(p, random, 256); break;
        case workload::crowded_level_2: plan_crowded(p, random, 256 * 256); break;
        case workload::memory_inserted:
        case workload::memory_churned:
            plan_first(p, random, within(minute));
            p.timed = random_ops(random, n, n, within(minute));
            break;
        case workload::hashed_one_lap: plan_churn(p, random, within(hashed_lap - 1)); break;
        case workload::hashed_100_laps:
            plan_first(p, random, within(100 * std::uint64_t{hashed_lap}));
            break;
        case workload::probe:
            p.timed = random_ops(random, n, n > 1'000'000 ? 1 << 22 : 1 << 20, within(minute));
            break;
    }
    return p;
}

}  // namespace bench
