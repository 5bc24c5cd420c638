// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace foliot::test {

struct raw_response {
    int status = 0;  ///< 0: the connection ended or the time was over before a whole response
    std::map<std::string, std::string> headers;  ///< names in lower case
    std::string body;
};

/// One TCP connection that sends any bytes and reads HTTP responses. Plain sockets: it shares no
/// code with the server or with Foliot's own client.
class raw_client {
public:
    explicit raw_client(std::uint16_t port);
    ~raw_client();
    raw_client(const raw_client&) = delete;
    raw_client& operator=(const raw_client&) = delete;

    [[nodiscard]] bool connected() const { return fd_ >= 0; }

    /// False: the connection is gone.
    bool send(std::string_view bytes);
    void finish_sending();
    void close();

    /// The next response; `head`: it has no body whatever its Content-Length says.
    raw_response read(std::chrono::milliseconds patience = std::chrono::seconds{30},
                      bool head = false);
    raw_response ask(std::string_view method, std::string_view target, std::string_view body = {},
                     std::string_view headers = {});

    /// Whether the server closes the connection within `patience`; skips what it sends before.
    bool closed_within(std::chrono::milliseconds patience);

private:
    bool fill(std::chrono::steady_clock::time_point until);

    int fd_ = -1;
    std::string buffer_;
};

/// A request with Host, Content-Length and `headers` (each ends with CRLF).
std::string request_text(std::string_view method, std::string_view target,
                         std::string_view body = {}, std::string_view headers = {});

/// One request on a connection of its own.
raw_response ask_once(std::uint16_t port, std::string_view method, std::string_view target,
                      std::string_view body = {}, std::string_view headers = {});

/// The value of the first member `name` in JSON text: a string's content, or a number's text.
std::string json_member(std::string_view json, std::string_view name);
std::size_t count_of(std::string_view text, std::string_view part);

/// Value of a sample without labels in Prometheus text; -1 if it is not there.
double metric(std::string_view text, std::string_view name);

}  // namespace foliot::test
