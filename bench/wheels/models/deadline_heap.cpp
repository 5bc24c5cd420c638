// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"
#include "foliot_model.hpp"

#include <foliot/wheel/deadline_heap.hpp>

namespace bench {

namespace {
struct queue : foliot_model<foliot::deadline_heap> {
    using foliot_model::foliot_model;
    static constexpr std::string_view name = "deadline_heap";
};
}  // namespace

std::unique_ptr<contender> make_deadline_heap() {
    return std::make_unique<model_contender<queue>>();
}

}  // namespace bench
