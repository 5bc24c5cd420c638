// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"
#include "asio_model.hpp"

#include <boost/asio/steady_timer.hpp>

namespace bench {

namespace {
struct asio : asio_model<boost::asio::steady_timer> {
    using asio_model::asio_model;
    static constexpr std::string_view name = "asio";
};
}  // namespace

std::unique_ptr<contender> make_asio() { return std::make_unique<model_contender<asio>>(); }

}  // namespace bench
