// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// A client that asks a slow server, as coroutines: it waits 2 s for an answer, then it asks again,
// after a pause that doubles each time. When it is asked to stop it stops at once, whatever it
// waits for.
//
// Here time is a manual clock, so that a minute passes in a moment and each run prints the same. A
// server would leave the options away and have real threads.
#include <foliot/coro/lazy.hpp>
#include <foliot/coro/sleep.hpp>
#include <foliot/coro/spawn.hpp>
#include <foliot/coro/with_timeout.hpp>
#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace {

class machine {
public:
    foliot::timer_service& timers() { return timers_; }

    void say(const char* who, const std::string& what) const {
        std::printf("%3lld s  %s: %s\n", static_cast<long long>((clock_.steady() - begin_) / 1s),
                    who, what.c_str());
    }
    // From timer to timer, as a thread would that sleeps until the next one.
    void run_until(std::chrono::seconds end) {
        for (auto at = timers_.next_wakeup(); at && *at <= begin_ + end;
             at = timers_.next_wakeup()) {
            if (*at > clock_.steady()) clock_.advance(*at - clock_.steady());
            timers_.poll();
        }
        clock_.advance(begin_ + end - clock_.steady());
    }

private:
    static foliot::service_options options(const foliot::service_clock& clock) {
        foliot::service_options o;
        o.clock = &clock;
        o.driver = false;
        o.workers = 0;
        return o;
    }

    foliot::manual_service_clock clock_;
    const std::chrono::nanoseconds begin_ = clock_.steady();
    foliot::timer_service timers_{options(clock_)};
};

struct given_up : std::exception {};

// Needs some time for each answer.
class server {
public:
    server(machine& m, std::vector<std::chrono::seconds> needs)
        : machine_(m), needs_(std::move(needs)) {}

    // Whoever awaits it may ask it to stop; it learns that from its sleep.
    foliot::lazy<int> answer(int question) {
        const auto time = needs_[next_++ % needs_.size()];
        const auto slept = co_await foliot::sleep(machine_.timers(), time);
        if (slept == foliot::sleep_result::stopped) {
            machine_.say("server", "nobody waits for this any more");
            throw given_up();
        }
        co_return 2 * question;
    }

private:
    machine& machine_;
    const std::vector<std::chrono::seconds> needs_;
    std::size_t next_ = 0;
};

foliot::lazy<> client(machine& m, server& s) {
    try {
        for (auto pause = 1s;; pause *= 2) {
            m.say("client", "what is twice 21?");
            // When the time is over, what `answer` throws is dropped: the result is empty.
            const std::optional<int> answer =
                co_await foliot::with_timeout(m.timers(), s.answer(21), 2s);
            if (answer) {
                m.say("client", "it is " + std::to_string(*answer));
                co_return;
            }
            const auto slept = co_await foliot::sleep(m.timers(), pause);
            if (slept == foliot::sleep_result::stopped) break;
        }
    } catch (const given_up&) {  // no timeout: the client itself was asked to stop
    }
    m.say("client", "asked to stop");
}

}  // namespace

int main() {
    machine m;

    std::puts("a server that is slow twice");
    server slow(m, {10s, 10s, 1s});
    foliot::spawn(client(m, slow));
    m.run_until(20s);

    for (const auto stop_at : {24s, 45s}) {
        std::puts("a server that is always slow, and a client that is asked to stop");
        std::stop_source shut_down;
        server stuck(m, {1h});
        foliot::spawn(client(m, stuck), shut_down.get_token());
        m.run_until(stop_at);
        shut_down.request_stop();
        m.run_until(stop_at + 10s);
    }
    std::printf("timers left: %llu\n",
                static_cast<unsigned long long>(m.timers().metrics().pending));
}
