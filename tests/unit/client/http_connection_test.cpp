// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "client/http_connection.hpp"

#include <gmock/gmock.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace foliot::client::detail {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One accepted connection of the scripted server.
class peer {
public:
    explicit peer(int fd) : fd_(fd) {}
    ~peer() { ::close(fd_); }
    peer(const peer&) = delete;
    peer& operator=(const peer&) = delete;

    /// Reads one whole request (head and Content-Length) and returns its first line.
    std::string request() {
        while (data_.find("\r\n\r\n") == data_.npos) {
            if (!more()) return "";
        }
        const auto head = data_.find("\r\n\r\n") + 4;
        const auto length = data_.find("Content-Length: ");
        const std::size_t body = length < head ? std::stoul(data_.substr(length + 16)) : 0;
        while (data_.size() < head + body) {
            if (!more()) return "";
        }
        auto line = data_.substr(0, data_.find("\r\n"));
        data_.erase(0, head + body);
        return line;
    }

    void send(const std::string& bytes) { ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

    /// Until the other side ends the connection.
    void wait_for_end() {
        while (more()) data_.clear();
    }

    [[nodiscard]] int fd() const { return fd_; }

private:
    bool more() {
        char part[4096];
        const auto got = ::recv(fd_, part, sizeof part, 0);
        if (got > 0) data_.append(part, static_cast<std::size_t>(got));
        return got > 0;
    }

    int fd_;
    std::string data_;
};

std::string reply(const std::string& body, const std::string& status = "200 OK") {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

/// Plays one script for each connection, in the order they come.
class scripted_server {
public:
    using script = std::function<void(peer&)>;

    explicit scripted_server(std::vector<script> scripts) {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
        ::listen(listener_, 8);
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::jthread([this, scripts = std::move(scripts)] {
            for (const auto& play : scripts) {
                const int fd = ::accept(listener_, nullptr, nullptr);
                if (fd < 0) return;
                peer p(fd);
                play(p);
            }
        });
    }
    ~scripted_server() {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }

    [[nodiscard]] http_connection connect(std::size_t max_body = 1 << 20) const {
        return {{"127.0.0.1", std::to_string(port_)}, 2000ms, max_body};
    }

private:
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::jthread thread_;
};

const http_request get{.method = "GET", .target = "/g", .timeout = 2000ms, .repeatable = true};
const http_request put{.method = "PUT", .target = "/p", .body = "{}", .timeout = 2000ms};

TEST(http_connection, one_connection_serves_many_requests) {
    std::vector<std::string> lines;
    scripted_server server({[&](peer& p) {
        for (int i = 0; i < 3; ++i) {
            lines.push_back(p.request());
            p.send(reply(std::to_string(i)));
        }
    }});
    auto connection = server.connect();
    for (int i = 0; i < 3; ++i) {
        const auto got = connection.exchange(i == 1 ? put : get);
        ASSERT_TRUE(got.has_value()) << got.error().message;
        EXPECT_EQ(got.value().body, std::to_string(i));
    }
    EXPECT_THAT(lines, ElementsAre("GET /g HTTP/1.1", "PUT /p HTTP/1.1", "GET /g HTTP/1.1"));
}

TEST(http_connection, a_change_is_not_sent_on_a_connection_that_was_closed_while_idle) {
    scripted_server server({[](peer& p) {
                                p.request();
                                p.send(reply("1"));
                            },
                            [](peer& p) {
                                p.request();
                                p.send(reply("2"));
                            }});
    auto connection = server.connect();
    ASSERT_TRUE(connection.exchange(put).has_value());
    std::this_thread::sleep_for(50ms);  // until the end of the first connection arrived
    const auto again = connection.exchange(put);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(again.value().body, "2");
}

/// Answers once, takes a second request and ends the connection without a word.
void answer_one_of_two(peer& p) {
    p.request();
    p.send(reply("1"));
    p.request();
}

TEST(http_connection, a_read_is_repeated_once_when_a_kept_connection_dies) {
    scripted_server server({answer_one_of_two, [](peer& p) {
                                p.request();
                                p.send(reply("2"));
                            }});
    auto connection = server.connect();
    ASSERT_TRUE(connection.exchange(get).has_value());
    const auto again = connection.exchange(get);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(again.value().body, "2");
}

TEST(http_connection, a_change_is_never_repeated) {
    int connections = 1;
    scripted_server server({answer_one_of_two, [&](peer&) { ++connections; }});
    auto connection = server.connect();
    ASSERT_TRUE(connection.exchange(put).has_value());
    const auto lost = connection.exchange(put);
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().kind, error_kind::connection_lost);
    EXPECT_TRUE(lost.error().outcome_unknown());
    EXPECT_EQ(connections, 1);
}

TEST(http_connection, a_read_on_a_new_connection_is_not_repeated) {
    scripted_server server({[](peer& p) { p.request(); }});
    auto connection = server.connect();
    const auto lost = connection.exchange(get);
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().kind, error_kind::connection_lost);
}

TEST(http_connection, half_a_reply_is_a_lost_connection) {
    scripted_server server({[](peer& p) {
        p.request();
        p.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
    }});
    auto connection = server.connect();
    const auto lost = connection.exchange(put);
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().kind, error_kind::connection_lost);
}

TEST(http_connection, silence_is_a_time_out) {
    scripted_server server({[](peer& p) { p.wait_for_end(); }});
    auto connection = server.connect();
    auto request = put;
    request.timeout = 50ms;
    const auto lost = connection.exchange(request);
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().kind, error_kind::timed_out);
    EXPECT_TRUE(lost.error().outcome_unknown());
}

TEST(http_connection, an_answer_that_comes_before_the_whole_body_is_taken) {
    scripted_server server({[](peer& p) {
        p.send(reply(R"({"code":"body_too_large"})", "413 Payload Too Large"));
        ::shutdown(p.fd(), SHUT_WR);
        p.wait_for_end();
    }});
    auto connection = server.connect();
    auto request = put;
    request.body.assign(8 << 20, 'x');
    const auto got = connection.exchange(request);
    ASSERT_TRUE(got.has_value()) << got.error().message;
    EXPECT_EQ(got.value().status, 413U);
    EXPECT_THAT(got.value().body, HasSubstr("body_too_large"));
}

TEST(http_connection, a_reply_over_the_limit_is_refused) {
    scripted_server server({[](peer& p) {
        p.request();
        p.send(reply(std::string(5000, 'x')));
        p.wait_for_end();
    }});
    auto connection = server.connect(1000);
    const auto refused = connection.exchange(get);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, error_kind::bad_reply);
    EXPECT_THAT(refused.error().message, HasSubstr("max_reply_bytes"));
}

TEST(http_connection, something_else_than_http_is_a_bad_reply) {
    scripted_server server({[](peer& p) {
        p.request();
        p.send("SSH-2.0-OpenSSH_9.2\r\n\r\n");
        p.wait_for_end();
    }});
    auto connection = server.connect();
    const auto refused = connection.exchange(get);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, error_kind::bad_reply);
}

TEST(http_connection, a_sink_gets_the_parts_as_they_come_and_none_is_lost) {
    scripted_server server({[](peer& p) {
        p.request();
        p.send("HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n" + std::string(20000, 'a'));
        std::this_thread::sleep_for(30ms);
        p.send(std::string(15000, 'b'));
    }});
    auto connection = server.connect();
    std::string all;
    const auto cut = connection.exchange(put, [&](std::string_view part) { all += part; });
    ASSERT_FALSE(cut.has_value());  // 5000 bytes short
    EXPECT_EQ(all, std::string(20000, 'a') + std::string(15000, 'b'));
}

TEST(http_connection, nobody_listens) {
    http_connection connection({"127.0.0.1", "1"}, 2000ms, 1000);
    const auto refused = connection.exchange(put);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind, error_kind::cannot_connect);
    EXPECT_FALSE(refused.error().outcome_unknown());
}

}  // namespace
}  // namespace foliot::client::detail
