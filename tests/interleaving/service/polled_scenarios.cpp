// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "service/calls.hpp"
#include "service/scenario.hpp"

#include <functional>
#include <string>
#include <utility>

namespace foliot {

namespace {

// Of calls that take many steps there are too many orders for all of them.
bool is_long(const std::string& a, const std::string& b) {
    if (a == "cancel_group") return b == "make" || b == "audit" || b == "stop";
    return b == "stop" && (a == "make" || a == "pass" || a == "stop");
}

void add_pairs(scenarios& all) {
    const auto some = calls<service_world>();
    for (std::size_t i = 0; i < some.size(); ++i) {
        for (std::size_t j = i; j < some.size(); ++j) {
            const auto& a = some[i];
            const auto& b = some[j];
            if (a.name == "make" && b.name == "make") continue;
            const bool group = a.name == "cancel_group" || b.name == "cancel_group";
            const std::string name = "polled/" + a.name + "+" + b.name;
            all.push_back(
                {is_long(a.name, b.name) ? bounded(name, 2) : all_of(name), [a, b, group] {
                     service_world w(polled());
                     wanted timer{.deadline = 5ms};
                     timer.options.group = 1;
                     w.make(0, timer);
                     if (group) w.make(1, timer);
                     w.advance(5ms);
                     in_threads([&] { a.make_it(w); }, [&] { b.make_it(w); }, [&] { w.pass(); });
                     w.settle();
                 }});
        }
    }
}

// What a callback does, while another thread does something about it and a third polls.
struct from_within {
    std::string name;
    std::function<void(service_world&)> body;
};

std::vector<from_within> bodies() {
    return {
        {"cancels itself", [](service_world& w) { w.cancel(0); }},
        {"waits for itself", [](service_world& w) { w.cancel_and_wait(0); }},
        {"waits for the next", [](service_world& w) { w.cancel_and_wait(1); }},
        {"moves itself", [](service_world& w) { w.move(0, 6ms); }},
        {"moves the next", [](service_world& w) { w.move(1, 6ms); }},
        {"makes another", [](service_world& w) { w.make(2, {.deadline = 0ms}); }},
        {"polls", [](service_world& w) { w.pass(); }},
        {"stops", [](service_world& w) { w.stop(); }},
    };
}

void add_from_within(scenarios& all) {
    for (const from_within& b : bodies()) {
        for (const auto& c : calls_named<service_world>({"cancel", "cancel_and_wait", "stop"})) {
            all.push_back({all_of("polled/a callback " + b.name + " beside " + c.name), [b, c] {
                               service_world w(polled());
                               w.make(0, {.deadline = 5ms, .body = [&] { b.body(w); }});
                               w.make(1, {.deadline = 5ms});
                               w.advance(5ms);
                               in_threads([&] { c.make_it(w); }, [&] { w.pass(); });
                               w.settle();
                           }});
        }
    }
    all.push_back({all_of("polled/a callback destroys the service beside a pass"), [] {
                       service_world w(polled());
                       w.count_ends();
                       w.make(0, {.deadline = 5ms, .body = [&] { w.destroy(); }});
                       w.make(1, {.deadline = 6ms});
                       w.advance(5ms);
                       w.pass();
                       w.settle();
                   }});
}

// The destructor of one callback waits until another is destroyed. (Of both that would be a
// deadlock of their own, if two threads destroy them.)
void add_destructors(scenarios& all) {
    for (const unsigned who : {0U, 1U}) {
        for (const auto& c : calls_named<service_world>({"cancel", "cancel_group", "stop"})) {
            const std::string name = "polled/the destructor of " + std::to_string(who) +
                                     " waits for the other beside " + c.name;
            all.push_back({all_of(name), [c, who] {
                               service_world w(polled());
                               for (const unsigned i : {0U, 1U}) {
                                   wanted timer{.deadline = 5ms};
                                   timer.options.group = 1;
                                   if (i == who) {
                                       timer.when_destroyed = [&w, i] { w.cancel_and_wait(1 - i); };
                                   }
                                   w.make(i, timer);
                               }
                               w.advance(5ms);
                               in_threads([&] { c.make_it(w); }, [&] { w.pass(); });
                               w.settle();
                           }});
        }
    }
}

void add_others(scenarios& all) {
    all.push_back({all_of("polled/two polls share the work of a pass"), [] {
                       service_options o = polled();
                       o.pass_limit = 1;
                       o.lock_limit = 1;
                       service_world w(o);
                       w.make(0, {.deadline = 5ms});
                       w.make(1, {.deadline = 5ms});
                       w.advance(5ms);
                       in_threads([&] { w.pass(); }, [&] { w.pass(); }, [&] { w.cancel(1); });
                       w.settle();
                   }});
    all.push_back({all_of("polled/a group in two shards"), [] {
                       service_options o = polled();
                       o.shards = 2;
                       service_world w(o);
                       wanted timer{.deadline = 5ms};
                       timer.options.group = 1;
                       thread another([&] { w.make(1, timer); });  // keeps to the second shard
                       another.join();
                       w.make(0, timer);
                       w.advance(5ms);
                       in_threads([&] { w.cancel_group(); }, [&] { w.pass(); });
                       w.settle();
                   }});
    all.push_back({all_of("polled/a timer is not early while time goes on"), [] {
                       service_world w(polled());
                       in_threads(
                           [&] {
                               w.advance(4ms);
                               w.advance(1ms);
                           },
                           [&] {
                               w.make(0, {.deadline = 5ms});
                               w.move(0, 4ms);
                           },
                           [&] { w.pass(); });
                       w.settle();
                   }});
}

}  // namespace

scenarios polled_scenarios() {
    scenarios all;
    add_pairs(all);
    add_from_within(all);
    add_destructors(all);
    add_others(all);
    return all;
}

}  // namespace foliot
