// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "service/calls.hpp"
#include "service/scenario.hpp"
#include "service/small_executor.hpp"

#include <memory>
#include <string>
#include <utility>

namespace foliot {

namespace {

struct policy {
    overload what;
    const char* name;
};
constexpr policy policies[] = {{overload::block, "block"},
                               {overload::reject, "reject"},
                               {overload::shed, "shed"},
                               {overload::defer, "defer"}};

// Two timers are due, of which the executor takes one: a pass, one who runs what the executor has,
// and another call.
void with_room_for_one(overload what, const call_of<service_world>& other) {
    const auto room = std::make_shared<small_executor>(1);
    service_options o = polled();
    o.executor = room;
    o.when_full = what;
    o.defer_by = 1ms;
    o.block_time = 1ms;
    service_world w(o);
    w.subject().after_pass = [&] { room->run(); };
    wanted discardable{.deadline = 5ms};
    discardable.options.discardable = true;
    w.make(0, discardable);
    w.make(1, {.deadline = 5ms});
    w.advance(5ms);
    in_threads([&] { w.subject().get().poll(); }, [&] { room->run(); }, [&] { other.make_it(w); });
    w.settle();
}

}  // namespace

scenarios overload_scenarios() {
    scenarios all;
    for (const policy& p : policies) {
        for (const auto& c :
             calls_named<service_world>({"cancel", "cancel_and_wait", "later", "audit", "stop"})) {
            const std::string name = std::string("overload/") + p.name + " beside " + c.name;
            all.push_back({c.name == "stop" ? bounded(name, 2) : all_of(name),
                           [p, c] { with_room_for_one(p.what, c); }});
        }
    }
    all.push_back({all_of("overload/a stop waits for what an executor runs"), [] {
                       const auto room = std::make_shared<small_executor>(1, false);
                       service_options o = polled();
                       o.executor = room;
                       service_world w(o);
                       w.make(0, {.deadline = 5ms});
                       w.advance(5ms);
                       w.pass();
                       in_threads([&] { room->run(); }, [&] { w.stop(); });
                       w.settle();
                   }});
    return all;
}

}  // namespace foliot
