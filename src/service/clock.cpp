// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/clock.hpp>

namespace foliot {

namespace {

class machine final : public service_clock {
public:
    [[nodiscard]] std::chrono::nanoseconds steady() const noexcept override {
        return detail::machine_steady();
    }
    [[nodiscard]] std::chrono::nanoseconds wall() const noexcept override {
        return std::chrono::system_clock::now().time_since_epoch();
    }
};

}  // namespace

const service_clock& machine_clock() noexcept {
    static const machine clock;
    return clock;
}

std::chrono::nanoseconds detail::machine_steady() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch();
}

}  // namespace foliot
