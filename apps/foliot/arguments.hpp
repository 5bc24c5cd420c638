// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace foliot::cli {

// The command line as values: one struct a command, with the defaults that --help shows.

struct global_arguments {
    std::string url = "http://127.0.0.1:7300";
    std::string token;
    std::string ns = "default";
    bool json = false;
    std::string timeout = "10s";
};

struct set_arguments {
    std::string id;
    std::string in;
    std::string at;
    std::string queue;
    std::string payload;       ///< JSON, or "-": from stdin
    std::string payload_file;  ///< or "-": from stdin
    bool create_only = false;
    std::string if_match;
    std::string mode;
    std::string idempotency_key;
    std::string retain;
};

struct cancel_arguments {
    std::vector<std::string> ids;
    std::string if_match;
};

struct get_arguments {
    std::string id;
};

struct ls_arguments {
    std::string prefix;
    std::string from;
    std::string to;
    std::size_t limit = 100;
    bool all = false;
};

struct lease_arguments {
    std::string queue = "default";
    std::size_t max = 1;
    std::string wait = "0s";
    std::string lease = "30s";
};

struct watch_arguments {
    std::string queue = "default";
    bool ack = false;
    std::optional<std::uint64_t> count;  ///< absent: until interrupted
    std::string lease = "30s";
};

enum class settle_verb : std::uint8_t { ack, nack, extend };

struct settle_arguments {
    settle_verb verb = settle_verb::ack;
    std::string queue = "default";
    std::vector<std::string> tokens;
    std::string delay;          ///< nack; empty: the server's backoff
    std::string next_delay;     ///< ack: set again; empty: not
    std::string next_payload;   ///< JSON; empty: as it was
    std::string lease = "30s";  ///< extend
};

struct stats_arguments {};
struct limits_arguments {};

struct backup_arguments {
    std::string to;  ///< a directory of the server's machine
};

struct restore_arguments {
    std::string from;
    std::string to;
};

using command = std::variant<set_arguments, cancel_arguments, get_arguments, ls_arguments,
                             lease_arguments, watch_arguments, settle_arguments, stats_arguments,
                             limits_arguments, backup_arguments, restore_arguments>;

struct parsed {
    bool run = false;  ///< false: print `text`, if any; a usage error is said already
    std::string text;  ///< help or version
    int exit = 0;      ///< then exit with this
    global_arguments global;
    command what;
};

/// Reads the command line and the environment (FOLIOT_URL, FOLIOT_TOKEN); says usage errors itself.
/// The only file that knows CLI11 is this header's .cpp.
[[nodiscard]] parsed parse_arguments(int argc, const char* const* argv);

}  // namespace foliot::cli
