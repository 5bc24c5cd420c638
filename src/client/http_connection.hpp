// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/types.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foliot::client::detail {

struct address {
    std::string host;
    std::string port;
};

/// Takes http://host[:port][/]; the port is 7300 if none is given.
client_result<address> parse_url(std::string_view url);

struct http_request {
    std::string method = "GET";
    std::string target = "/";
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::chrono::milliseconds timeout{10000};
    bool repeatable = false;  ///< may be sent again when a kept connection proves dead
};

struct http_response {
    unsigned status = 0;
    std::string body;  ///< empty if a sink took it
};

/// Takes a part of the body of a 2xx reply as it arrives.
using body_sink = std::function<void(std::string_view)>;

/// One HTTP/1.1 connection, kept alive between requests and opened when needed. The only file that
/// knows Boost.Beast is this header's .cpp.
class http_connection {
public:
    http_connection(address to, std::chrono::milliseconds connect_timeout,
                    std::size_t max_body_bytes);
    ~http_connection();

    client_result<http_response> exchange(const http_request& request,
                                          const body_sink& sink = nullptr);

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace foliot::client::detail
