// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// A program that has an epoll loop already, and now gets timers: they are one descriptor more in
// its set. The service has no thread; callbacks run in poll(), on the loop's thread, so they may use
// what the loop uses, without a lock.
//
// The loop has one connection, which is closed when nothing was heard for a while. The peer, at the
// other end of a socket pair, sends three messages and falls silent.
#include <foliot/service/timer_service.hpp>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <thread>
#include <utility>

using namespace std::chrono_literals;

namespace {

int checked(int result, const char* what) {
    if (result >= 0) return result;
    std::perror(what);
    std::exit(1);
}

// What the program had before: descriptors, and what to do when they are readable.
class event_loop {
public:
    event_loop() = default;
    event_loop(const event_loop&) = delete;
    event_loop& operator=(const event_loop&) = delete;
    ~event_loop() { ::close(epoll_); }

    void watch(int fd, std::function<void()> on_readable) {
        on_readable_[fd] = std::move(on_readable);
        epoll_event e{};
        e.events = EPOLLIN;
        e.data.fd = fd;
        checked(::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e), "epoll_ctl");
    }
    void forget(int fd) {
        on_readable_.erase(fd);
        checked(::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr), "epoll_ctl");
    }
    void run() {
        while (!stopped_) {
            std::array<epoll_event, 16> events{};
            const int n = ::epoll_wait(epoll_, events.data(), events.size(), -1);
            if (n < 0 && errno != EINTR) checked(n, "epoll_wait");
            for (int i = 0; i < n; ++i) {
                const auto found = on_readable_.find(events[static_cast<std::size_t>(i)].data.fd);
                if (found == on_readable_.end()) continue;  // forgotten in this very round
                const auto call = found->second;            // it may forget itself
                call();
            }
        }
    }
    void stop() { stopped_ = true; }

private:
    const int epoll_ = checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    std::map<int, std::function<void()>> on_readable_;
    bool stopped_ = false;
};

class connection {
public:
    connection(event_loop& loop, foliot::timer_service& timers, int fd)
        : loop_(loop), timers_(timers), fd_(fd) {
        loop_.watch(fd_, [this] { receive(); });
        expect_something();
    }
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

private:
    // Moves the timer; if that is too late, as it is just running, makes another one.
    void expect_something() {
        if (idle_->reschedule(200ms) == foliot::reschedule_result::moved) return;
        idle_ = timers_.after(200ms, [this] { expire(); });
    }
    bool receive() {
        char message = 0;
        bool any = false;
        while (::recv(fd_, &message, 1, MSG_DONTWAIT) == 1) {
            std::printf("the connection got message %c\n", message);
            any = true;
        }
        if (any) expect_something();
        return any;
    }
    void expire() {
        // If the loop was held up, a message may lie there unread.
        if (receive()) return;
        std::puts("nothing was heard for 200 ms: the connection is closed");
        loop_.forget(fd_);
        ::close(fd_);
    }

    event_loop& loop_;
    foliot::timer_service& timers_;
    const int fd_;
    foliot::scoped_timer idle_;  // last: it is destroyed first
};

class peer {
public:
    peer(event_loop& loop, foliot::timer_service& timers, int fd)
        : loop_(loop), timers_(timers), fd_(fd) {
        loop_.watch(fd_, [this] { closed(); });
        send();
    }
    peer(const peer&) = delete;
    peer& operator=(const peer&) = delete;

private:
    void send() {
        checked(static_cast<int>(::send(fd_, &next_, 1, MSG_NOSIGNAL)), "send");
        if (next_++ < '3') again_ = timers_.after(5ms, [this] { send(); });
    }
    void closed() {
        std::puts("the peer sees that");
        loop_.forget(fd_);
        ::close(fd_);

        // Other threads may set timers: the descriptor wakes the loop.
        const auto loops_thread = std::this_thread::get_id();
        std::thread([this, loops_thread] {
            timers_.after(1ms, [this, loops_thread] {
                std::printf("a timer of another thread ran on %s\n",
                            std::this_thread::get_id() == loops_thread ? "the loop's thread"
                                                                       : "a thread of its own");
                loop_.stop();
            });
        }).join();
    }

    event_loop& loop_;
    foliot::timer_service& timers_;
    const int fd_;
    char next_ = '1';
    foliot::scoped_timer again_;
};

}  // namespace

int main() {
    event_loop loop;
    foliot::service_options options;
    options.driver = false;  // nobody but the loop calls poll()
    options.workers = 0;     // callbacks run in it
    foliot::timer_service timers(options);
    // Not to be read: poll() sets it anew.
    loop.watch(timers.wakeup_fd(), [&] { timers.poll(); });

    std::array<int, 2> ends{};
    checked(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), "socketpair");
    const connection c(loop, timers, ends[0]);
    const peer p(loop, timers, ends[1]);
    loop.run();
    std::printf("timers left: %llu\n", static_cast<unsigned long long>(timers.metrics().pending));
}
