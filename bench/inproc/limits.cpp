// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "limits.hpp"

namespace bench {

namespace {

constexpr std::uint64_t hundred_thousand = 100'000;
constexpr std::uint64_t million = 1'000'000;

const std::string ours = "timer_service";
const std::string rate = "ops_per_s";

std::string joined(const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return all;
}

/// `model` does at least so many times the operations a second that the best of `others` does.
limit at_least(double bound, const std::string& model, const std::string& workload,
               unsigned threads, std::uint64_t n, const std::vector<std::string>& others) {
    limit one;
    one.text = workload + " " + size_name(n) + ", " + std::to_string(threads) +
               (threads == 1 ? " thread: " : " threads: ") + model + " / " + joined(others);
    one.what = {workload, n, rate, model, threads};
    for (const std::string& other : others) {
        one.than.push_back({workload, n, rate, other, threads});
    }
    one.at_most = false;
    one.bound = bound;
    return one;
}

limit at_most(double bound, const std::string& metric) {
    constexpr std::uint64_t timers = 50'000;
    return {"lateness: " + metric, {"lateness", timers, metric, ours, 1}, {}, true, bound};
}

std::vector<limit> make_limits() {
    std::vector<limit> all;
    for (const char* workload : {"schedule_cancel", "refresh"}) {
        for (const unsigned threads : {1U, 2U}) {
            for (const std::uint64_t n : {hundred_thousand, million}) {
                all.push_back(at_least(3, ours, workload, threads, n, peers()));
            }
        }
        for (const std::uint64_t n : {hundred_thousand, million}) {
            for (const char* locked : {"mutex_priority_queue", "mutex_wheel"}) {
                all.push_back(at_least(1.5, ours, workload, 2, n, {locked}));
            }
        }
        for (const std::uint64_t n : {hundred_thousand, million}) {
            all.push_back(at_least(5, "asio_timer", workload, 1, n, {"asio"}));
        }
    }
    all.push_back(at_most(2, "p99_ms"));  // a tick, and a millisecond
    all.push_back(at_most(0, "early"));
    return all;
}

}  // namespace

const std::vector<limit>& limits() {
    static const std::vector<limit> all = make_limits();
    return all;
}

const std::vector<std::string>& peers() {
    static const std::vector<std::string> all{"asio", "libuv", "libevent"};
    return all;
}

}  // namespace bench
