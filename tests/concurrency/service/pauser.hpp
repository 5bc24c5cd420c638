// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

namespace foliot {

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
