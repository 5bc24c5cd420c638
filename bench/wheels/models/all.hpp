// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../contender.hpp"

#include <memory>

namespace bench {

// One function for each model and probe.
std::unique_ptr<contender> make_hierarchical_wheel();
std::unique_ptr<contender> make_hashed_wheel();
std::unique_ptr<contender> make_bucket_queue_wheel();
std::unique_ptr<contender> make_deadline_heap();
std::unique_ptr<contender> make_textbook_list_wheel();
std::unique_ptr<contender> make_priority_queue();
std::unique_ptr<contender> make_multimap();
std::unique_ptr<contender> make_asio();
std::unique_ptr<contender> make_libuv();
std::unique_ptr<contender> make_libevent();
std::unique_ptr<contender> make_libev();
std::unique_ptr<contender> make_probe_line();
std::unique_ptr<contender> make_probe_line_dependent();
std::unique_ptr<contender> make_probe_append();

/// All of them, in the order in which they take their turns.
contenders make_all();

}  // namespace bench
