// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../crew.hpp"
#include "../population.hpp"
#include "../turn_log.hpp"

#include <chrono>
#include <vector>

namespace bench {

/// Of what a model says it holds: each object that is due when it should be, and until then.
template <model M>
std::uint64_t checksum_of_pending(population<M>& timers, const turn_log& log) {
    const auto wanted = log.latest_of_each(timers.all().size());
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto due = timers.seat.due(timers[i]);
        const bool right = due && *due >= wanted[i].earliest && *due <= wanted[i].latest;
        if (right) sum += mix(timers[i].id, static_cast<std::uint64_t>(wanted[i].delay.count()));
        sum += timers[i].runs.load() * mix(timers[i].id, 0);  // none has fired
    }
    return sum;
}

/// n timers are pending, due in 1 to 60 minutes, and change(seat, object, op) does something to a
/// random one. True: the library says that it was pending.
template <model M, class Change>
outcome far(const plan& p, arena& memory, Change change) {
    M shared(static_cast<unsigned>(p.threads.size()));
    return crew(static_cast<unsigned>(p.threads.size()), timing::own)
        .run(p.timed_ops(), [&](crew::place& place) {
            const thread_plan& mine = p.threads[place.number];
            population<M> timers(shared, memory, place.number, mine.n);
            turn_log log((mine.first.size() + mine.warm.size() + mine.timed.size()) / ops_per_turn +
                         10);
            std::uint64_t changed = 0;
            const auto changes = [&](auto& seat, auto& object, op o) {
                changed += change(seat, object, o) ? 1 : 0;
            };
            log.add({});
            timers.seat.turn([] {});
            timers.each(mine.first, log,
                        [](auto& seat, auto& object, op o) { seat.schedule(object, o.delay()); });
            timers.each(mine.warm, log, changes);
            // So that a due tells whether an operation set it that is measured.
            constexpr std::chrono::milliseconds a_moment{40};
            log.rest(a_moment);
            timers.seat.turn([] {});
            place.begin();
            timers.each(mine.timed, log, changes);
            place.end();
            place.add(mix(changed, place.number));
            place.add(checksum_of_pending(timers, log));
            place.meet();
        });
}

/// It is cancelled, and another scheduled into its object.
template <model M>
outcome schedule_cancel(const plan& p, arena& memory) {
    return far<M>(p, memory, [](typename M::seat& seat, typename M::object& object, op o) {
        return seat.replace(object, o.delay());
    });
}

/// It is pushed to now + its own time-out.
template <model M>
outcome refresh(const plan& p, arena& memory) {
    return far<M>(p, memory, [](typename M::seat& seat, typename M::object& object, op o) {
        return seat.refresh(object, o.delay());
    });
}

}  // namespace bench
