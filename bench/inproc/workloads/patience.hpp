// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stdexcept>

namespace bench {

/// Ends the program when a model has lost a timer.
class patience {
public:
    void lose() const {
        if (std::chrono::steady_clock::now() > end_) throw std::runtime_error("a timer is lost");
    }

private:
    static constexpr std::chrono::seconds much{60};
    std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + much;
};

}  // namespace bench
