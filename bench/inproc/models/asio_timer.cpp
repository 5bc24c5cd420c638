// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/asio/asio_timer.hpp>

#include "../model_contender.hpp"
#include "all.hpp"
#include "asio_model.hpp"

namespace bench {

namespace {
/// Foliot's timer for Asio, in the same program.
struct asio_timer : asio_model<foliot::asio_timer> {
    using asio_model::asio_model;
    static constexpr std::string_view name = "asio_timer";
};
}  // namespace

std::unique_ptr<contender> make_asio_timer() {
    return std::make_unique<model_contender<asio_timer>>();
}

}  // namespace bench
