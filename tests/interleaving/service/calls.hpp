// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/scenario.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace foliot {

/// Something that a thread may do about timer 0 (and 1, if it has the same group).
template <class World>
struct call_of {
    std::string name;
    std::function<void(World&)> make_it;
};

template <class World>
[[nodiscard]] std::vector<call_of<World>> calls() {
    return {
        {"cancel", [](World& w) { w.cancel(0); }},
        {"cancel_and_wait", [](World& w) { w.cancel_and_wait(0); }},
        {"later", [](World& w) { w.move(0, 9ms); }},
        {"now", [](World& w) { w.move(0, 0ms); }},
        {"look", [](World& w) { w.look(0); }},
        {"cancel_group", [](World& w) { w.cancel_group(); }},
        {"make", [](World& w) { w.make(2, {.deadline = 3ms}); }},
        {"audit", [](World& w) { w.audit(); }},
        {"pass", [](World& w) { w.pass(); }},
        {"stop", [](World& w) { w.stop(); }},
    };
}

template <class World>
[[nodiscard]] std::vector<call_of<World>> calls_named(std::initializer_list<const char*> names) {
    std::vector<call_of<World>> some;
    for (const auto& c : calls<World>()) {
        if (std::any_of(names.begin(), names.end(), [&](const char* n) { return c.name == n; })) {
            some.push_back(c);
        }
    }
    return some;
}

}  // namespace foliot
