// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "service/calls.hpp"
#include "service/scenario.hpp"

#include <string>
#include <utility>

namespace foliot {

namespace {

// Two calls about timer 0, which is due, beside the pass that fires it.
template <class F>
void beside_a_pass(const wanted& timer, F first, F second, bool with_group) {
    shard_world w;
    wanted another{.deadline = 5ms};
    another.options.group = 1;
    w.make(0, timer);
    if (with_group) w.make(1, another);
    w.advance(5ms);
    in_threads([&] { first(w); }, [&] { second(w); }, [&] { w.pass(); });
    w.settle();
}

void add_pairs(scenarios& all, const std::string& prefix, const wanted& timer,
               const std::vector<call_of<shard_world>>& calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
        for (std::size_t j = i; j < calls.size(); ++j) {
            const auto& a = calls[i];
            const auto& b = calls[j];
            if (a.name == "make" && b.name == "make") continue;  // both would make timer 2
            const bool group = a.name == "cancel_group" || b.name == "cancel_group";
            const std::string name = prefix + a.name + "+" + b.name;
            const bool many = group && (b.name == "make" || b.name == "stop");
            all.push_back({many ? bounded(name, 2) : all_of(name), [timer, a, b, group] {
                               beside_a_pass(timer, a.make_it, b.make_it, group);
                           }});
        }
    }
}

void add_others(scenarios& all) {
    all.push_back({all_of("shard/three cancels beside a pass"), [] {
                       shard_world w;
                       w.make(0, {.deadline = 5ms});
                       w.advance(5ms);
                       const auto cancel = [&] { w.cancel(0); };
                       in_threads(cancel, cancel, cancel, [&] { w.pass(); });
                       w.settle();
                   }});
    all.push_back({all_of("shard/the place of a cancelled timer is used again"), [] {
                       shard_world w;
                       w.make(0, {.deadline = 5ms});
                       w.advance(5ms);
                       in_threads(
                           [&] {
                               w.cancel(0);
                               w.make(1, {.deadline = 5ms});
                           },
                           [&] { w.cancel_and_wait(0); }, [&] { w.pass(); });
                       w.settle();
                   }});
    all.push_back({all_of("shard/time goes on while a timer is moved there and back"), [] {
                       shard_world w;
                       w.make(0, {.deadline = 5ms});
                       in_threads([&] { w.advance(5ms); },
                                  [&] {
                                      w.move(0, 7ms);
                                      w.move(0, 4ms);
                                  },
                                  [&] {
                                      w.pass();
                                      w.pass();
                                  });
                       w.settle();
                   }});
    all.push_back({all_of("shard/a group is cancelled in parts"), [] {
                       shard_world w(1U);
                       wanted timer{.deadline = 5ms};
                       timer.options.group = 1;
                       w.make(0, timer);
                       w.make(1, timer);
                       w.advance(5ms);
                       in_threads([&] { w.cancel_group(); }, [&] { w.cancel(1); },
                                  [&] { w.pass(); });
                       w.settle();
                   }});
}

}  // namespace

scenarios shard_scenarios() {
    scenarios all;
    wanted once{.deadline = 5ms};
    once.options.group = 1;
    add_pairs(all, "shard/once ", once, calls<shard_world>());

    const auto few =
        calls_named<shard_world>({"cancel", "cancel_and_wait", "later", "now", "stop", "pass"});
    add_pairs(all, "shard/plain ", {.deadline = 5ms, .plain = true}, few);
    add_pairs(all, "shard/every ", {.deadline = 5ms, .period = 5ms}, few);
    add_pairs(all, "shard/throws ", {.deadline = 5ms, .throws = true},
              calls_named<shard_world>({"cancel_and_wait", "stop", "pass"}));
    add_others(all);
    return all;
}

}  // namespace foliot
