// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/timer_service.hpp>

#include "threaded_seat.hpp"

#include <chrono>
#include <optional>

namespace bench {

/// At Foliot's service, whichever timers the caller keeps.
class service_seat : public threaded_seat {
public:
    explicit service_seat(foliot::timer_service& timers) : timers_(timers) {}

    template <class Object>
    std::optional<std::chrono::steady_clock::time_point> due(const Object& o) const {
        const auto deadline = o.timer.deadline();
        if (!deadline) return std::nullopt;
        return std::chrono::steady_clock::time_point(*deadline);
    }

protected:
    foliot::timer_service& timers_;
};

}  // namespace bench
