// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// An echo server with Boost.Asio that closes a connection after a second of silence. Each
// connection has a timer, and each message sets it anew: nearly all waits are aborted, few ever
// expire. That is what asio_timer is for. steady_timer in its place works too, and takes more of
// the CPU.
//
// Four clients talk to it over loopback. 100 000 connections more, in the same io_context, have no
// socket: they only receive, for as long as each likes to talk.
#include <foliot/asio/asio_timer.hpp>
#include <foliot/asio/with_timeout.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <memory>
#include <random>
#include <utility>

namespace asio = boost::asio;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

constexpr auto idle_limit = 1s;
constexpr auto pause = 100ms;  // between two messages of a connection

// Calls `on_idle` when it was not refreshed for the limit.
class idle_timer {
public:
    template <class Executor>
    explicit idle_timer(const Executor& ex) : timer_(ex) {}

    template <class F>
    void refresh(F on_idle) {
        timer_.expires_after(idle_limit);  // the wait before ends with operation_aborted
        timer_.async_wait([on_idle](const error_code& ec) {
            if (!ec) on_idle();
        });
    }

private:
    foliot::asio_timer timer_;
};

// ---- the server -----------------------------------------------------------------------------

class session : public std::enable_shared_from_this<session> {
public:
    explicit session(tcp::socket socket)
        : socket_(std::move(socket)), idle_(socket_.get_executor()) {}

    void receive() {
        // Not a shared_ptr: that would keep a session whose peer has gone.
        idle_.refresh([weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->socket_.close();
        });
        socket_.async_read_some(asio::buffer(bytes_),
                                [self = shared_from_this()](const error_code& ec, std::size_t n) {
                                    if (!ec) self->echo(n);
                                });
    }

private:
    void echo(std::size_t n) {
        asio::async_write(socket_, asio::buffer(bytes_, n),
                          [self = shared_from_this()](const error_code& ec, std::size_t) {
                              if (!ec) self->receive();
                          });
    }

    tcp::socket socket_;
    idle_timer idle_;
    std::array<char, 1024> bytes_{};
};

asio::awaitable<void> serve(tcp::acceptor& acceptor) {
    while (true) {
        tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
        std::make_shared<session>(std::move(socket))->receive();
    }
}

// ---- four clients ---------------------------------------------------------------------------

struct client_result {
    int echoes = 0;
    bool closed_by_server = false;
    steady::duration silence{};
};

asio::awaitable<void> talk(tcp::endpoint server, int messages, client_result& result) {
    tcp::socket socket(co_await asio::this_coro::executor);
    co_await socket.async_connect(server, use_awaitable);
    foliot::asio_timer between(socket.get_executor());
    char byte = 'x';
    steady::time_point spoke;
    for (int i = 0; i < messages; ++i) {
        spoke = steady::now();
        co_await asio::async_write(socket, asio::buffer(&byte, 1), use_awaitable);
        // The server answers at once, or something is wrong: throws after 5 s.
        co_await socket.async_read_some(asio::buffer(&byte, 1),
                                        foliot::with_timeout(5s, use_awaitable));
        ++result.echoes;
        between.expires_after(pause);
        co_await between.async_wait(use_awaitable);
    }
    const auto [ec, n] =
        co_await socket.async_read_some(asio::buffer(&byte, 1), asio::as_tuple(use_awaitable));
    result.closed_by_server = ec == asio::error::eof;
    result.silence = steady::now() - spoke;
}

// ---- 100 000 connections without sockets ----------------------------------------------------

class crowd {
public:
    crowd(asio::io_context& io, std::size_t size) {
        std::mt19937_64 random(1);
        for (std::size_t i = 0; i < size; ++i) members_.emplace_back(io, random() % 20);
    }

    asio::awaitable<void> live() {
        foliot::asio_timer between(co_await asio::this_coro::executor, pause);
        for (unsigned round = 0; round <= 20; ++round) {
            for (member& m : members_) {
                if (round <= m.messages && m.open) receive(m);
            }
            co_await between.async_wait(use_awaitable);
            between.expires_at(between.expiry() + pause);
        }
    }

    std::size_t messages = 0;
    std::size_t closed = 0;
    std::size_t too_early = 0;

private:
    struct member {
        member(asio::io_context& io, std::size_t m) : idle(io.get_executor()), messages(m) {}
        idle_timer idle;
        std::size_t messages;
        steady::time_point last;
        bool open = true;
    };

    void receive(member& m) {
        ++messages;
        m.last = steady::now();
        m.idle.refresh([this, &m] { close(m); });
    }
    void close(member& m) {
        m.open = false;
        ++closed;
        if (steady::now() < m.last + idle_limit) ++too_early;
    }

    std::deque<member> members_;  // timers that wait could move, but &m could not
};

}  // namespace

int main() {
    constexpr std::size_t simulated = 100'000;
    asio::io_context io;
    crowd others(io, simulated);
    tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    asio::co_spawn(io, serve(acceptor), asio::detached);

    std::array<client_result, 4> clients;
    std::size_t left = clients.size() + 1;
    const auto ended = [&](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
        if (--left == 0) acceptor.close();  // and run() returns when nothing waits any more
    };
    for (std::size_t i = 0; i < clients.size(); ++i) {
        const int messages = 3 * static_cast<int>(i + 1);
        asio::co_spawn(io, talk(acceptor.local_endpoint(), messages, clients[i]), ended);
    }
    asio::co_spawn(io, others.live(), ended);

    const auto begin = steady::now();
    io.run();
    const std::chrono::duration<double> took = steady::now() - begin;

    bool right = others.closed == simulated && others.too_early == 0;
    for (const client_result& c : clients) {
        std::printf("a client had %d echoes, and was then closed %s\n", c.echoes,
                    c.closed_by_server ? "by the server" : "somehow");
        right = right && c.closed_by_server && c.silence >= idle_limit;
    }
    std::printf("of %zu simulated connections %zu were closed when silent, %zu too early\n",
                simulated, others.closed, others.too_early);
    std::fprintf(stderr, "%zu messages, each with a timer set anew, in %.1f s\n", others.messages,
                 took.count());
    return right ? 0 : 1;
}
