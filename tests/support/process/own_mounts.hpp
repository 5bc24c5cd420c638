// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <unistd.h>
#include <fstream>
#include <string>

namespace foliot::test_support {

/// For tests run by an ordinary user: become root of a user namespace, who may mount in it. Root may
/// as it is. Whether it worked shows when the test mounts.
inline void may_mount() {
    if (::geteuid() == 0) return;
    const auto uid = std::to_string(::getuid());
    const auto gid = std::to_string(::getgid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << gid << " 1";
}

}  // namespace foliot::test_support
