// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "all.hpp"

namespace bench {

contenders make_all() {
    constexpr std::unique_ptr<contender> (*makers[])() = {
        make_hierarchical_wheel,
        make_hashed_wheel,
        make_bucket_queue_wheel,
        make_deadline_heap,
        make_textbook_list_wheel,
        make_priority_queue,
        make_multimap,
        make_asio,
        make_libuv,
        make_libevent,
        make_libev,
        make_probe_line,
        make_probe_line_dependent,
        make_probe_append,
    };
    contenders all;
    for (const auto make : makers) {
        if (auto one = make()) all.push_back(std::move(one));
    }
    return all;
}

}  // namespace bench
