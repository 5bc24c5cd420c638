// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../crew.hpp"
#include "../population.hpp"

#include <chrono>
#include <vector>

namespace bench {

/// What a model says it holds: every object whose due is its latest delay, counted from a moment of
/// this turn.
template <model M>
std::uint64_t checksum_of_pending(population<M>& timers, const thread_plan& p,
                                  std::chrono::steady_clock::time_point begin) {
    using namespace std::chrono_literals;
    constexpr auto slack = 50ms;  // a loop's clock may be a little old
    std::vector<std::chrono::milliseconds> latest(p.n);
    for (const auto* ops : {&p.first, &p.warm, &p.timed}) {
        for (const op o : *ops) latest[o.pick] = o.delay();
    }
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < p.n; ++i) {
        const auto left = timers.seat.remaining(timers[i]);
        const auto since = std::chrono::steady_clock::now() - begin;
        if (!left || *left > latest[i] + slack || *left < latest[i] - since - slack) continue;
        sum += mix(timers[i].id, static_cast<std::uint64_t>(latest[i].count()));
    }
    return sum;
}

/// n timers are pending, due in 1 to 60 minutes. schedule_cancel: a random one is cancelled, and
/// another scheduled into its object. refresh: a random one is pushed to now + its own time-out.
template <model M>
outcome far(const plan& p, arena& memory) {
    M shared(static_cast<unsigned>(p.threads.size()));
    const bool pairs = p.what == workload::schedule_cancel;
    return crew(static_cast<unsigned>(p.threads.size()))
        .run(p.timed_ops(), [&](crew::place& place) {
            const thread_plan& mine = p.threads[place.number];
            const auto begin = std::chrono::steady_clock::now();
            population<M> timers(shared, memory, place.number, mine.n);
            std::uint64_t done = 0;
            const auto run = [&](const std::vector<op>& ops) {
                if (pairs) {
                    timers.each(ops, [&](auto& seat, auto& object, op o) {
                        done += seat.replace(object, o.delay()) ? 1 : 0;
                    });
                } else {
                    timers.each(ops, [&](auto& seat, auto& object, op o) {
                        done += seat.refresh(object, o.delay()) ? 1 : 0;
                    });
                }
            };
            timers.each(mine.first,
                        [](auto& seat, auto& object, op o) { seat.schedule(object, o.delay()); });
            run(mine.warm);
            place.begin();
            run(mine.timed);
            place.end();
            place.add(mix(done, place.number));
            place.add(checksum_of_pending(timers, mine, begin));
            for (const auto& object : timers.all()) {
                place.add(object.runs.load() * mix(object.id, 0));  // none has fired
            }
            place.meet();
        });
}

}  // namespace bench
