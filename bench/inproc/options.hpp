// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// What the command line asked for; an empty list means all.
struct options {
    bool quick = false;   // fewer turns
    bool smoke = false;   // tiny: are the checksums equal?
    bool strict = false;  // a miss in the must-hold list is a failure
    std::string json = "build/bench/inproc.json";
    std::vector<std::string> only;  // workloads
    std::vector<std::string> models;
    std::vector<std::uint64_t> sizes;
    std::vector<std::uint64_t> threads;
    int repeats = 0;  // 0: as many as is usual
    std::uint64_t seed = 1;
};

/// Ends the process with a message where the arguments make no sense, and after --help.
options parse_options(int argc, char** argv);

}  // namespace bench
