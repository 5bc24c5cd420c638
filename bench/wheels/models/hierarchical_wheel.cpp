// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"
#include "foliot_model.hpp"

#include <foliot/wheel/hierarchical_wheel.hpp>

namespace bench {

namespace {
struct queue : foliot_model<foliot::hierarchical_wheel<>> {
    using foliot_model::foliot_model;
    static constexpr std::string_view name = "hierarchical_wheel";
};
}  // namespace

std::unique_ptr<contender> make_hierarchical_wheel() {
    return std::make_unique<model_contender<queue>>();
}

}  // namespace bench
