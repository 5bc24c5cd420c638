// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <exception>

namespace bench {

/// What main returns: what `measure` does, or 2 if it throws, which is told.
template <class Measure>
int run_program(const char* name, Measure&& measure) {
    try {
        return measure();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name, error.what());
        return 2;
    }
}

}  // namespace bench
