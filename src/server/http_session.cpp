// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/http_session.hpp"

#include "server/clock.hpp"
#include "server/crash_point.hpp"
#include "server/http_wire.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foliot::server {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = net::ip::tcp;
using beast::error_code;
using protocol::http_response;

constexpr auto no_throw = net::as_tuple(net::use_awaitable);
constexpr std::size_t read_ahead = std::size_t{64} << 10;  // of bodies and pipelined requests
constexpr std::size_t idle_buffer = std::size_t{8} << 10;  // an idle connection keeps no more
constexpr std::chrono::seconds linger_time{2};
constexpr std::size_t linger_bytes = std::size_t{4} << 20;
constexpr std::chrono::milliseconds backup_poll{10};
constexpr std::chrono::seconds answer_grace{2};  // for the loop to answer after its own timeout

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

http_response problem(unsigned status, std::string code, std::string message) {
    return protocol::error_response({status, std::move(code), std::move(message)});
}

http_response limit_problem(unsigned status, std::string code, const std::string& what,
                            std::string_view setting, std::uint64_t limit) {
    return protocol::error_response(
        {status, std::move(code),
         what + "; the limit is " + std::to_string(limit) + " (" + std::string{setting} + ")", "",
         limit});
}

[[maybe_unused]] bool gives_timers(const engine::reply& reply) {
    const auto* given = std::get_if<engine::deliveries>(&reply);
    return given != nullptr && !given->items.empty();
}

/// A share of limits.body_memory, given back when it goes out of scope.
class body_share {
public:
    body_share() = default;
    body_share(const body_share&) = delete;
    body_share& operator=(const body_share&) = delete;
    ~body_share() { give_back(); }

    bool take(http_counters& counters, std::uint64_t bytes, std::uint64_t max) {
        give_back();
        if (counters.body_bytes.fetch_add(bytes) + bytes > max) {
            counters.body_bytes.fetch_sub(bytes);
            return false;
        }
        counters_ = &counters;
        bytes_ = bytes;
        return true;
    }
    void give_back() {
        if (counters_ != nullptr) counters_->body_bytes.fetch_sub(bytes_);
        counters_ = nullptr;
    }

private:
    http_counters* counters_ = nullptr;
    std::uint64_t bytes_ = 0;
};

class session : public stoppable, public std::enable_shared_from_this<session> {
public:
    session(tcp::socket socket, const http_environment& environment, session_registry& registry)
        : stream_(std::move(socket)),
          answered_(stream_.get_executor()),
          environment_(environment),
          registry_(registry),
          buffer_(environment.options.header_bytes + read_ahead) {
        ++environment_.counters.connections;
        registry_.add(*this);
    }
    ~session() override {
        registry_.remove(*this);
        --environment_.counters.connections;
    }

    void begin_stop() override {
        // The registry's lock is held: the session is alive, but may be on its way out.
        auto self = weak_from_this().lock();
        if (!self) return;
        net::post(stream_.get_executor(), [self = std::move(self)] {
            if (self->idle_) self->take_no_more();
        });
    }

    void start() { spawn(serve()); }
    void start_refused() { spawn(refuse()); }

private:
    using request_parser = http::request_parser<http::string_body>;

    void spawn(net::awaitable<void> coroutine) {
        net::co_spawn(stream_.get_executor(), std::move(coroutine),
                      [self = shared_from_this()](const std::exception_ptr& failed) {
                          // Out of memory: this connection ends, the others go on.
                          if (failed) self->environment_.log.error("a connection failed");
                      });
    }

    net::awaitable<void> serve() {
        // One co_await a statement: g++ 12 miscompiles them inside && and ||.
        for (bool go_on = true; go_on;) {
            go_on = co_await wait_for_request();
            if (go_on) go_on = co_await read_head();
            if (go_on) go_on = co_await serve_request();
        }
        close();
    }

    net::awaitable<void> refuse() {
        auto response = limit_problem(503, "too_many_connections", "too many connections are open",
                                      "limits.connections", environment_.options.max_connections);
        response.retry_after_s = 1;
        keep_alive_ = false;
        co_await send(response);
        co_await linger();
        close();
    }

    /// No more input: what has arrived is still read and answered, for its client has sent it in
    /// good faith; then a read says that the connection ended.
    void take_no_more() {
        error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_receive, ignored);
    }

    void close() {
        error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
        stream_.close();
    }

    // Reading -----------------------------------------------------------------------------------

    /// Wait for the first bytes of a request, if they are not there yet.
    net::awaitable<bool> wait_for_request() {
        parser_.reset();
        if (buffer_.size() > 0) co_return true;
        if (registry_.stopping()) take_no_more();
        if (buffer_.capacity() > idle_buffer) buffer_.shrink_to_fit();
        const auto& o = environment_.options;
        stream_.expires_after(served_ == 0 ? o.head_timeout : o.idle_timeout);
        idle_ = true;
        const bool read = co_await read_some();
        idle_ = false;
        co_return read;
    }

    net::awaitable<bool> read_some() {
        const auto room = std::min(buffer_.max_size() - buffer_.size(), std::size_t{4096});
        if (room == 0) co_return false;
        auto [ec, n] = co_await stream_.async_read_some(buffer_.prepare(room), no_throw);
        if (!ec) buffer_.commit(n);
        co_return !ec;
    }

    net::awaitable<bool> read_head() {
        parser_.emplace();
        parser_->header_limit(static_cast<std::uint32_t>(environment_.options.header_bytes));
        parser_->body_limit(boost::none);  // depends on the target: see accept_body
        keep_alive_ = false;
        http_1_0_ = false;
        head_only_ = false;
        stream_.expires_after(environment_.options.head_timeout);
        idle_ = true;
        auto [ec, n] = co_await http::async_read_header(stream_, buffer_, *parser_, no_throw);
        idle_ = false;
        if (!ec) co_return true;
        if (auto wrong = describe(ec)) co_await send_and_close(*wrong);
        co_return false;
    }

    /// What to tell a client about a request that Beast could not read; nothing if it is gone.
    std::optional<http_response> describe(const error_code& ec) {
        const auto& o = environment_.options;
        if (ec == beast::error::timeout) {
            ++environment_.counters.timeouts;
            return std::nullopt;  // the stream is closed already
        }
        if (ec == http::error::header_limit || ec == http::error::buffer_overflow) {
            const bool in_line = view(parser_->get().target()).empty();
            return in_line ? limit_problem(414, "target_too_long", "the request line is too long",
                                           "limits.header_bytes", o.header_bytes)
                           : limit_problem(431, "header_too_large", "the header is too large",
                                           "limits.header_bytes", o.header_bytes);
        }
        if (ec == http::error::body_limit) return too_large();
        if (ec == http::error::end_of_stream) return std::nullopt;
        if (ec == http::error::partial_message) {
            if (registry_.stopping()) {
                return problem(503, "stopping", "the server is going down; try again");
            }
            return problem(400, "bad_request", "the connection ended within the request");
        }
        if (ec.category() != make_error_code(http::error::bad_line_ending).category()) {
            return std::nullopt;  // the connection broke
        }
        return problem(400, "bad_request", "the request is not valid HTTP: " + ec.message());
    }

    http_response too_large() {
        return protocol::body_too_large(view(parser_->get().target()), environment_.limits);
    }

    // One request --------------------------------------------------------------------------------

    /// False: the connection is to be closed (or is).
    net::awaitable<bool> serve_request() {
        const auto& head = parser_->get();
        ++served_;
        http_1_0_ = head.version() < 11;
        keep_alive_ = head.keep_alive();
        head_only_ = head.method() == http::verb::head;
        body_share share;
        if (auto wrong = check_head(share)) {
            // The body stays unread, so that what follows it could not be told from it.
            if (!parser_->is_done()) co_return co_await send_and_close(*wrong);
            co_return co_await send(*wrong);
        }
        if (!parser_->is_done()) {
            const bool whole = co_await read_body();
            if (!whole) co_return false;
        }
        if (view(parser_->get().target()) == backup_target) co_return co_await answer_backup();
        co_return co_await answer(parse());
    }

    std::optional<http_response> check_head(body_share& share) {
        const auto& head = parser_->get();
        const auto target = view(head.target());
        if (head.version() != 11 && head.version() != 10) {
            return problem(505, "http_version", "only HTTP/1.1 and HTTP/1.0 are spoken here");
        }
        if (head.count(http::field::host) > 1 ||
            (!http_1_0_ && head.count(http::field::host) == 0)) {
            keep_alive_ = false;
            return problem(400, "bad_request", "an HTTP/1.1 request has one Host header");
        }
        const auto encoding = head.find(http::field::transfer_encoding);
        if (encoding != head.end() && !beast::iequals(encoding->value(), "chunked")) {
            keep_alive_ = false;
            return problem(501, "transfer_encoding", "the only transfer encoding is chunked");
        }
        if (!needs_no_token(target) &&
            !environment_.tokens.accepts(view(head[http::field::authorization]))) {
            ++environment_.counters.unauthorized;
            return problem(401, "unauthorized", "send a header Authorization: Bearer <token>");
        }
        const auto origin = view(head[http::field::origin]);
        if (!origin.empty() && !same_origin(origin, view(head[http::field::host]))) {
            return problem(403, "cross_origin", "web pages of other origins are not served");
        }
        return accept_body(target, share);
    }

    std::optional<http_response> accept_body(std::string_view target, body_share& share) {
        if (parser_->is_done()) return std::nullopt;
        const std::uint64_t limit = protocol::body_limit(target, environment_.limits);
        const auto length = parser_->content_length();
        if (length && *length > limit) return too_large();
        parser_->body_limit(limit);
        const auto& o = environment_.options;
        // A body counts with its stated length from here on. Large ones leave a quarter free, so
        // that slow uploads never keep small requests (an ack, say) out.
        const std::uint64_t bytes = length.value_or(limit);
        const std::uint64_t large = o.body_memory / 1024;
        const std::uint64_t bound = bytes > large ? o.body_memory / 4 * 3 : o.body_memory;
        if (!share.take(environment_.counters, bytes, bound)) {
            auto full = limit_problem(503, "overloaded", "too many request bodies are held",
                                      "limits.body_memory", o.body_memory);
            full.retry_after_s = 1;
            return full;
        }
        const auto expect = parser_->get()[http::field::expect];
        if (!expect.empty() && !beast::iequals(expect, "100-continue")) {
            return problem(417, "expectation_failed", "the only expectation is 100-continue");
        }
        return std::nullopt;
    }

    net::awaitable<bool> read_body() {
        const bool expects = !parser_->get()[http::field::expect].empty();
        if (expects && !http_1_0_ && buffer_.size() == 0) {
            static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
            const bool told = co_await write(net::buffer(go_on));
            if (!told) co_return false;
            ++environment_.counters.responses[0];
        }
        stream_.expires_after(environment_.options.body_timeout);
        auto [ec, n] = co_await http::async_read(stream_, buffer_, *parser_, no_throw);
        if (!ec) co_return true;
        if (auto wrong = describe(ec)) co_await send_and_close(*wrong);
        co_return false;
    }

    /// The header's value, if it is there. One that is there twice is as wrong as an empty one.
    template <class Name>
    std::optional<std::string_view> condition(Name name) const {
        const auto& head = parser_->get();
        const auto count = head.count(name);
        if (count == 0) return std::nullopt;
        return count == 1 ? view(head[name]) : std::string_view{};
    }

    protocol::parsed_request parse() {
        const auto& head = parser_->get();
        protocol::http_request request;
        request.method = head_only_ ? "GET" : view(head.method_string());
        request.target = view(head.target());
        request.body = head.body();
        request.if_match = condition(http::field::if_match);
        request.if_none_match = condition(http::field::if_none_match);
        request.idempotency_key = condition("Idempotency-Key");
        const bool options = head.method() == http::verb::options;
        if (options && request.target == "*") return options_response("");
        auto parsed = protocol::parse_http(request, environment_.limits);
        if (const auto* r = std::get_if<http_response>(&parsed); options && r && r->status == 405) {
            return options_response(r->allow);
        }
        // The parsed request owns its data: do not hold the bytes twice.
        parser_->get().body() = std::string{};
        return parsed;
    }

    static http_response options_response(const std::string& allow) {
        http_response r;
        r.status = 204;
        r.allow = allow.empty() ? "GET, HEAD, PUT, POST, DELETE, OPTIONS" : allow + ", OPTIONS";
        return r;
    }

    net::awaitable<bool> answer(protocol::parsed_request parsed) {
        if (auto* ready = std::get_if<http_response>(&parsed)) co_return co_await send(*ready);
        if (auto* page = std::get_if<protocol::operational>(&parsed)) {
            co_return co_await send(environment_.page(*page));
        }
        if (auto* batch = std::get_if<protocol::batch>(&parsed)) {
            co_return co_await answer_batch(std::move(*batch));
        }
        co_return co_await answer_call(std::move(*std::get_if<protocol::call>(&parsed)));
    }

    /// It may take minutes, and is made on another thread.
    net::awaitable<bool> answer_backup() {
        const auto& head = parser_->get();
        const auto made =
            environment_.copies.begin(view(head.method_string()), head.body(), environment_.limits);
        stream_.expires_never();
        while (made.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
            answered_.expires_after(backup_poll);
            co_await answered_.async_wait(no_throw);
        }
        co_return co_await send(made.get());
    }

    net::awaitable<bool> answer_call(protocol::call call) {
        std::chrono::milliseconds wait{0};
        if (const auto* lease = std::get_if<engine::lease_timers>(&call.what)) wait = lease->wait;
        std::vector<engine::command> commands;
        commands.push_back(std::move(call.what));
        auto replies = co_await ask(std::move(commands), wait);
        if (replies.empty()) co_return false;  // the client is gone
        FOLIOT_CRASH_POINT_IF("before_answer", !gives_timers(replies.front()));
        FOLIOT_CRASH_POINT_IF("before_delivery", gives_timers(replies.front()));
        const bool sent = co_await send(protocol::render(call.how, replies.front()));
        FOLIOT_CRASH_POINT_IF("after_answer", !gives_timers(replies.front()));
        FOLIOT_CRASH_POINT_IF("after_delivery", gives_timers(replies.front()));
        co_return sent;
    }

    net::awaitable<bool> answer_batch(protocol::batch batch) {
        std::vector<engine::command> commands;
        for (auto& line : batch.lines) {
            if (auto* call = std::get_if<protocol::call>(&line)) {
                commands.push_back(std::move(call->what));
            }
        }
        std::vector<engine::reply> replies;
        if (!commands.empty()) replies = co_await ask(std::move(commands), {});
        std::string lines;
        auto reply = replies.begin();
        for (auto& line : batch.lines) {
            if (const auto* call = std::get_if<protocol::call>(&line)) {
                lines += protocol::render_batch_line(call->how, *reply++);
            } else {
                lines += *std::get_if<std::string>(&line);
            }
        }
        FOLIOT_CRASH_POINT("before_answer");
        const bool sent = co_await send(protocol::batch_response(std::move(lines)));
        FOLIOT_CRASH_POINT("after_answer");
        co_return sent;
    }

    // The engine ---------------------------------------------------------------------------------

    /// One reply a command. While a lease request waits, the client is watched: none if it is gone.
    net::awaitable<std::vector<engine::reply>> ask(std::vector<engine::command> commands,
                                                   std::chrono::milliseconds wait) {
        const auto count = commands.size();
        const auto serial = ++asked_;
        replies_.reset();
        peer_gone_ = false;
        const auto call = std::make_shared<open_call>(
            [self = shared_from_this(), serial](std::vector<engine::reply> replies) {
                net::post(self->stream_.get_executor(),
                          [self, serial, r = std::move(replies)]() mutable {
                              self->replies_arrived(serial, std::move(r));
                          });
            });
        environment_.loop.submit(call, std::move(commands));
        if (wait.count() > 0) start_watching();
        // The loop answers within its own timeouts; the timer is for a loop that hangs.
        answered_.expires_after(wait + environment_.store_timeout + answer_grace);
        if (!replies_ && !peer_gone_) co_await answered_.async_wait(no_throw);
        co_await stop_watching();
        if (replies_) co_return std::move(*replies_);
        ++asked_;  // an answer that comes now is for nobody
        environment_.loop.abandon(call);
        if (peer_gone_) co_return std::vector<engine::reply>{};
        co_return std::vector<engine::reply>(
            count, engine::failure{engine::failure_code::store_unavailable,
                                   "no answer in time; a change may or may not have been made",
                                   {},
                                   0,
                                   std::nullopt});
    }

    void replies_arrived(std::uint64_t serial, std::vector<engine::reply> replies) {
        if (serial != asked_) return;
        replies_ = std::move(replies);
        answered_.cancel();
    }

    /// Read ahead while a request waits, to notice when the client goes. What it sends meanwhile
    /// is its next request; when the buffer is full, watching ends.
    void start_watching() {
        stream_.expires_never();
        watching_ = true;
        unwatch_ = false;
        net::co_spawn(stream_.get_executor(), watch(),
                      [self = shared_from_this()](const std::exception_ptr&) {
                          self->watching_ = false;
                          self->answered_.cancel();
                      });
    }

    net::awaitable<void> watch() {
        while (!unwatch_ && !replies_ && buffer_.size() < buffer_.max_size()) {
            const bool read = co_await read_some();
            if (read) continue;
            peer_gone_ = !unwatch_ && !replies_;
            co_return;
        }
    }

    net::awaitable<void> stop_watching() {
        unwatch_ = true;
        while (watching_) {
            answered_.expires_at(net::steady_timer::time_point::max());
            stream_.cancel();
            co_await answered_.async_wait(no_throw);
        }
    }

    // Writing ------------------------------------------------------------------------------------

    template <class Buffers>
    net::awaitable<bool> write(const Buffers& buffers) {
        stream_.expires_after(environment_.options.write_timeout);
        auto [ec, n] = co_await net::async_write(stream_, buffers, no_throw);
        if (ec == beast::error::timeout) ++environment_.counters.timeouts;
        co_return !ec;
    }

    /// True: the connection may serve another request.
    net::awaitable<bool> send(const http_response& response) {
        if (registry_.stopping()) keep_alive_ = false;
        ++environment_.counters.responses[std::min(std::max(response.status / 100, 1U), 5U) - 1];
        const auto head = response_head(response, keep_alive_, http_1_0_, http_date());
        const std::array<net::const_buffer, 2> parts{
            net::buffer(head), head_only_ ? net::const_buffer{} : net::buffer(response.body)};
        const bool sent = co_await write(parts);
        if (sent && !keep_alive_) co_await linger();
        co_return sent&& keep_alive_;
    }

    net::awaitable<bool> send_and_close(const http_response& response) {
        keep_alive_ = false;
        co_return co_await send(response);
    }

    /// Closing a socket with unread bytes makes the client lose the response that it has not read
    /// yet. So: say that we are done, then read and forget for a while.
    net::awaitable<void> linger() {
        error_code ec;
        stream_.socket().shutdown(tcp::socket::shutdown_send, ec);
        buffer_.consume(buffer_.size());
        stream_.expires_after(linger_time);
        std::size_t total = 0;
        while (!ec && total < linger_bytes) {
            auto [read_error, n] =
                co_await stream_.async_read_some(buffer_.prepare(4096), no_throw);
            ec = read_error;
            total += n;
        }
    }

    beast::tcp_stream stream_;
    net::steady_timer answered_;
    const http_environment& environment_;
    session_registry& registry_;
    beast::flat_buffer buffer_;
    std::optional<request_parser> parser_;
    std::uint64_t served_ = 0;
    bool idle_ = false;  // no request is here as a whole head: a stop may end the input
    bool keep_alive_ = false;
    bool http_1_0_ = false;
    bool head_only_ = false;

    // Of the request that waits for the engine.
    std::uint64_t asked_ = 0;
    std::optional<std::vector<engine::reply>> replies_;
    bool watching_ = false;
    bool unwatch_ = false;  // watching is to end
    bool peer_gone_ = false;
};

}  // namespace

void start_session(tcp::socket socket, const http_environment& environment,
                   session_registry& registry) {
    std::make_shared<session>(std::move(socket), environment, registry)->start();
}

void start_refusal(tcp::socket socket, const http_environment& environment,
                   session_registry& registry) {
    std::make_shared<session>(std::move(socket), environment, registry)->start_refused();
}

}  // namespace foliot::server
