// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "service/calls.hpp"
#include "service/scenario.hpp"

#include <memory>
#include <string>
#include <utility>

namespace foliot {

namespace {

using interleaving::exploration;
using interleaving::time_passes;

service_options driven(std::size_t workers) {
    service_options o = polled();
    o.driver = true;
    o.workers = workers;
    return o;
}

exploration slow_machine(exploration how) {
    how.name += ", slowly";
    how.time = time_passes::at_any_moment;
    return how;
}
exploration woken_for_nothing(exploration how) {
    how.name += ", woken for nothing";
    how.spurious = 1;
    return how;
}

// Each scenario on a machine that is fast, on one that is slow, and where waits end for nothing.
struct ways {
    exploration fast;
    exploration slow;
    exploration for_nothing;
};
ways all_ways(const std::string& name) {
    return {all_of(name), slow_machine(all_of(name)), woken_for_nothing(all_of(name))};
}
ways bounded_ways(const std::string& name, unsigned preemptions) {
    return {bounded(name, preemptions), slow_machine(bounded(name, preemptions)),
            woken_for_nothing(bounded(name, preemptions - 1))};
}

// Where time passes at any moment, timers are not on time.
template <class F>
void add(scenarios& all, const ways& how, std::size_t workers, F body) {
    const auto in_world = [body, workers](bool on_time) {
        return [body, workers, on_time] {
            service_world w(driven(workers));
            w.count_ends();
            if (on_time) w.on_time();
            body(w);
            w.settle(false);
        };
    };
    all.push_back({how.fast, in_world(true)});
    if (!how.slow.name.empty()) all.push_back({how.slow, in_world(false)});
    all.push_back({how.for_nothing, in_world(true)});
}

// The driver is asleep, or on its way to it, when it is to come earlier.
void add_wake_ups(scenarios& all) {
    const auto fires = [](service_world& w) {
        w.make(0, {.deadline = 5ms});
        w.wait_for(1);
    };
    add(all, all_ways("driver/a timer fires by itself"), 0, fires);
    add(all, bounded_ways("driver/a timer fires by itself with a worker", 2), 1, fires);
    const auto makes = [](service_world& w) {
        thread far([&] { w.make(0, {.deadline = 9ms}); });
        w.make(1, {.deadline = 3ms});
        w.wait_for(2);
        far.join();
    };
    add(all, bounded_ways("driver/two threads make a near and a far timer", 2), 0, makes);
    add(all, bounded_ways("driver/two threads make timers, with a worker", 1), 1, makes);
    const auto moves = [](service_world& w) {
        w.make(0, {.deadline = 9ms});
        thread mover([&] { w.move(0, 4ms); });
        w.wait_for(1);
        mover.join();
    };
    add(all, bounded_ways("driver/a far timer is moved near", 2), 0, moves);
    add(all, bounded_ways("driver/a far timer is moved near, with a worker", 1), 1, moves);
    const auto moves_and_cancels = [](service_world& w) {
        w.make(0, {.deadline = 5ms});
        w.make(1, {.deadline = 6ms});
        thread mover([&] { w.move(1, 0ms); });
        w.cancel(0);
        w.wait_for(2);
        mover.join();
    };
    add(all, bounded_ways("driver/a timer is moved to now while another is cancelled", 2), 0,
        moves_and_cancels);
    add(all, bounded_ways("driver/a timer is moved to now, with a worker", 1), 1,
        moves_and_cancels);
    // On a slow machine it has no bound: it may run any number of times before it is cancelled.
    ways but_slow = bounded_ways("driver/a periodic timer keeps its grid until it is cancelled", 1);
    but_slow.slow.name.clear();
    add(all, but_slow, 1, [](service_world& w) {
        w.make(0, {.deadline = 5ms, .period = 5ms});
        w.wait_for(2);
        w.cancel_and_wait(0);
    });
    add(all, bounded_ways("driver/a callback makes the next timer", 1), 1, [](service_world& w) {
        w.make(0, {.deadline = 3ms, .body = [&] { w.make(1, {.deadline = 6ms}); }});
        w.wait_for(2);
    });
    add(all, bounded_ways("driver/a poll beside it", 1), 1, [](service_world& w) {
        w.make(0, {.deadline = 3ms});
        thread poller([&] { w.pass(); });
        w.wait_for(1);
        poller.join();
    });
}

// All that is due runs, though there is no room for it at first.
void add_waits_for_room(scenarios& all) {
    const auto crowded = [](overload what) {
        return [what] {
            service_options o = driven(1);
            o.queue_limit = 1;
            o.when_full = what;
            o.block_time = 1h;
            o.defer_by = 1ms;
            service_world w(o);
            w.count_ends();
            for (unsigned i = 0; i < max_timers; ++i) w.make(i, {.deadline = 5ms});
            w.wait_for(max_timers);
            w.settle(false);
        };
    };
    all.push_back(
        {bounded("driver/what is blocked comes when there is room", 1), crowded(overload::block)});
    all.push_back({bounded("driver/what is deferred comes again", 1), crowded(overload::defer)});
}

void add_stops(scenarios& all) {
    for (const auto& c : calls_named<service_world>(
             {"cancel", "cancel_and_wait", "now", "make", "cancel_group", "stop", "pass"})) {
        all.push_back({bounded("driver/a stop beside " + c.name, 1), [c] {
                           service_world w(driven(1));
                           wanted timer{.deadline = 0ms};
                           timer.options.group = 1;
                           w.make(0, timer);
                           in_threads([&] { c.make_it(w); }, [&] { w.stop(); });
                           w.settle(false);
                       }});
    }
    all.push_back({bounded("driver/a callback stops beside a stop", 1), [] {
                       service_world w(driven(1));
                       w.make(0, {.deadline = 0ms, .body = [&] { w.stop(); }});
                       w.stop();
                       w.settle(false);
                   }});
    all.push_back({bounded("driver/callbacks of two workers stop", 1), [] {
                       service_world w(driven(2));
                       w.count_ends();
                       w.make(0, {.deadline = 0ms, .body = [&] { w.stop(); }});
                       w.make(1, {.deadline = 0ms, .body = [&] { w.stop(); }});
                       w.wait_for(1);
                       w.settle(false);
                   }});
    for (const std::size_t workers : {0U, 1U}) {
        all.push_back({bounded(workers == 0 ? "driver/a callback of the driver destroys the service"
                                            : "driver/a callback of a worker destroys the service",
                               2),
                       [workers] {
                           const auto w = std::make_shared<service_world>(driven(workers));
                           const auto made = std::make_shared<interleaving::atomic<bool>>(false);
                           w->count_ends();
                           // Nobody may be inside a call when it is destroyed.
                           w->make(0,
                                   {.deadline = 0ms, .period = 1ms, .body = [at = w.get(), made] {
                                        if (*made) at->destroy();
                                    }});
                           *made = true;
                           w->wait_for_stop();
                           // The thread of the callback goes on.
                           interleaving::at_end([w] { w->look_at_the_end(); });
                       }});
    }
}

void add_two_workers(scenarios& all) {
    all.push_back({bounded("driver/a callback waits for another that may run", 1), [] {
                       service_world w(driven(2));
                       w.count_ends();
                       w.make(1, {.deadline = 0ms});
                       w.make(0, {.deadline = 0ms, .body = [&] { w.cancel_and_wait(1); }});
                       w.wait_for(2);
                       w.settle(false);
                   }});
    all.push_back({bounded("driver/a periodic timer does not overlap itself", 1), [] {
                       service_world w(driven(2));
                       w.count_ends();
                       w.make(0, {.deadline = 0ms, .period = 1ms, .policy = missed::all});
                       w.wait_for(1);
                       w.cancel_and_wait(0);
                       w.settle(false);
                   }});
}

}  // namespace

scenarios driver_scenarios() {
    scenarios all;
    add_wake_ups(all);
    add_waits_for_room(all);
    add_stops(all);
    add_two_workers(all);
    return all;
}

}  // namespace foliot
