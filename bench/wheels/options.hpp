// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// What the command line asked for; an empty list means all.
struct options {
    bool quick = false;   // up to 10^6, and only what the must-hold list needs
    bool smoke = false;   // tiny: are the checksums equal?
    bool strict = false;  // a miss in the must-hold list is a failure
    std::string json = "build/bench/wheels.json";
    std::string plots = "build/bench";
    std::vector<std::string> only;  // workloads
    std::vector<std::string> models;
    std::vector<std::uint64_t> sizes;
    int repeats = 5;
    std::uint64_t seed = 1;
};

/// Ends the process with a message where the arguments make no sense, and after --help.
options parse_options(int argc, char** argv);

}  // namespace bench
