// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../contender.hpp"

#include <memory>

namespace bench {

// One function for each model and probe.
std::unique_ptr<contender> make_timer_service();
std::unique_ptr<contender> make_reusable_timer();
std::unique_ptr<contender> make_mutex_wheel();
std::unique_ptr<contender> make_mutex_priority_queue();
std::unique_ptr<contender> make_asio();
std::unique_ptr<contender> make_asio_timer();
std::unique_ptr<contender> make_libuv();
std::unique_ptr<contender> make_libevent();
std::unique_ptr<contender> make_probe_line();

/// All of them, in the order in which they take their turns.
contenders make_all();

}  // namespace bench
