// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "crew.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>

namespace bench {

namespace {

// How long this thread has been ready to run without a core; 0 where the kernel does not tell.
double waited_for_core_ns() {
    std::ifstream stat("/proc/thread-self/schedstat");
    double on_core = 0;
    double waited = 0;
    stat >> on_core >> waited;
    return stat ? waited : 0;
}

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
    begin_ = crew_.now();
}

void crew::place::end() {
    took_ = crew_.now() - begin_;
    meet();
    if (number == 0) crew_.cpu_end_ = process_ns();
}

double crew::now() const {
    const std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now().time_since_epoch();
    return timing_ == timing::wall ? time.count() : time.count() - waited_for_core_ns();
}

void crew::place::meet() { crew_.barrier_.arrive_and_wait(); }

outcome crew::run(std::uint64_t ops, const std::function<void(place&)>& work) {
    std::vector<place> places;
    for (unsigned i = 0; i < threads_; ++i) places.push_back(place(i, *this));
    std::vector<std::thread> all;
    all.reserve(places.size());
    for (place& p : places) {
        all.emplace_back([&work, &p] {
            try {
                work(p);
            } catch (const std::exception& error) {  // the others would wait for this one
                std::fprintf(stderr, "\ninproc: %s\n", error.what());
                std::_Exit(2);
            }
        });
    }
    for (std::thread& t : all) t.join();

    double took = 0;
    outcome result;
    for (const place& p : places) {
        took = std::max(took, p.took_);
        result.checksum += p.checksum_;
    }
    const auto count = static_cast<double>(ops);
    result.metrics["ops_per_s"] = count / took * 1e9;
    result.metrics["ns_per_op"] = took * threads_ / count;
    result.metrics["cpu_ns_per_op"] = (cpu_end_ - cpu_begin_) / count;
    return result;
}

}  // namespace bench
