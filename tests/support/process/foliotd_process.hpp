// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace foliot::test_support {

/// A new, empty folder under the system's temporary one; removed with all it holds at the end.
class temp_dir {
public:
    temp_dir();
    ~temp_dir();
    temp_dir(const temp_dir&) = delete;
    temp_dir& operator=(const temp_dir&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// A port of 127.0.0.1 that nobody listens on, below the range that the kernel gives to outgoing
/// connections: a client that keeps trying a port inside that range while the server is down can
/// end up connected to itself.
std::uint16_t free_port();

/// A real foliotd, started, killed and started again on one data directory and one port.
///
/// Start and destroy it on a thread that outlives it: the kernel kills the server when the thread
/// that started it ends, so that a crashed test leaves none behind.
class foliotd_process {
public:
    struct options {
        std::filesystem::path binary;
        std::filesystem::path data;                 ///< the data directory
        std::filesystem::path log;                  ///< stdout and stderr are appended to it
        std::uint16_t port = 0;                     ///< 0: free_port()
        std::vector<std::string> flags = {};        ///< after --data and --listen
        std::vector<std::string> environment = {};  ///< "NAME=value", over what the test has
        std::chrono::milliseconds start_timeout{30000};
    };

    explicit foliotd_process(options o);
    ~foliotd_process();  ///< kills it if it runs
    foliotd_process(const foliotd_process&) = delete;
    foliotd_process& operator=(const foliotd_process&) = delete;

    /// Starts it and waits until /readyz answers 200. Empty: it is ready; else what went wrong, with
    /// the end of the log. Precondition: it does not run.
    [[nodiscard]] std::string start();

    /// Starts it without waiting.
    void launch();
    [[nodiscard]] std::string wait_until_ready();

    /// SIGKILL, and waits until it is gone.
    void kill_nine();

    /// SIGTERM; the exit status (0 of a clean stop; 128 + n if signal n ended it), or -1 if it is
    /// still there after `patience` (and then killed).
    int terminate(std::chrono::milliseconds patience = std::chrono::seconds{20});

    /// Waits until it ended by itself. Its exit status, as `terminate`; -1 if it still runs then.
    [[nodiscard]] int wait_for_end(std::chrono::milliseconds patience);

    [[nodiscard]] bool running();
    [[nodiscard]] std::uint16_t port() const { return options_.port; }
    [[nodiscard]] std::string url() const;
    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] std::string log_text() const;

    /// For the next start.
    void set_flags(std::vector<std::string> flags) { options_.flags = std::move(flags); }
    void set_environment(std::vector<std::string> e) { options_.environment = std::move(e); }

private:
    [[nodiscard]] std::string log_tail() const;

    options options_;
    pid_t pid_ = -1;
    int exit_status_ = -1;
};

struct http_answer {
    int status = 0;  ///< 0: no answer
    std::string body;
};

/// One request on a connection of its own, by plain sockets and without the client library.
http_answer plain_http(std::uint16_t port, const std::string& method, const std::string& target,
                       const std::string& body = {}, const std::string& more_headers = {});

/// A connected socket, or -1.
int plain_connect(std::uint16_t port);

/// The bytes of a request with its Content-Length, as plain_http sends them.
std::string plain_request(const std::string& method, const std::string& target,
                          const std::string& body, const std::string& more_headers = {});

}  // namespace foliot::test_support
