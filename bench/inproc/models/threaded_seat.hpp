// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace bench {

/// At a model whose callbacks run on threads of its own: there is no loop to run.
class threaded_seat {
public:
    template <class F>
    void turn(F&& f) {
        f();
    }
    void wait() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }
};

}  // namespace bench
