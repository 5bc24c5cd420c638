// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "delayed/delayed_scenarios.hpp"

#include "delayed/delayed_world.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace foliot {

namespace {

struct action {
    std::string name;
    std::function<void(delayed_world&)> take;
};

// What may be done about operation 0, which is watched.
std::vector<action> actions() {
    return {
        {"check 1", [](delayed_world& w) { w.meet_and_check(0, 1); }},
        {"check 2", [](delayed_world& w) { w.meet_and_check(0, 2); }},
        {"cancel 1", [](delayed_world& w) { w.cancel(1); }},
        {"force", [](delayed_world& w) { w.force(0); }},
        {"expire", [](delayed_world& w) { w.expire(); }},
        {"purge", [](delayed_world& w) { w.purge(); }},
    };
}

// Each of them in a thread; operation 0 is watched before, or by one of them.
template <class... F>
std::function<void()> threads(bool watched, F... each) {
    return [=] {
        delayed_world w;
        if (watched) w.watch(0);
        in_threads([&w, each] { each(w); }...);
        w.settle();
    };
}

void watch(delayed_world& w) { w.watch(0); }

void add_pairs(scenarios& all) {
    const auto some = actions();
    for (std::size_t i = 0; i < some.size(); ++i) {
        all.push_back(
            {all_of("delayed/watch beside " + some[i].name), threads(false, &watch, some[i].take)});
        for (std::size_t j = i; j < some.size(); ++j) {
            all.push_back({all_of("delayed/" + some[i].name + "+" + some[j].name),
                           threads(true, some[i].take, some[j].take)});
        }
    }
}

void add_triples(scenarios& all) {
    const auto check_1 = [](delayed_world& w) { w.meet_and_check(0, 1); };
    const auto check_2 = [](delayed_world& w) { w.meet_and_check(0, 2); };
    const auto cancel = [](delayed_world& w) { w.cancel(1); };
    const auto expire = [](delayed_world& w) { w.expire(); };
    all.push_back({all_of("delayed/watch beside a check and an expiration"),
                   threads(false, &watch, check_1, expire)});
    all.push_back({all_of("delayed/watch beside a cancel and a check"),
                   threads(false, &watch, cancel, check_2)});
    all.push_back({all_of("delayed/two checks and an expiration"),
                   threads(
                       true, check_1, [](delayed_world& w) { w.check(2); }, expire)});
    all.push_back({all_of("delayed/a check, a cancel and an expiration"),
                   threads(true, check_2, cancel, expire)});
}

void add_others(scenarios& all) {
    all.push_back({all_of("delayed/two operations under the same keys"), [] {
                       delayed_world w;
                       w.watch(0);
                       w.watch(1);
                       in_threads([&] { w.meet_and_check(0, 1); }, [&] { w.meet_and_check(1, 1); });
                       w.settle();
                   }});
    all.push_back({all_of("delayed/lists are swept while they are looked at"), [] {
                       delayed_world w(polled(), 0);
                       w.watch(0);
                       in_threads([&] { w.meet_and_check(0, 1); },
                                  [&] {
                                      w.watch(1);
                                      w.force(1);
                                  });
                       w.settle();
                   }});
    all.push_back({all_of("delayed/what is forced while it is entered is swept"), [] {
                       delayed_world w(polled(), 0);
                       in_threads([&] { w.watch(0); }, [&] { w.force(0); });
                       w.settle();
                   }});
    all.push_back({all_of("delayed/a timeout is rejected beside a check"), [] {
                       service_options o = polled();
                       const auto room = std::make_shared<small_executor>(1);
                       o.executor = room;
                       o.when_full = overload::reject;
                       delayed_world w(o);
                       w.room = room;
                       w.watch(0);
                       w.watch(1);
                       in_threads([&] { w.expire(); }, [&] { w.meet_and_check(0, 1); });
                       w.settle();
                   }});
    for (const bool watched : {false, true}) {
        all.push_back({all_of(watched ? "delayed/the service stops beside a check"
                                      : "delayed/the service stops beside a watch"),
                       [watched] {
                           delayed_world w;
                           if (watched) w.watch(0);
                           in_threads([&] { w.stop(); },
                                      [&] { watched ? w.meet_and_check(0, 1) : w.watch(0); });
                           w.settle(false);
                       }});
    }
}

}  // namespace

scenarios delayed_scenarios() {
    scenarios all;
    add_pairs(all);
    add_triples(all);
    add_others(all);
    return all;
}

}  // namespace foliot
