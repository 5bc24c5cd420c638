// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/command_line.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct options : common_options {
    options() { json = "build/bench/inproc.json"; }

    std::vector<std::string> models;
    std::vector<std::uint64_t> sizes;
    std::vector<std::uint64_t> threads;
    int repeats = 0;  // 0: as many as is usual
};

/// Ends the process with a message where the arguments make no sense, and after --help.
options parse_options(int argc, char** argv);

}  // namespace bench
