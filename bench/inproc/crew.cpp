// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crew.hpp"

#include <algorithm>
#include <ctime>

namespace bench {

namespace {

// What all threads of the program have been on a core, the models' own included.
double process_ns() {
    timespec spent{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) * 1e9 + static_cast<double>(spent.tv_nsec);
}

}  // namespace

void crew::place::begin() {
    meet();
    if (number == 0) crew_.cpu_begin_ = process_ns();
    begin_ = std::chrono::steady_clock::now();
}

void crew::place::end() {
    end_ = std::chrono::steady_clock::now();
    meet();
    if (number == 0) crew_.cpu_end_ = process_ns();
}

void crew::place::meet() { crew_.barrier_.arrive_and_wait(); }

outcome crew::run(std::uint64_t ops, const std::function<void(place&)>& work) {
    std::vector<place> places;
    for (unsigned i = 0; i < threads_; ++i) places.push_back(place(i, *this));
    std::vector<std::thread> all;
    for (place& p : places) all.emplace_back([&work, &p] { work(p); });
    for (std::thread& t : all) t.join();

    auto begin = places.front().begin_;
    auto end = places.front().end_;
    outcome result;
    for (const place& p : places) {
        begin = std::min(begin, p.begin_);
        end = std::max(end, p.end_);
        result.checksum += p.checksum_;
    }
    const std::chrono::duration<double> took = end - begin;
    const auto count = static_cast<double>(ops);
    result.metrics["ops_per_s"] = count / took.count();
    result.metrics["ns_per_op"] = took.count() * 1e9 * threads_ / count;
    result.metrics["cpu_ns_per_op"] = (cpu_end_ - cpu_begin_) / count;
    return result;
}

}  // namespace bench
