// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "all.hpp"

namespace bench {

contenders make_all() {
    constexpr std::unique_ptr<contender> (*makers[])() = {
        make_hierarchical_wheel,
        make_textbook_list_wheel,
        make_probe_line,
    };
    contenders all;
    for (const auto make : makers) all.push_back(make());
    return all;
}

}  // namespace bench
