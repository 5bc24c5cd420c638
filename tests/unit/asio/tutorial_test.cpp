// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// What Boost.Asio's tutorial and examples do with timers, as programs that write a text: with
// Boost's timer and with ours it must be the one that is expected.
#include "timers.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include <functional>
#include <memory>
#include <sstream>
#include <thread>

namespace foliot::test {
namespace {

using asio::ip::tcp;
constexpr auto second = 4ms;  // tests are in a hurry

template <class Timer>
class tutorial : public testing::Test {
protected:
    asio::io_context io;
    std::ostringstream out;
};
TYPED_TEST_SUITE(tutorial, timer_types, timer_names);

TYPED_TEST(tutorial, timer_is_waited_for) {
    TypeParam t(this->io, 5 * second);
    t.wait();
    this->out << "Hello, world!";
    EXPECT_EQ(this->out.str(), "Hello, world!");
}

TYPED_TEST(tutorial, timer_is_waited_for_asynchronously) {
    TypeParam t(this->io, 5 * second);
    t.async_wait([&](const error_code&) { this->out << "Hello, world!"; });
    this->io.run();
    EXPECT_EQ(this->out.str(), "Hello, world!");
}

template <class Timer>
void print(const error_code&, Timer* t, int* count, std::ostream* out) {
    if (*count == 5) return;
    *out << *count << ' ';
    ++*count;
    t->expires_at(t->expiry() + second);
    t->async_wait(std::bind(&print<Timer>, std::placeholders::_1, t, count, out));
}

TYPED_TEST(tutorial, arguments_are_bound_to_a_handler) {
    int count = 0;
    TypeParam t(this->io, second);
    const auto start = t.expiry();
    t.async_wait(std::bind(&print<TypeParam>, std::placeholders::_1, &t, &count, &this->out));
    this->io.run();
    this->out << "final count " << count;
    EXPECT_EQ(this->out.str(), "0 1 2 3 4 final count 5");
    EXPECT_EQ(t.expiry(), start + 5 * second);
}

template <class Timer>
class printer {
public:
    printer(asio::io_context& io, std::ostream& out) : timer_(io, second), out_(out) {
        timer_.async_wait(std::bind(&printer::print, this));
    }
    ~printer() { out_ << "final count " << count_; }

private:
    void print() {
        if (count_ == 5) return;
        out_ << count_++ << ' ';
        timer_.expires_at(timer_.expiry() + second);
        timer_.async_wait(std::bind(&printer::print, this));
    }

    Timer timer_;
    std::ostream& out_;
    int count_ = 0;
};

TYPED_TEST(tutorial, handler_is_a_member_function) {
    {
        const printer<TypeParam> p(this->io, this->out);
        this->io.run();
    }
    EXPECT_EQ(this->out.str(), "0 1 2 3 4 final count 5");
}

template <class Timer>
class two_printers {
public:
    explicit two_printers(asio::io_context& io)
        : strand_(asio::make_strand(io)), first_(io, second), second_(io, second) {
        wait(first_);
        wait(second_);
    }
    [[nodiscard]] int count() const { return count_; }

private:
    void wait(Timer& t) {
        t.async_wait(asio::bind_executor(strand_, [this, &t](const error_code&) {
            if (count_ == 10) return;
            ++count_;  // no lock: the strand is one
            t.expires_at(t.expiry() + second);
            wait(t);
        }));
    }

    asio::strand<asio::io_context::executor_type> strand_;
    Timer first_;
    Timer second_;
    int count_ = 0;
};

TYPED_TEST(tutorial, handlers_of_two_timers_are_synchronised_by_a_strand) {
    const two_printers<TypeParam> p(this->io);
    std::thread other([&] { this->io.run(); });
    this->io.run();
    other.join();
    EXPECT_EQ(p.count(), 10);
}

// The chains of the examples for `deferred`.
TYPED_TEST(tutorial, deferred_waits_are_chained) {
    TypeParam t(this->io, second);
    auto op = t.async_wait(asio::deferred([&](const error_code&) {
        this->out << "first wait. ";
        t.expires_after(second);
        return t.async_wait(asio::deferred);
    }))(asio::deferred([&](const error_code&) {
        this->out << "second wait. ";
        t.expires_after(second);
        return t.async_wait(
            asio::deferred([](const error_code&) { return asio::deferred.values(42); }));
    }));
    std::move(op)([&](int value) { this->out << "value " << value; });
    this->io.run();
    EXPECT_EQ(this->out.str(), "first wait. second wait. value 42");
}

// A composed operation that says something several times, with pauses.
template <class Timer, class Token>
auto async_say(std::ostream& out, Timer& t, std::string text, int times, Token&& token) {
    return asio::async_compose<Token, void(error_code, int)>(
        [&out, &t, text = std::move(text), times, said = 0](auto& self,
                                                            error_code ec = {}) mutable {
            if (ec || said == times) return self.complete(ec, said);
            out << text << ' ';
            ++said;
            t.expires_after(second);
            t.async_wait(std::move(self));
        },
        token, t);
}

TYPED_TEST(tutorial, timer_is_part_of_a_composed_operation) {
    TypeParam t(this->io);
    async_say(this->out, t, "hello", 3,
              [&](const error_code& ec, int n) { this->out << n << (ec ? " failed" : " done"); });
    this->io.run();
    auto result = async_say(this->out, t, "again", 2, asio::use_future);
    this->io.restart();
    this->io.run();
    EXPECT_EQ(result.get(), 2);
    EXPECT_EQ(this->out.str(), "hello hello hello 3 doneagain again ");
}

// A timer that never expires is what a writer waits for until there is something to write.
TYPED_TEST(tutorial, timer_is_a_condition_variable) {
    TypeParam news(this->io, clock::time_point::max());
    std::vector<std::string> queue;
    bool over = false;
    const auto writer = [&]() -> asio::awaitable<void> {
        while (!over || !queue.empty()) {
            if (queue.empty()) {
                error_code ec;
                co_await news.async_wait(asio::redirect_error(asio::use_awaitable, ec));
                continue;
            }
            this->out << queue.front() << ' ';
            queue.erase(queue.begin());
        }
    };
    const auto reader = [&]() -> asio::awaitable<void> {
        TypeParam pause(co_await asio::this_coro::executor);
        for (const char* word : {"one", "two", "three"}) {
            queue.emplace_back(word);
            news.cancel_one();
            pause.expires_after(second);
            co_await pause.async_wait(asio::use_awaitable);
        }
        over = true;
        news.cancel();
    };
    asio::co_spawn(this->io, writer(), asio::detached);
    asio::co_spawn(this->io, reader(), asio::detached);
    this->io.run();
    EXPECT_EQ(this->out.str(), "one two three ");
}

// An actor that checks a deadline: whatever is moved back in time is not missed, since it looks at
// the expiry rather than at the error.
template <class Timer>
class session : public std::enable_shared_from_this<session<Timer>> {
public:
    session(tcp::socket socket, std::ostream& out)
        : socket_(std::move(socket)), deadline_(socket_.get_executor()), out_(out) {}

    void start() {
        read();
        check_deadline();
    }

private:
    void read() {
        deadline_.expires_after(10 * second);
        asio::async_read_until(
            socket_, asio::dynamic_buffer(text_), '\n',
            [self = this->shared_from_this()](const error_code& ec, std::size_t n) {
                if (ec || !self->socket_.is_open()) return;
                self->out_ << self->text_.substr(0, n - 1) << ' ';
                self->text_.erase(0, n);
                self->read();
            });
    }
    void check_deadline() {
        deadline_.async_wait([self = this->shared_from_this()](const error_code&) {
            if (!self->socket_.is_open()) return;
            if (self->deadline_.expiry() <= clock::now()) {
                self->out_ << "closed";
                self->socket_.close();
            } else {
                self->check_deadline();
            }
        });
    }

    tcp::socket socket_;
    Timer deadline_;
    std::ostream& out_;
    std::string text_;
};

TYPED_TEST(tutorial, server_closes_a_session_that_is_silent) {
    tcp::acceptor acceptor(this->io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    acceptor.async_accept([&](const error_code& ec, tcp::socket s) {
        ASSERT_FALSE(ec) << ec.message();
        std::make_shared<session<TypeParam>>(std::move(s), this->out)->start();
    });
    const auto client = [&]() -> asio::awaitable<void> {
        tcp::socket socket(this->io);
        co_await socket.async_connect(acceptor.local_endpoint(), asio::use_awaitable);
        TypeParam pause(this->io);
        for (const char* word : {"a\n", "b\n", "c\n"}) {
            co_await asio::async_write(socket, asio::buffer(word, 2), asio::use_awaitable);
            pause.expires_after(second);
            co_await pause.async_wait(asio::use_awaitable);
        }
        char byte = 0;
        const auto [ec, n] = co_await socket.async_read_some(asio::buffer(&byte, 1),
                                                             asio::as_tuple(asio::use_awaitable));
        EXPECT_EQ(ec, asio::error::eof);
        EXPECT_EQ(n, 0U);
    };
    asio::co_spawn(this->io, client(), asio::detached);
    this->io.run();
    EXPECT_EQ(this->out.str(), "a b c closed");
}

// An echo whose peer has so much time for each message, with the operators for awaitables.
TYPED_TEST(tutorial, coroutine_races_with_a_timeout) {
    using namespace asio::experimental::awaitable_operators;
    tcp::acceptor acceptor(this->io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    const auto timeout = [](auto duration) -> asio::awaitable<void> {
        TypeParam t(co_await asio::this_coro::executor, duration);
        co_await t.async_wait(asio::use_awaitable);
    };
    const auto server = [&]() -> asio::awaitable<void> {
        tcp::socket s = co_await acceptor.async_accept(asio::use_awaitable);
        char text[16];
        while (true) {
            const auto got = co_await (s.async_read_some(asio::buffer(text), asio::use_awaitable) ||
                                       timeout(8 * second));
            if (got.index() == 1) break;
            this->out << "echo ";
            co_await asio::async_write(s, asio::buffer(text, std::get<0>(got)),
                                       asio::use_awaitable);
        }
        this->out << "too late";
    };
    const auto client = [&]() -> asio::awaitable<void> {
        tcp::socket s(this->io);
        co_await s.async_connect(acceptor.local_endpoint(), asio::use_awaitable);
        for (int i = 0; i < 3; ++i) {
            char byte = 'x';
            co_await asio::async_write(s, asio::buffer(&byte, 1), asio::use_awaitable);
            co_await s.async_read_some(asio::buffer(&byte, 1), asio::use_awaitable);
            co_await timeout(second);
        }
        char byte = 0;
        co_await s.async_read_some(asio::buffer(&byte, 1), asio::as_tuple(asio::use_awaitable));
    };
    asio::co_spawn(this->io, server(), asio::detached);
    asio::co_spawn(this->io, client(), asio::detached);
    this->io.run();
    EXPECT_EQ(this->out.str(), "echo echo echo too late");
}

}  // namespace
}  // namespace foliot::test
