// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/http_connection.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <sys/socket.h>
#include <array>
#include <cerrno>
#include <optional>

namespace foliot::client::detail {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using boost::system::error_code;

namespace {

client_error error_of(error_kind kind, std::string_view code, std::string message) {
    return {.kind = kind,
            .status = 0,
            .code = std::string(code),
            .message = std::move(message),
            .field = {},
            .limit = {}};
}

using wire_request = http::request<http::string_body>;
using wire_parser = http::response_parser<http::buffer_body>;

wire_request to_wire(const http_request& request, const address& to) {
    wire_request wire;
    wire.version(11);
    wire.method_string(request.method);
    wire.target(request.target);
    wire.set(http::field::host, to.host + ":" + to.port);
    for (const auto& [name, value] : request.headers) wire.set(name, value);
    wire.body() = request.body;
    wire.prepare_payload();
    return wire;
}

}  // namespace

class http_connection::impl {
public:
    impl(address to, std::chrono::milliseconds connect_timeout, std::size_t max_body_bytes)
        : to_(std::move(to)), connect_timeout_(connect_timeout), max_body_bytes_(max_body_bytes) {}

    client_result<http_response> exchange(const http_request& request, const body_sink& sink) {
        const auto wire = to_wire(request, to_);
        if (stream_ && peer_closed()) close();
        const bool kept = stream_.has_value();
        for (bool again = false;; again = true) {
            if (!stream_) {
                if (auto connected = connect(); !connected) return std::move(connected).error();
            }
            bool heard = false;
            auto answer = exchange_once(wire, request.timeout, sink, heard);
            if (answer) return answer;
            close();
            const bool stale = answer.error().kind == error_kind::connection_lost && !heard;
            if (!kept || again || !stale || !request.repeatable) return answer;
        }
    }

private:
    /// Runs one asynchronous operation to its end, so that the stream's timeout holds for it.
    template <class Start>
    error_code run(Start start) {
        error_code result;
        start([&result](error_code e, auto&&...) { result = e; });
        context_.restart();
        context_.run();
        return result;
    }

    client_result<done> connect() {
        error_code failed;
        tcp::resolver resolver(context_);
        const auto endpoints = resolver.resolve(to_.host, to_.port, failed);
        if (!failed) {
            stream_.emplace(context_);
            stream_->expires_after(connect_timeout_);
            failed = run([&](auto handler) { stream_->async_connect(endpoints, handler); });
        }
        if (failed) {
            close();
            return error_of(
                error_kind::cannot_connect, "cannot_connect",
                "cannot connect to " + to_.host + ":" + to_.port + ": " + failed.message());
        }
        error_code ignored;
        stream_->socket().set_option(tcp::no_delay(true), ignored);
        return done{};
    }

    /// Has the peer ended a connection that idles? Then a request would be lost on it.
    bool peer_closed() {
        char byte = 0;
        const auto got =
            ::recv(stream_->socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    }

    client_result<http_response> exchange_once(const wire_request& wire,
                                               std::chrono::milliseconds timeout,
                                               const body_sink& sink, bool& heard) {
        stream_->expires_after(timeout);
        const auto unsent = run([&](auto h) { http::async_write(*stream_, wire, h); });
        if (unsent == beast::error::timeout) return lost(unsent);

        // A server that refuses a long body answers before it has read it all and then closes: the
        // write fails, yet the answer is there to be read.
        wire_parser parser;
        parser.body_limit(max_body_bytes_);
        const auto no_head =
            run([&](auto h) { http::async_read_header(*stream_, buffer_, parser, h); });
        heard = parser.got_some();
        if (no_head) return lost(unsent ? unsent : no_head);
        return read_body(parser, sink);
    }

    client_result<http_response> read_body(wire_parser& parser, const body_sink& sink) {
        http_response response;
        response.status = parser.get().result_int();
        const bool streamed = sink && response.status / 100 == 2;
        std::array<char, 16384> part;
        while (!parser.is_done()) {
            parser.get().body().data = part.data();
            parser.get().body().size = part.size();
            auto failed = run([&](auto h) { http::async_read_some(*stream_, buffer_, parser, h); });
            if (failed == http::error::need_buffer) failed = {};
            const std::string_view got(part.data(), part.size() - parser.get().body().size);
            if (streamed) {
                if (!got.empty()) sink(got);
            } else {
                response.body.append(got);
            }
            if (failed) return lost(failed);
        }
        if (!parser.keep_alive()) close();
        return response;
    }

    client_error lost(error_code why) const {
        const auto at = " (" + to_.host + ":" + to_.port + ")";
        if (why == beast::error::timeout) {
            return error_of(error_kind::timed_out, "timed_out", "no complete reply in time" + at);
        }
        if (why == http::error::body_limit) {
            return error_of(error_kind::bad_reply, "bad_reply",
                            "the reply is longer than " + std::to_string(max_body_bytes_) +
                                " bytes (max_reply_bytes)" + at);
        }
        if (why.category() == http::make_error_code(http::error::end_of_stream).category() &&
            why != http::error::end_of_stream && why != http::error::partial_message) {
            return error_of(error_kind::bad_reply, "bad_reply",
                            "the reply is not HTTP: " + why.message() + at);
        }
        return error_of(error_kind::connection_lost, "connection_lost",
                        "the connection ended before the reply: " + why.message() + at);
    }

    void close() {
        if (!stream_) return;
        error_code ignored;
        stream_->socket().close(ignored);
        stream_.reset();
        buffer_.clear();
    }

    address to_;
    std::chrono::milliseconds connect_timeout_;
    std::size_t max_body_bytes_;
    asio::io_context context_{1};
    std::optional<beast::tcp_stream> stream_;
    beast::flat_buffer buffer_;
};

http_connection::http_connection(address to, std::chrono::milliseconds connect_timeout,
                                 std::size_t max_body_bytes)
    : impl_(std::make_unique<impl>(std::move(to), connect_timeout, max_body_bytes)) {}

http_connection::~http_connection() = default;

client_result<http_response> http_connection::exchange(const http_request& request,
                                                       const body_sink& sink) {
    return impl_->exchange(request, sink);
}

client_result<address> parse_url(std::string_view url) {
    const auto bad = [&](std::string_view why) {
        return error_of(
            error_kind::bad_argument, "bad_url",
            "'" + std::string(url) + "' " + std::string(why) + "; write http://host:port");
    };
    constexpr std::string_view scheme = "http://";
    if (!url.starts_with(scheme)) return bad("does not begin with http://");
    auto rest = url.substr(scheme.size());
    if (rest.ends_with('/')) rest.remove_suffix(1);
    if (rest.find_first_of("/?#@ ") != std::string_view::npos) {
        return bad("has more than a host and a port");
    }
    const auto colon = rest.rfind(':');
    const bool has_port = colon != std::string_view::npos && rest.find(']', colon) == rest.npos;
    auto host = has_port ? rest.substr(0, colon) : rest;
    const auto port = has_port ? rest.substr(colon + 1) : std::string_view("7300");
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (host.empty()) return bad("names no host");
    if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != port.npos ||
        std::stoul(std::string(port)) > 65535) {
        return bad("has a port that is not a number up to 65535");
    }
    return address{std::string(host), std::string(port)};
}

}  // namespace foliot::client::detail
