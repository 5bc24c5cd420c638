// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/time/conversion.hpp>
#include <foliot/wheel/hierarchical_wheel.hpp>

#include "../model_contender.hpp"
#include "all.hpp"
#include "mutex_model.hpp"

namespace bench {

/// Foliot's wheel, with the same tick as the service's.
template <class Node>
class wheel {
public:
    using time = std::chrono::nanoseconds;
    using hook = foliot::timer_hook;

    static time due(const Node& n) { return time_of(n.due()); }

    void schedule(Node& n, time due) { queue_.schedule(n, foliot::due_at(due, tick)); }
    void cancel(Node& n) { queue_.cancel(n); }
    void reschedule(Node& n, time due) { queue_.reschedule(n, foliot::due_at(due, tick)); }

    std::optional<time> wakeup() {
        const auto first = queue_.next_wakeup();
        if (!first) return std::nullopt;
        return time_of(*first);
    }

    template <class Sink>
    void take_due(time now, std::size_t limit, Sink sink) {
        static_cast<void>(
            queue_.advance(foliot::elapsed(now, tick), limit,
                           [&](foliot::timer_hook& h) { sink(static_cast<Node&>(h)); }));
    }

private:
    static constexpr time tick = std::chrono::milliseconds{1};

    static time time_of(foliot::tick t) { return static_cast<time::rep>(t.count) * tick; }

    foliot::hierarchical_wheel<> queue_{
        foliot::elapsed(std::chrono::steady_clock::now().time_since_epoch(), tick)};
};

namespace {
struct mutex_wheel : mutex_model<wheel> {
    using mutex_model::mutex_model;
    static constexpr std::string_view name = "mutex_wheel";
};
}  // namespace

std::unique_ptr<contender> make_mutex_wheel() {
    return std::make_unique<model_contender<mutex_wheel>>();
}

}  // namespace bench
