// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace foliot::cli {

/// What the program exits with; part of its interface (`foliot --help` lists them).
enum class exit_code : int {
    ok = 0,
    no = 1,              ///< the server said no: not found, gone, stale, refused; or stdout failed
    usage = 2,           ///< the command line is wrong
    cannot_connect = 3,  ///< no server, or the connection was lost before its reply
    try_later = 4,       ///< the server is there but cannot take this now
};

}  // namespace foliot::cli
