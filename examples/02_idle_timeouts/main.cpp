// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// 100 000 connections, each with a timer that closes it after 30 s of silence. Every byte of
// traffic moves its timer back. That is the commonest use of a timer service: nearly all timers are
// moved or cancelled, few ever fire.
//
// Here time is a manual clock and poll() runs what is due, so that two minutes pass in a moment and
// each run prints the same. A server would leave the options away and have real threads.
#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr auto idle_limit = 30s;
constexpr std::uint64_t tenants = 10;

class server {
public:
    server(foliot::timer_service& timers, std::size_t connections) : timers_(timers) {
        connections_.reserve(connections);
        for (std::size_t i = 0; i < connections; ++i) accept(i);
    }

    // Something came in: the timer is moved to 30 s from now. `moved` says that it was in time;
    // else the callback has begun, and the connection is as good as closed.
    void receive(std::size_t i) {
        if (!connections_[i].open) return;
        static_cast<void>(connections_[i].idle.reschedule(idle_limit));
    }

    // A tenant leaves: all its timers in one call, without their names.
    std::size_t log_out(std::uint64_t tenant) {
        for (connection& c : connections_) {
            if (c.tenant == tenant) c.open = false;
        }
        return timers_.cancel_group(tenant).cancelled;
    }

    [[nodiscard]] std::size_t timed_out() const { return timed_out_; }

private:
    struct connection {
        std::uint64_t tenant = 0;
        bool open = true;
        foliot::timer idle;  // 16 bytes: a name for the timer, not the timer
    };

    void accept(std::size_t i) {
        foliot::timer_options of;
        of.group = 1 + i % tenants;  // 0 would name no group
        const foliot::timer idle = timers_.after(
            idle_limit, [this, i] { close(i); }, of);
        connections_.push_back({of.group, true, idle});
    }

    void close(std::size_t i) {
        connections_[i].open = false;
        ++timed_out_;
    }

    foliot::timer_service& timers_;
    std::vector<connection> connections_;
    std::size_t timed_out_ = 0;
};

}  // namespace

int main() {
    constexpr std::size_t connections = 100'000;

    foliot::manual_service_clock clock;
    foliot::service_options options;
    options.clock = &clock;
    options.driver = false;  // nobody but us calls poll()
    options.workers = 0;     // callbacks run in poll(), on this thread: no lock is needed above
    foliot::timer_service timers(options);
    server s(timers, connections);

    std::puts("second  timed out   pending");
    for (std::size_t second = 1; second <= 100; ++second) {
        clock.advance(1s);
        // Connection i says something every second, and falls silent after i % 60 of them.
        for (std::size_t i = 0; i < connections; ++i) {
            if (second <= i % 60) s.receive(i);
        }
        if (second == 20) {
            std::printf("%6zu  tenant 7 logs out: %zu timers cancelled\n", second, s.log_out(7));
        }
        while (timers.poll() > 0) {}
        if (second % 10 == 0) {
            std::printf("%6zu  %9zu  %8llu\n", second, s.timed_out(),
                        static_cast<unsigned long long>(timers.metrics().pending));
        }
    }

    const foliot::service_metrics m = timers.metrics();
    std::printf("made %llu, moved %llu times, fired %llu, cancelled %llu\n",
                static_cast<unsigned long long>(m.scheduled),
                static_cast<unsigned long long>(m.rescheduled),
                static_cast<unsigned long long>(m.completed),
                static_cast<unsigned long long>(m.cancelled));
}
