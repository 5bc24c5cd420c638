// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/scenario.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <ostream>
#include <string>

namespace foliot {

inline void PrintTo(const scenario& s, std::ostream* out) { *out << s.how.name; }

/// Each of them as a test of its own, by its name.
struct name_of_scenario {
    std::string operator()(const testing::TestParamInfo<scenario>& which) const {
        std::string name = which.param.how.name;
        for (char& c : name) {
            if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
        }
        return name;
    }
};

/// A service numbers the threads by which it chooses a shard, as they come: thread 0 of an
/// execution is to have number 0.
inline void number_threads() {
    static const bool done = [] {
        interleaving::prepare_threads([] {
            const manual_service_clock clock;
            service_options o = polled();
            o.clock = &clock;
            service_subject::service timers(o);
            timers.after(1s, [] {});
        });
        return true;
    }();
    static_cast<void>(done);
}

}  // namespace foliot
