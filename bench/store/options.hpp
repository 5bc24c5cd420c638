// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct options {
    bool quick = false;
    bool smoke = false;
    bool strict = false;
    std::vector<std::string> only;
    std::vector<std::string> models;
    std::vector<std::uint64_t> groups;
    int repeats = 0;  // 0: as many as usual
    std::uint64_t seed = 1;
    std::string directory = "build/bench/store.data";
    std::string json = "build/bench/store.json";
};

/// Ends the process with a message where the arguments make no sense, and after --help.
options parse_options(int argc, char** argv);

}  // namespace bench
