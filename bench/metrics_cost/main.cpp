// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Pairs of schedule + cancel, and little else, for tools/metrics_cost to count instructions in.
#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <cstdio>

int main() {
    constexpr int pairs = 100'000;
    foliot::timer_service timers({.driver = false, .workers = 0});
    for (int i = 0; i < pairs; ++i) timers.after(std::chrono::minutes(1), [] {}).cancel();
    std::printf("%d\n", pairs);
}
