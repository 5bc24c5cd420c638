// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// An operation that fails now and then, tried again after a delay that doubles each time, with
// jitter, so that those who failed together do not come back together. After the last attempt it
// gives up.
//
// A timer that runs cannot be moved (reschedule says `running`): each attempt makes the next timer.
#include <foliot/service/timer_service.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <utility>

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

struct backoff {
    milliseconds first = 4ms;  // a real service begins with, say, 100 ms
    milliseconds most = 20ms;
    int attempts = 5;
    unsigned seed = 1;
};

// Kept alive by the callback of its timer: when it is done, or when the service stops, the callback
// is destroyed, and so is this.
class retry : public std::enable_shared_from_this<retry> {
public:
    using operation = std::function<bool()>;
    using outcome = std::function<void(bool succeeded)>;

    retry(foliot::timer_service& timers, const backoff& how, operation op, outcome done)
        : timers_(timers),
          how_(how),
          random_(how.seed),
          op_(std::move(op)),
          done_(std::move(done)) {}

    void start() { attempt_after(0ms); }

private:
    // Throws service_stopped if the service stops meanwhile; it counts that, and the retries end.
    void attempt_after(milliseconds delay) {
        timers_.after(delay, [self = shared_from_this()] { self->attempt(); });
    }

    void attempt() {
        ++attempt_;
        if (op_()) return done_(true);
        if (attempt_ == how_.attempts) return done_(false);
        const milliseconds delay = next_delay();
        std::printf("  attempt %d failed, the next one in %lld ms\n", attempt_,
                    static_cast<long long>(delay.count()));
        attempt_after(delay);
    }

    // Half of the delay for certain, the other half by chance.
    milliseconds next_delay() {
        const milliseconds full = std::min(how_.first * (1 << (attempt_ - 1)), how_.most);
        const milliseconds half = full / 2;
        return half + milliseconds(random_() % static_cast<unsigned>(half.count() + 1));
    }

    foliot::timer_service& timers_;
    const backoff how_;
    std::minstd_rand random_;  // seeded: the same delays in each run
    const operation op_;
    const outcome done_;
    int attempt_ = 0;
};

// Calls an operation that fails `failures` times, and waits for the outcome.
void call(foliot::timer_service& timers, const char* what, int failures, const backoff& how) {
    std::printf("%s\n", what);
    const auto left = std::make_shared<int>(failures);
    const auto result = std::make_shared<std::promise<bool>>();
    std::make_shared<retry>(
        timers, how, [left] { return (*left)-- <= 0; },
        [result](bool succeeded) { result->set_value(succeeded); })
        ->start();
    std::printf("  %s\n", result->get_future().get() ? "succeeded" : "given up");
}

}  // namespace

int main() {
    foliot::timer_service timers;
    call(timers, "a network that comes back", 3, {});
    call(timers, "a host that is gone", 1000, {.seed = 2});
}
