// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

/// Places at which a test lets the process die. With FOLIOT_CRASH_AT=name or name:nth in its
/// environment, foliotd sends itself SIGKILL the first or nth time that it comes by the point of that
/// name. Only in builds with the CMake option FOLIOT_CRASH_POINTS, which are those for tests; in any
/// other nothing is left of a point, its condition and its name (tools/check_crash_points).

#ifdef FOLIOT_CRASH_POINTS

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

namespace foliot::server {

class crash_plan {
public:
    /// The plan of this process. The environment is read once, before anybody could change it.
    static crash_plan& instance() {
        static crash_plan plan;
        return plan;
    }

    [[nodiscard]] bool is_for(std::string_view point) const { return point == point_; }

    void come_by() {
        if (--left_ != 0) return;
        ::kill(::getpid(), SIGKILL);
        for (;;) ::pause();  // this thread does nothing more while the others are brought down
    }

private:
    crash_plan() {
        const char* given = std::getenv("FOLIOT_CRASH_AT");
        if (given == nullptr) return;
        point_ = given;
        const auto colon = point_.find(':');
        if (colon == std::string::npos) return;
        left_ = std::strtol(point_.c_str() + colon + 1, nullptr, 10);
        point_.resize(colon);
    }

    std::string point_;
    std::atomic<long> left_{1};
};

}  // namespace foliot::server

#define FOLIOT_CRASH_POINT_IF(name, condition)                  \
    do {                                                        \
        auto& plan_ = ::foliot::server::crash_plan::instance(); \
        if (plan_.is_for(name) && (condition)) plan_.come_by(); \
    } while (false)

#else

#define FOLIOT_CRASH_POINT_IF(name, condition) static_cast<void>(0)

#endif

#define FOLIOT_CRASH_POINT(name) FOLIOT_CRASH_POINT_IF(name, true)
