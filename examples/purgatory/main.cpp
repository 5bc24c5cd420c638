// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// What a broker does with a produce request: it is answered when enough replicas have acknowledged
// it, or after 30 s with what there is. The clock is a manual one, so the 30 s take no time.
#include <foliot/service/delayed_operations.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

namespace {

using namespace std::chrono_literals;

/// A part of a log, and how far its replicas have come.
struct partition {
    std::string name;
    int replicas[3] = {0, 0, 0};

    [[nodiscard]] int that_have(int offset) const {
        int n = 0;
        for (const int end : replicas) n += end >= offset ? 1 : 0;
        return n;
    }
};

class produce_request final : public foliot::delayed_operation {
public:
    produce_request(const foliot::service_clock& clock, const partition& to, int offset, int needed)
        : clock_(clock), to_(to), offset_(offset), needed_(needed) {}

private:
    bool try_complete() override { return to_.that_have(offset_) >= needed_ && force_complete(); }

    void on_complete() override {
        const int have = to_.that_have(offset_);
        std::printf("%2d s: %s@%d %s: %d of %d acknowledgements\n", seconds(), to_.name.c_str(),
                    offset_, have >= needed_ ? "done" : "not replicated", have, needed_);
    }

    void on_expiration() override {
        std::printf("%2d s: %s@%d had waited for too long\n", seconds(), to_.name.c_str(), offset_);
    }

    [[nodiscard]] int seconds() const {
        return static_cast<int>((clock_.steady() - begin_) / 1s);  // all begin at 0 s
    }

    const foliot::service_clock& clock_;
    const partition& to_;
    const int offset_;
    const int needed_;
    const std::chrono::nanoseconds begin_ = clock_.steady();
};

}  // namespace

int main() {
    foliot::manual_service_clock clock;
    foliot::service_options options;
    options.clock = &clock;
    options.driver = false;  // poll() runs what is due
    options.workers = 0;
    foliot::timer_service timers(options);
    foliot::delayed_operations<std::string> waiting(timers);

    partition orders{"orders"};
    partition events{"events"};

    // What the leader writes it has itself; the request waits for the others.
    const auto produce = [&](partition& to, int offset, int needed) {
        to.replicas[0] = offset;
        const auto request = std::make_shared<produce_request>(clock, to, offset, needed);
        if (!waiting.try_complete_else_watch(request, {to.name}, 30s)) {
            std::printf(" 0 s: %s@%d waits for %d acknowledgements\n", to.name.c_str(), offset,
                        needed);
        }
    };
    // First the state changes, then it is said: whoever looks in between sees the new state.
    const auto acknowledge = [&](partition& by, int replica, int up_to) {
        by.replicas[replica] = up_to;
        const std::size_t done = waiting.check_and_complete(by.name);
        std::printf("      %s: replica %d has all up to %d; requests completed: %zu\n",
                    by.name.c_str(), replica, up_to, done);
    };
    const auto go = [&](std::chrono::seconds by) {
        clock.advance(by);
        timers.poll();
    };

    produce(events, 1, 1);
    produce(orders, 1, 2);
    produce(orders, 2, 3);
    produce(orders, 3, 3);
    go(1s);
    acknowledge(orders, 1, 3);
    go(1s);
    acknowledge(orders, 2, 2);
    go(27s);
    std::printf("      waiting: %zu\n", waiting.delayed());
    go(1s);
    acknowledge(orders, 2, 3);
    std::printf("      waiting: %zu, watched: %zu\n", waiting.delayed(), waiting.watched());
}
