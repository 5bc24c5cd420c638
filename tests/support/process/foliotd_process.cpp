// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/process/foliotd_process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace foliot::test_support {

namespace {

using std::chrono::steady_clock;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

bool can_listen(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const auto address = loopback(port);
    const bool free =
        ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::listen(fd, 1) == 0;
    ::close(fd);
    return free;
}

bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

/// What the test has in its environment, with `more` put over it.
std::vector<std::string> environment_with(const std::vector<std::string>& more) {
    std::vector<std::string> all = more;
    for (char** has = ::environ; *has != nullptr; ++has) {
        const auto same = [&](const auto& m) { return name_of(m) == name_of(*has); };
        if (std::none_of(more.begin(), more.end(), same)) all.emplace_back(*has);
    }
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> out;
    for (auto& word : words) out.push_back(word.data());
    out.push_back(nullptr);
    return out;
}

int exit_code(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

temp_dir::temp_dir() {
    auto pattern = (std::filesystem::temp_directory_path() / "foliot-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    path_ = pattern;
}

temp_dir::~temp_dir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::uint16_t free_port() {
    constexpr unsigned first = 20011;
    constexpr unsigned count = 11000;
    static std::atomic<unsigned> next{static_cast<unsigned>(::getpid()) * 37};
    for (unsigned tries = 0; tries < count; ++tries) {
        const auto port = static_cast<std::uint16_t>(first + next++ % count);
        if (can_listen(port)) return port;
    }
    throw std::runtime_error("no free port");
}

foliotd_process::foliotd_process(options o) : options_(std::move(o)) {
    if (options_.port == 0) options_.port = free_port();
}

foliotd_process::~foliotd_process() { kill_nine(); }

std::string foliotd_process::url() const {
    return "http://127.0.0.1:" + std::to_string(options_.port);
}

void foliotd_process::launch() {
    std::vector<std::string> words{options_.binary.string(), "--data", options_.data.string(),
                                   "--listen", "127.0.0.1:" + std::to_string(options_.port)};
    words.insert(words.end(), options_.flags.begin(), options_.flags.end());
    const auto argv = pointers_to(words);
    auto variables = environment_with(options_.environment);
    const auto envp = pointers_to(variables);
    const int log = ::open(options_.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {  // only async-signal-safe calls from here on
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(126);
        ::dup2(log, STDOUT_FILENO);
        ::dup2(log, STDERR_FILENO);
        ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
    ::close(log);
}

std::string foliotd_process::wait_until_ready() {
    const auto deadline = steady_clock::now() + options_.start_timeout;
    http_answer last;
    while (steady_clock::now() < deadline) {
        if (!running()) {
            return "foliotd ended with " + std::to_string(exit_status_) + ":\n" + log_tail();
        }
        last = plain_http(options_.port, "GET", "/readyz");
        if (last.status == 200) return {};
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return "not ready in time; /readyz said " + std::to_string(last.status) + " " + last.body +
           "\n" + log_tail();
}

std::string foliotd_process::start() {
    launch();
    return wait_until_ready();
}

bool foliotd_process::running() {
    if (pid_ <= 0) return false;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
    exit_status_ = exit_code(status);
    pid_ = -1;
    return false;
}

void foliotd_process::kill_nine() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

int foliotd_process::terminate(std::chrono::milliseconds patience) {
    if (!running()) return exit_status_;
    ::kill(pid_, SIGTERM);
    const int status = wait_for_end(patience);
    if (status < 0) kill_nine();
    return status;
}

int foliotd_process::wait_for_end(std::chrono::milliseconds patience) {
    const auto deadline = steady_clock::now() + patience;
    while (running()) {
        if (steady_clock::now() >= deadline) return -1;
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return exit_status_;
}

std::string foliotd_process::log_text() const {
    std::ifstream in(options_.log, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string foliotd_process::log_tail() const {
    auto text = log_text();
    return text.size() > 4000 ? text.substr(text.size() - 4000) : text;
}

int plain_connect(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = loopback(port);
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
    ::close(fd);
    return -1;
}

std::string plain_request(const std::string& method, const std::string& target,
                          const std::string& body, const std::string& more_headers) {
    std::string request = method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    request += "Connection: close\r\n" + more_headers;
    if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return request + "\r\n" + body;
}

http_answer plain_http(std::uint16_t port, const std::string& method, const std::string& target,
                       const std::string& body, const std::string& more_headers) {
    const int fd = plain_connect(port);
    if (fd < 0) return {};
    std::string reply;
    if (send_all(fd, plain_request(method, target, body, more_headers))) {
        char part[16384];
        for (;;) {
            const auto got = ::recv(fd, part, sizeof part, 0);
            if (got <= 0) break;
            reply.append(part, static_cast<std::size_t>(got));
        }
    }
    ::close(fd);
    const auto head_end = reply.find("\r\n\r\n");
    if (head_end == reply.npos || reply.size() < 12) return {};
    return {.status = std::atoi(reply.c_str() + 9), .body = reply.substr(head_end + 4)};
}

}  // namespace foliot::test_support
