// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "integration/server/raw_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace foliot::test {
namespace {

using std::chrono::steady_clock;

std::string lower(std::string_view text) {
    std::string out{text};
    for (auto& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

/// Fills status and headers from the bytes before the empty line.
raw_response parse_head(std::string_view head) {
    raw_response r;
    if (head.size() > 12) r.status = std::atoi(std::string{head.substr(9, 3)}.c_str());
    for (auto at = head.find("\r\n"); at != std::string_view::npos;) {
        const auto next = head.find("\r\n", at + 2);
        const auto line =
            head.substr(at + 2, next == std::string_view::npos ? next : next - at - 2);
        const auto colon = line.find(": ");
        if (colon != std::string_view::npos) {
            r.headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
        }
        at = next;
    }
    return r;
}

}  // namespace

raw_client::raw_client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) close();
}

raw_client::~raw_client() { close(); }

void raw_client::close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

void raw_client::finish_sending() { ::shutdown(fd_, SHUT_WR); }

bool raw_client::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

bool raw_client::fill(steady_clock::time_point until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
    pollfd p{fd_, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&p, 1, static_cast<int>(left.count())) <= 0) return false;
    std::array<char, 65536> part;
    const auto n = ::recv(fd_, part.data(), part.size(), 0);
    if (n > 0) buffer_.append(part.data(), static_cast<std::size_t>(n));
    return n > 0;
}

raw_response raw_client::read(std::chrono::milliseconds patience, bool head) {
    const auto until = steady_clock::now() + patience;
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
        if (!fill(until)) return {};
    }
    auto r = parse_head(std::string_view{buffer_}.substr(0, end));
    buffer_.erase(0, end + 4);
    const auto length = r.headers.find("content-length");
    const bool empty = head || r.status == 100 || r.status == 204 || length == r.headers.end();
    const auto size = empty ? 0 : static_cast<std::size_t>(std::atoll(length->second.c_str()));
    while (buffer_.size() < size) {
        if (!fill(until)) return {};
    }
    r.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return r;
}

raw_response raw_client::ask(std::string_view method, std::string_view target,
                             std::string_view body, std::string_view headers) {
    if (!send(request_text(method, target, body, headers))) return {};
    return read(std::chrono::seconds{30}, method == "HEAD");
}

bool raw_client::closed_within(std::chrono::milliseconds patience) {
    const auto until = steady_clock::now() + patience;
    while (fill(until)) buffer_.clear();
    return steady_clock::now() < until;
}

std::string request_text(std::string_view method, std::string_view target, std::string_view body,
                         std::string_view headers) {
    std::string text;
    text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    text.append(headers);
    if (!body.empty()) text.append("Content-Length: " + std::to_string(body.size()) + "\r\n");
    return text.append("\r\n").append(body);
}

raw_response ask_once(std::uint16_t port, std::string_view method, std::string_view target,
                      std::string_view body, std::string_view headers) {
    raw_client client(port);
    return client.connected() ? client.ask(method, target, body, headers) : raw_response{};
}

std::string json_member(std::string_view json, std::string_view name) {
    const auto key = '"' + std::string{name} + "\":";
    const auto at = json.find(key);
    if (at == std::string_view::npos) return {};
    auto rest = json.substr(at + key.size());
    if (rest.starts_with('"')) {
        rest.remove_prefix(1);
        return std::string{rest.substr(0, rest.find('"'))};
    }
    return std::string{rest.substr(0, rest.find_first_of(",}]\n"))};
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

double metric(std::string_view text, std::string_view name) {
    const auto line = '\n' + std::string{name} + ' ';
    const auto at = text.find(line);
    return at == std::string_view::npos
               ? -1
               : std::atof(std::string{text.substr(at + line.size(), 40)}.c_str());
}

}  // namespace foliot::test
