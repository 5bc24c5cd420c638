// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace foliot {

using namespace std::chrono_literals;

inline std::uint64_t seed_from_environment() {
    const char* const text = std::getenv("FOLIOT_SEED");
    const std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : 20260101;
    std::printf("FOLIOT_SEED=%llu\n", static_cast<unsigned long long>(seed));
    return seed;
}

inline std::chrono::milliseconds how_long() {
    const char* const text = std::getenv("FOLIOT_STRESS_SECONDS");
    return text != nullptr ? std::chrono::seconds(std::strtoul(text, nullptr, 10)) : 20s;
}

// A process that stops and continues this one now and then, until the end of the scope.
class pauser {
public:
    pauser() : child_(fork()) {
        if (child_ != 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (true) {
            usleep(400'000);
            kill(getppid(), SIGSTOP);
            usleep(60'000);
            kill(getppid(), SIGCONT);
        }
    }
    ~pauser() {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        kill(getpid(), SIGCONT);
    }
    pauser(const pauser&) = delete;
    pauser& operator=(const pauser&) = delete;

private:
    pid_t child_;
};

}  // namespace foliot
