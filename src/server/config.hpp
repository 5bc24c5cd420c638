// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "engine/options.hpp"
#include "protocol/limits.hpp"
#include "server/log.hpp"
#include "server/readiness.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace foliot::server {

/// Options of the HTTP side. The name behind each is the setting's name.
struct http_options {
    /// http.threads: threads that read and write sockets. One is enough for most machines.
    std::size_t net_threads = 1;

    /// limits.connections: open at a time; a further one is answered 503 and closed.
    std::size_t max_connections = 10'000;

    /// limits.header_bytes: request line and header fields of one request.
    std::size_t header_bytes = std::size_t{16} << 10;

    /// limits.body_memory: bytes of request bodies under way at a time, over all connections, each
    /// with its stated length. Bodies above 1/1024 of it share three quarters of it.
    std::size_t body_memory = std::size_t{256} << 20;

    /// limits.head_timeout, limits.body_timeout: from the first byte of a request's head resp. body
    /// to its last. limits.write_timeout: a response must be taken within it.
    std::chrono::milliseconds head_timeout{10'000};
    std::chrono::milliseconds body_timeout{30'000};
    std::chrono::milliseconds write_timeout{30'000};

    /// limits.idle_timeout: a kept-alive connection without a request is closed after it.
    std::chrono::milliseconds idle_timeout{120'000};

    /// limits.metrics_queues: queues with metrics of their own; the others are summed up.
    std::size_t metrics_queues = 100;
};

struct config {
    std::string data = "data";
    std::string listen = "127.0.0.1:7300";
    std::string auth_token_file;
    std::string backup_directory;
    std::string durability = "fdatasync";
    std::string log_format_name = "text";
    std::string log_level_name = "info";
    std::chrono::milliseconds stop_timeout{10'000};

    http_options http;
    ready_options ready;
    engine::options engine;
    protocol::limits limits;

    [[nodiscard]] log_format format() const;
    [[nodiscard]] log_level level() const;
    /// Whether an acknowledged change is on the disk (else: in the operating system's cache).
    [[nodiscard]] bool durable() const { return durability == "fdatasync"; }
};

/// One setting: a key of the file, a flag, a row of the documentation, and where its value is kept.
struct setting {
    using target =
        std::variant<std::string*, std::size_t*, std::uint32_t*, std::chrono::milliseconds*>;
    std::string_view name;  ///< "window.max_timers"; its flag is --window-max-timers
    target value;
    std::string_view help;
    std::uint64_t min = 0;  ///< of numbers; durations in ms
    std::uint64_t max = 0;
    std::string_view unit;                  ///< "bytes", "ms", "count"; empty for texts
    std::vector<std::string_view> choices;  ///< of texts; empty: any
};

/// All settings, in the order of the documentation; they point into `c`.
[[nodiscard]] std::vector<setting> settings_of(config& c);

/// Set from text as the command line or the file has it: numbers, "64KiB", "15m". Durations
/// without a unit are milliseconds. The error names the setting and what it takes.
result<done, std::string> assign(const setting& s, std::string_view text);
/// The value, in a form that `assign` takes.
[[nodiscard]] std::string value_of(const setting& s);
[[nodiscard]] std::string flag_of(const setting& s);

/// Read the text of a TOML file into `c`; `name` is for the messages ("name:line: ...").
result<done, std::string> apply_toml(config& c, std::string_view text, std::string_view name);

/// The settings with their values as a commented TOML file.
[[nodiscard]] std::string print_config(const config& c);

/// Print `out` to standard output resp. `err` to standard error, and end with `code`.
struct early_exit {
    int code = 0;
    std::string out;
    std::string err;
};

/// Defaults, then the file of --config, then the flags.
[[nodiscard]] std::variant<config, early_exit> parse_command_line(
    const std::vector<std::string>& arguments);

/// Every number that bounds something and that protocol::describe does not tell already.
[[nodiscard]] std::vector<protocol::named_limit> other_limits(const config& c);

/// "host:port"; IPv6 hosts in brackets. The host must be an address, not a name.
struct listen_address {
    std::string host;
    std::uint16_t port = 0;
    bool loopback = false;
};
result<listen_address, std::string> parse_listen(std::string_view text);

[[nodiscard]] std::string_view version();

}  // namespace foliot::server
