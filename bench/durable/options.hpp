// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/command_line.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct options : common_options {
    options() { json = "build/bench/durable.json"; }

    std::uint64_t pending = 0;      // 0: as many as usual
    std::vector<std::string> dues;  // of those: distributions
    std::uint64_t rate = 0;         // firings a second
    std::uint64_t seconds = 0;      // of lateness
    std::string foliotd;
    std::string directory = "build/bench/durable.data";
};

/// Ends the process with a message where the arguments make no sense, and after --help.
options parse_options(int argc, char** argv);

}  // namespace bench
