// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arguments.hpp"
#include "client/client.hpp"
#include "exit_code.hpp"

#include <string_view>

namespace foliot::cli {

/// What every command works with.
struct context {
    client::client& server;
    bool json = false;
    bool colours = false;
};

exit_code run(context& c, const set_arguments& a);
exit_code run(context& c, const cancel_arguments& a);
exit_code run(context& c, const get_arguments& a);
exit_code run(context& c, const ls_arguments& a);
exit_code run(context& c, const lease_arguments& a);
exit_code run(context& c, const watch_arguments& a);
exit_code run(context& c, const settle_arguments& a);
exit_code run(context& c, const stats_arguments& a);
exit_code run(context& c, const limits_arguments& a);
exit_code run(context& c, const backup_arguments& a);
exit_code run(context& c, const restore_arguments& a);

/// Says on stderr what went wrong (with --json as an object) and what that exits with.
exit_code report(const context& c, const client::client_error& e);

/// A mistake on the command line that only a command can see.
exit_code report_usage(const context& c, std::string_view message);

/// Writes to stdout. Whether that worked, `flushed` says.
void print(std::string_view text);

/// Flushes stdout. False: something printed, now or earlier, could not be written.
[[nodiscard]] bool flushed();

/// Ends every command: flushes stdout and says on stderr if that or an earlier write failed. What to
/// exit with, `code` being what the command came to.
[[nodiscard]] exit_code finish_output(bool json, exit_code code);

}  // namespace foliot::cli
