// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "all.hpp"

namespace bench {

contenders make_all() {
    constexpr std::unique_ptr<contender> (*makers[])() = {
        make_timer_service, make_reusable_timer, make_mutex_wheel, make_mutex_priority_queue,
        make_asio,          make_asio_timer,     make_libuv,       make_libevent,
        make_probe_line,
    };
    contenders all;
    for (const auto make : makers) all.push_back(make());
    return all;
}

}  // namespace bench
