// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "house.hpp"
#include "workloads.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace bench {

namespace {

double quantile(const std::vector<double>& sorted, double q) {
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

/// Takes timers of a queue and acks them, until there were as many as wanted.
class consumer {
public:
    consumer(const house& h, std::string queue, std::uint64_t wanted)
        : house_(h), queue_(std::move(queue)), wanted_(wanted) {}

    void run() {
        auto at = house_.new_client();
        while (got_ < wanted_) {
            const auto some = must(at.lease({.queue = queue_, .max = 1000, .wait = 1s}));
            std::vector<std::string> tokens;
            for (const auto& d : some) tokens.push_back(d.token);
            if (tokens.empty()) continue;
            must(at.ack(queue_, tokens));
            const std::lock_guard lock(mutex_);
            for (const auto& d : some) lateness_.push_back(d.lateness_ms);
            got_ += some.size();
        }
    }

    [[nodiscard]] std::uint64_t got() const { return got_; }
    std::vector<double> sorted() {
        std::sort(lateness_.begin(), lateness_.end());
        return lateness_;
    }

private:
    const house& house_;
    const std::string queue_;
    const std::uint64_t wanted_;
    std::atomic<std::uint64_t> got_{0};
    std::mutex mutex_;
    std::vector<double> lateness_;
};

void tell_lateness(const std::string& workload, std::uint64_t n, const std::vector<double>& sorted,
                   results& into) {
    const auto early = std::count_if(sorted.begin(), sorted.end(), [](double l) { return l < 0; });
    const auto tell = [&](const char* metric, double value) {
        into.add({workload, n, metric, "foliotd"}, value);
        std::printf("  %s, n=%llu: %s %.3f\n", workload.c_str(), static_cast<unsigned long long>(n),
                    metric, value);
    };
    tell("p50_ms", quantile(sorted, 0.5));
    tell("p99_ms", quantile(sorted, 0.99));
    tell("max_ms", sorted.back());
    tell("early", static_cast<double>(early));
}

}  // namespace

void measure_lateness(const options& o, results& into) {
    house h(o);
    h.start();
    const std::uint64_t n = o.rate * o.seconds;
    consumer takes(h, "steady", n);
    std::thread one([&] { takes.run(); });
    std::thread other([&] { takes.run(); });
    // Dues are spread evenly over the time to come: the setting is done before the first is due.
    const auto begin = std::chrono::system_clock::now() + 5s;
    const auto first_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(begin.time_since_epoch()).count();
    set_many(h, 0, n, "steady", [&](std::uint64_t i) {
        return foliot::client::when::at_ms(first_ms + static_cast<std::int64_t>(i * 1000 / o.rate));
    });
    if (std::chrono::system_clock::now() > begin) {
        std::printf("  lateness: the setting took longer than 5 s: late by that\n");
    }
    one.join();
    other.join();
    tell_lateness("lateness", n, takes.sorted(), into);
}

void measure_burst(const options& o, results& into) {
    house h(o);
    h.start();
    const std::uint64_t n = std::max<std::uint64_t>(o.pending / 10, 100);
    const auto due = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::system_clock::now().time_since_epoch()) +
                     std::chrono::milliseconds{3000 + n / 40};
    set_many(h, 0, n, "burst",
             [&](std::uint64_t) { return foliot::client::when::at_ms(due.count()); });
    consumer takes(h, "burst", n);
    std::thread one([&] { takes.run(); });
    std::vector<double> calls;
    auto at = h.new_client();
    for (std::uint64_t i = 0; takes.got() < n; ++i) {
        const std::string id = "meanwhile-" + std::to_string(i);
        const auto begin = std::chrono::steady_clock::now();
        must(at.set({.id = id, .due = foliot::client::when::in(1h)}));
        const auto middle = std::chrono::steady_clock::now();
        must(at.cancel({.id = id}));
        calls.push_back(seconds(middle - begin).count() * 1e3);
        calls.push_back(seconds(std::chrono::steady_clock::now() - middle).count() * 1e3);
    }
    one.join();
    std::sort(calls.begin(), calls.end());
    const auto lateness = takes.sorted();
    const auto tell = [&](const char* metric, double value) {
        into.add({"burst", n, metric, "foliotd"}, value);
        std::printf("  burst, n=%llu: %s %.3f\n", static_cast<unsigned long long>(n), metric,
                    value);
    };
    tell("call_p50_ms", quantile(calls, 0.5));
    tell("call_p99_ms", quantile(calls, 0.99));
    tell("last_leased_s", lateness.back() / 1e3);
    tell("early", static_cast<double>(std::count_if(lateness.begin(), lateness.end(),
                                                    [](double l) { return l < 0; })));
}

}  // namespace bench
