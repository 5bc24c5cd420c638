// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../crew.hpp"
#include "../population.hpp"
#include "patience.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace bench {

/// Schedules timers that are due in 0 to 10 ms, round after round through n objects, and is done
/// when all callbacks have run. An object whose timer has not fired since the last round is waited
/// for, so no more than n are in flight.
template <model M>
class firing {
public:
    firing(population<M>& timers, std::uint64_t n) : timers_(timers), expected_(n) {}

    void schedule(std::span<const op> ops) {
        while (!ops.empty()) {
            const auto some = ops.first(std::min(ops.size(), ops_per_turn));
            std::size_t done = 0;
            timers_.seat.turn([&] {
                while (done < some.size() && is_free(some[done].pick)) {
                    const op o = some[done++];
                    ++expected_[o.pick];
                    timers_.seat.schedule(timers_[o.pick], o.delay());
                }
            });
            if (done == 0) wait();
            ops = ops.subspan(done);
        }
    }

    void wait_for_all() {
        for (std::uint32_t i = 0; i < expected_.size(); ++i) {
            while (!is_free(i)) wait();
        }
    }

    /// How often each has fired.
    [[nodiscard]] std::uint64_t checksum() {
        std::uint64_t sum = 0;
        for (const auto& object : timers_.all()) sum += mix(object.id, object.runs.load());
        return sum;
    }

private:
    [[nodiscard]] bool is_free(std::uint32_t pick) {
        return timers_[pick].runs.load(std::memory_order_acquire) == expected_[pick];
    }
    void wait() {
        patience_.lose();
        timers_.seat.wait();
    }

    population<M>& timers_;
    std::vector<std::uint32_t> expected_;
    patience patience_;
};

template <model M>
outcome fire(const plan& p, arena& memory) {
    M shared(static_cast<unsigned>(p.threads.size()));
    return crew(static_cast<unsigned>(p.threads.size()), timing::wall)
        .run(p.timed_ops(), [&](crew::place& place) {
            const thread_plan& mine = p.threads[place.number];
            population<M> timers(shared, memory, place.number, mine.n);
            firing<M> rounds(timers, mine.n);
            rounds.schedule(mine.warm);
            rounds.wait_for_all();
            place.begin();
            rounds.schedule(mine.timed);
            rounds.wait_for_all();
            place.end();
            place.add(rounds.checksum());
            place.meet();
        });
}

}  // namespace bench
