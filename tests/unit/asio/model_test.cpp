// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// A random program of timers, run with Boost's and with ours: what each call returned, and which
// handler was called when and how, must be the same. All expiries are in the past or far away, so
// that no time passes for either. Handlers start no wait that has expired: whether it ends before
// or after what is aborted meanwhile is up to when the context looks for timers. With more than 16
// handlers to be called at a time asio_timer has several called as one, so then they are not
// counted.
#include "support/environment.hpp"
#include "timers.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace foliot::test {
namespace {

constexpr std::size_t timer_count = 12;
constexpr int few = 16;

template <class Timer>
class program {
public:
    program(std::uint64_t seed, clock::time_point start, int most_waits)
        : random_(seed), start_(start), most_waits_(most_waits) {
        for (timer& t : timers_) remake(t);
    }

    std::vector<std::string> run(int steps) {
        for (int i = 0; i < steps; ++i) {
            step();
            if (chance(3)) look_at_context();
        }
        over_ = true;
        for (timer& t : timers_) t.object.reset();
        io_.restart();
        io_.poll();
        return std::move(log_);
    }

private:
    struct timer {
        std::unique_ptr<Timer> object;
        // Of its waits. With Boost a slot may only be used while its timer is where it was, so
        // those of a timer that is moved or destroyed are forgotten.
        std::vector<asio::cancellation_signal*> signals;
    };

    void remake(timer& t) {
        t.signals.clear();
        t.object = std::make_unique<Timer>(io_);
        set(*t.object);
    }
    std::size_t upto(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
    bool chance(std::size_t n) { return upto(n) == 0; }
    void note(const char* what, std::size_t n) { log_.push_back(what + std::to_string(n)); }

    // Past expiries differ, since nobody promises an order for equal ones.
    std::size_t set(Timer& t) {
        switch (upto(4)) {
            case 0: return t.expires_at(start_ - 1s + std::chrono::microseconds(next_past_++));
            case 1: return t.expires_at(start_ - 2s - std::chrono::microseconds(next_past_++));
            case 2: return t.expires_at(start_ + 1h + std::chrono::minutes(upto(1000)));
            default: return t.expires_after(2h);
        }
    }

    void wait(timer& t) {
        const bool expired = t.object->expiry() < start_;
        if (expired && in_handler_) return;
        if (last_ - called_ >= most_waits_) return;
        expired_started_ = expired_started_ || expired;
        const int number = ++last_;
        const auto handler = [this, number](const error_code& ec) {
            log_.push_back(std::to_string(ec ? -number : number));
            ++called_;
            in_handler_ = true;
            if (!over_ && chance(4)) step();
            in_handler_ = false;
        };
        if (chance(3)) {
            t.signals.push_back(&signals_.emplace_back());
            t.object->async_wait(asio::bind_cancellation_slot(t.signals.back()->slot(), handler));
        } else if (chance(4)) {
            t.object->async_wait([handler, padding = std::array<char, 64>()](const error_code& ec) {
                static_cast<void>(padding);
                handler(ec);
            });
        } else {
            t.object->async_wait(handler);
        }
    }

    void step() {
        timer& t = timers_[upto(timer_count)];
        switch (upto(12)) {
            case 0: note("cancel ", t.object->cancel()); break;
            case 1: note("cancel one ", t.object->cancel_one()); break;
            case 2: note("set ", set(*t.object)); break;
            case 3:  // the commonest
                note("cancel ", t.object->cancel());
                t.object->expires_after(1h);
                wait(t);
                break;
            case 4: remake(t); break;
            case 5: move(t); break;
            case 6:
                if (t.signals.empty()) break;
                t.signals[upto(t.signals.size())]->emit(asio::cancellation_type::all);
                note("emitted ", 0);
                break;
            default: wait(t); break;
        }
    }

    void move(timer& t) {
        if (chance(2)) {
            t.object = std::make_unique<Timer>(std::move(*t.object));
            t.signals.clear();
            return;
        }
        timer& other = timers_[upto(timer_count)];
        if (&other == &t) return;
        *other.object = std::move(*t.object);
        other.signals.clear();
        remake(t);
    }

    void look_at_context() {
        if (std::exchange(expired_started_, false)) let_it_be_noticed();
        io_.restart();
        if (most_waits_ > few) {
            io_.poll();
        } else if (chance(3)) {
            note("one ", io_.poll_one());
        } else {
            note("poll ", io_.poll());
        }
        note(io_.stopped() ? "stopped " : "waits ", 0);
    }
    // A context learns that a timer has expired from its kernel, a moment later.
    static void let_it_be_noticed() { std::this_thread::sleep_for(300us); }

    std::mt19937_64 random_;
    clock::time_point start_;
    const int most_waits_;
    std::deque<asio::cancellation_signal> signals_;  // must outlive what is in the context
    asio::io_context io_;
    std::array<timer, timer_count> timers_;
    std::vector<std::string> log_;
    std::int64_t next_past_ = 0;
    int last_ = 0;
    int called_ = 0;
    bool in_handler_ = false;
    bool expired_started_ = false;
    bool over_ = false;
};

// The first line that differs, and what came before it.
std::string difference(const std::vector<std::string>& seen,
                       const std::vector<std::string>& expected) {
    const auto [s, e] = std::mismatch(seen.begin(), seen.end(), expected.begin(), expected.end());
    if (s == seen.end() && e == expected.end()) return "";
    std::string text = "after";
    for (auto i = s - std::min<std::ptrdiff_t>(s - seen.begin(), 20); i != s; ++i)
        text += " [" + *i + "]";
    return text + " came [" + (s == seen.end() ? "nothing" : *s) + "] and not [" +
           (e == expected.end() ? "nothing" : *e) + "]";
}

void compare(std::uint64_t rounds, int steps, int most_waits) {
    const std::uint64_t seed = seed_or(std::random_device()());
    std::size_t lines = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const auto start = clock::now();
        const std::uint64_t s = seed * 1'000'000 + round;
        const auto expected = program<asio::steady_timer>(s, start, most_waits).run(steps);
        const auto seen = program<asio_timer>(s, start, most_waits).run(steps);
        ASSERT_EQ(difference(seen, expected), "") << "in round " << round << " of seed " << seed;
        lines += expected.size();
    }
    EXPECT_GT(lines, rounds * static_cast<std::uint64_t>(steps) / 2);
}

TEST(asio_timer_model, does_what_boost_s_timer_does) { compare(60, 200, few); }
TEST(asio_timer_model, does_what_boost_s_timer_does_with_many_waits) { compare(60, 400, 300); }

}  // namespace
}  // namespace foliot::test
