// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/arena.hpp"
#include "plan.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// What one turn of one model gave.
struct outcome {
    std::map<std::string, double, std::less<>> metrics;

    /// Of what was done: the plan's, or that was not done.
    std::uint64_t checksum = 0;
};

/// One model or probe, behind one virtual call a turn: the loops are in its own translation unit.
class contender {
public:
    contender() = default;
    contender(const contender&) = delete;
    contender& operator=(const contender&) = delete;
    virtual ~contender() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual bool takes(workload what) const = 0;

    /// How large a caller's object is.
    [[nodiscard]] virtual std::size_t object_bytes() const = 0;

    virtual outcome run(const plan& p, arena& memory) = 0;
};

using contenders = std::vector<std::unique_ptr<contender>>;

}  // namespace bench
