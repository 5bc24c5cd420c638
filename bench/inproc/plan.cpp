// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <algorithm>
#include <random>

namespace bench {

namespace {

using generator = std::mt19937_64;

constexpr std::uint32_t minute_ms = 60'000;
constexpr std::uint32_t longest_short_ms = 10;

std::uint32_t below(generator& random, std::uint64_t bound) {
    return static_cast<std::uint32_t>(((random() >> 32) * bound) >> 32);
}

// 1 to 60 minutes.
std::uint32_t far_delay(generator& random) { return minute_ms + below(random, 59 * minute_ms + 1); }

std::vector<op> every_object_once(generator& random, std::uint64_t n) {
    std::vector<op> ops(n);
    for (std::uint32_t i = 0; i < n; ++i) ops[i].pick = i;
    std::shuffle(ops.begin(), ops.end(), random);
    return ops;
}

template <class Delay>
std::vector<op> random_ops(generator& random, std::uint64_t n, std::uint64_t count, Delay delay) {
    std::vector<op> ops(count);
    for (op& o : ops) {
        o.pick = below(random, n);
        o.delay_ms = delay(o.pick);
    }
    return ops;
}

void plan_pairs(thread_plan& p, generator& random, std::uint64_t ops) {
    const auto far = [&](std::uint32_t) { return far_delay(random); };
    p.first = every_object_once(random, p.n);
    for (op& o : p.first) o.delay_ms = far_delay(random);
    p.warm = random_ops(random, p.n, p.n / 2, far);
    p.timed = random_ops(random, p.n, ops, far);
}

// Each object has a time-out of its own, which does not change.
void plan_refresh(thread_plan& p, generator& random, std::uint64_t ops) {
    std::vector<std::uint32_t> timeouts(p.n);
    for (auto& t : timeouts) t = far_delay(random);
    const auto own = [&](std::uint32_t pick) { return timeouts[pick]; };
    p.first = every_object_once(random, p.n);
    for (op& o : p.first) o.delay_ms = own(o.pick);
    p.warm = random_ops(random, p.n, p.n / 2, own);
    p.timed = random_ops(random, p.n, ops, own);
}

// Round after round through the objects, in an order that is random and always the same.
void plan_fire(thread_plan& p, generator& random, std::uint64_t ops) {
    const auto order = every_object_once(random, p.n);
    const auto rounds = [&](std::uint64_t begin, std::uint64_t count) {
        std::vector<op> some(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            some[i] = {order[(begin + i) % p.n].pick, below(random, longest_short_ms + 1)};
        }
        return some;
    };
    const std::uint64_t warm = std::min(p.n, ops / 4);
    p.warm = rounds(0, warm);
    p.timed = rounds(warm, ops);
}

}  // namespace

std::string_view name_of(workload what) {
    switch (what) {
        case workload::schedule_cancel: return "schedule_cancel";
        case workload::refresh: return "refresh";
        case workload::schedule_fire: return "schedule_fire";
    }
    return "?";
}

std::uint64_t plan::timed_ops() const {
    std::uint64_t sum = 0;
    for (const thread_plan& t : threads) sum += t.timed.size();
    return sum;
}

std::uint64_t plan::checksum() const {
    std::uint64_t sum = 0;
    for (std::size_t number = 0; number < threads.size(); ++number) {
        const thread_plan& t = threads[number];
        std::vector<std::uint64_t> of_each(t.n);
        for (const auto* ops : {&t.first, &t.warm, &t.timed}) {
            for (const op o : *ops) {
                std::uint64_t& its = of_each[o.pick];
                its = what == workload::schedule_fire ? its + 1 : o.delay_ms;
            }
        }
        for (std::size_t i = 0; i < t.n; ++i) sum += mix(number * t.n + i, of_each[i]);
        if (what != workload::schedule_fire) sum += mix(t.warm.size() + t.timed.size(), number);
    }
    return sum;
}

plan make_plan(workload what, unsigned threads, std::uint64_t n, std::uint64_t ops,
               std::uint64_t seed) {
    generator random(seed);
    plan all{what, n, {}};
    for (unsigned t = 0; t < threads; ++t) {
        thread_plan p;
        p.n = n / threads;
        switch (what) {
            case workload::schedule_cancel: plan_pairs(p, random, ops / threads); break;
            case workload::refresh: plan_refresh(p, random, ops / threads); break;
            case workload::schedule_fire: plan_fire(p, random, ops / threads); break;
        }
        all.threads.push_back(std::move(p));
    }
    return all;
}

}  // namespace bench
