// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <unistd.h>
#include <cstdio>

namespace bench {

namespace {
bool on_terminal() { return isatty(STDERR_FILENO) != 0; }
}  // namespace

void show_progress(const std::string& what) {
    if (on_terminal()) std::fprintf(stderr, "\r\x1b[K%s ", what.c_str());
}

void clear_progress() {
    if (on_terminal()) std::fputs("\r\x1b[K", stderr);
}

}  // namespace bench
