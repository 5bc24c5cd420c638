// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/http_server.hpp"

#include "server/http_session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <new>
#include <optional>
#include <thread>
#include <vector>

namespace foliot::server {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;
using boost::system::error_code;

constexpr auto no_throw = net::as_tuple(net::use_awaitable);
constexpr std::chrono::milliseconds accept_pause{100};
constexpr std::size_t max_refusals = 64;  // beyond it a connection is closed without a word

}  // namespace

void session_registry::add(stoppable& s) {
    const std::lock_guard lock(mutex_);
    all_.insert(&s);
}

void session_registry::remove(stoppable& s) {
    const std::lock_guard lock(mutex_);
    all_.erase(&s);
    if (all_.empty()) emptied_.notify_all();
}

void session_registry::begin_stop() {
    stopping_ = true;
    const std::lock_guard lock(mutex_);
    for (auto* s : all_) s->begin_stop();
}

bool session_registry::wait_empty(std::chrono::nanoseconds timeout) {
    std::unique_lock lock(mutex_);
    return emptied_.wait_for(lock, timeout, [this] { return all_.empty(); });
}

std::size_t session_registry::size() const {
    const std::lock_guard lock(mutex_);
    return all_.size();
}

class http_server::impl {
public:
    explicit impl(const http_environment& environment) : environment_(environment) {}
    ~impl() { shutdown(); }

    result<std::uint16_t, std::string> listen(const listen_address& address) {
        const tcp::endpoint endpoint(net::ip::make_address(address.host), address.port);
        error_code ec;
        acceptor_.open(endpoint.protocol(), ec);
        if (!ec) acceptor_.set_option(net::socket_base::reuse_address(true), ec);
        if (!ec) acceptor_.bind(endpoint, ec);
        if (!ec) acceptor_.listen(net::socket_base::max_listen_connections, ec);
        if (ec) {
            return "cannot listen on " + address.host + " port " + std::to_string(address.port) +
                   ": " + ec.message();
        }
        return acceptor_.local_endpoint().port();
    }

    void start() {
        net::co_spawn(accept_strand_, accept_all(), net::detached);
        for (std::size_t i = 0; i < environment_.options.net_threads; ++i) {
            threads_.emplace_back([this] { context_.run(); });
        }
    }

    void begin_stop() {
        net::post(accept_strand_, [this] {
            error_code ignored;
            acceptor_.close(ignored);
        });
        registry_.begin_stop();
    }

    bool wait_idle(std::chrono::nanoseconds timeout) { return registry_.wait_empty(timeout); }

    void shutdown() {
        work_.reset();
        context_.stop();
        for (auto& thread : threads_) thread.join();
        threads_.clear();
    }

private:
    net::awaitable<void> accept_all() {
        net::steady_timer pause(acceptor_.get_executor());
        while (acceptor_.is_open()) {
            auto [ec, socket] =
                co_await acceptor_.async_accept(net::make_strand(context_), no_throw);
            if (ec == net::error::operation_aborted || !acceptor_.is_open()) co_return;
            if (ec) {  // mostly: no file descriptor is free. Trying again at once would spin.
                environment_.log.warn("accept failed", {{"error", ec.message()}});
                pause.expires_after(accept_pause);
                co_await pause.async_wait(no_throw);
                continue;
            }
            try {
                take(std::move(socket));
            } catch (const std::bad_alloc&) {  // this connection is lost; the next may fit
                environment_.log.error("no memory for a connection");
            }
        }
    }

    void take(tcp::socket socket) {
        auto& counters = environment_.counters;
        ++counters.accepted;
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        socket.set_option(net::socket_base::keep_alive(true), ignored);
        const auto open = registry_.size();
        const auto max = environment_.options.max_connections;
        if (registry_.stopping() || open >= max + max_refusals) {
            ++counters.refused;
        } else if (open >= max) {
            ++counters.refused;
            start_refusal(std::move(socket), environment_, registry_);
        } else {
            start_session(std::move(socket), environment_, registry_);
        }
    }

    const http_environment environment_;
    session_registry registry_;  // outlives the sessions, which the context's handlers own
    net::io_context context_;
    std::optional<net::executor_work_guard<net::io_context::executor_type>> work_{
        net::make_work_guard(context_)};
    net::strand<net::io_context::executor_type> accept_strand_{net::make_strand(context_)};
    tcp::acceptor acceptor_{accept_strand_};
    std::vector<std::thread> threads_;
};

http_server::http_server(const http_environment& environment)
    : impl_(std::make_unique<impl>(environment)) {}
http_server::~http_server() = default;

result<std::uint16_t, std::string> http_server::listen(const listen_address& address) {
    return impl_->listen(address);
}
void http_server::start() { impl_->start(); }
void http_server::begin_stop() { impl_->begin_stop(); }
bool http_server::wait_idle(std::chrono::nanoseconds timeout) { return impl_->wait_idle(timeout); }
void http_server::shutdown() { impl_->shutdown(); }

}  // namespace foliot::server
