// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "all.hpp"

#include "../model_contender.hpp"
#include "foliot_model.hpp"

#include <foliot/wheel/hashed_wheel.hpp>

namespace bench {

namespace {
struct queue : foliot_model<foliot::hashed_wheel<hashed_lap>> {
    using foliot_model::foliot_model;
    static constexpr std::string_view name = "hashed_wheel";
};
}  // namespace

std::unique_ptr<contender> make_hashed_wheel() {
    return std::make_unique<model_contender<queue>>();
}

}  // namespace bench
