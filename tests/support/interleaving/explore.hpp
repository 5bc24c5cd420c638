// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/interleaving/execution.hpp"
#include "support/interleaving/objects.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

// Runs a piece of a program with threads again and again, each time in another order, until there
// is none left. docs/internals/interleavings.md is the introduction.
namespace foliot::interleaving {

/// Which orders.
enum class search : std::uint8_t {
    reduced,  // one of each set of orders that differ in nothing that a thread could notice
    bounded,  // all with at most `preemptions`
    random,   // `executions`, by `seed`
};

struct exploration {
    std::string name;  // by which FOLIOT_SCHEDULE picks it
    search how = search::reduced;
    unsigned preemptions = 2;
    std::uint64_t executions = 2'000'000;  // at most; not all, then
    std::uint64_t seed = 1;
    time_passes time = time_passes::when_all_wait;
    unsigned spurious = 0;  // wake-ups for no reason for each thread
    std::size_t max_steps = 20'000;
    bool quiet = false;  // nothing is printed
};

struct report {
    std::string name;
    std::uint64_t executions = 0;
    std::uint64_t cut = 0;  // of these, that were found to be others in another order
    std::uint64_t choices = 0;
    std::size_t longest = 0;  // steps of an execution
    bool complete = false;    // all orders that were asked for
    std::string asked;        // which those were
    std::string failure;      // empty: none
    std::string schedule;     // of the execution that failed
    std::string trace;

    [[nodiscard]] bool failed() const noexcept { return !failure.empty(); }
};
std::ostream& operator<<(std::ostream& out, const report& r);

/// `scenario` makes everything anew each time: objects, threads, checks. It must do the same each
/// time that it is run in the same order. What is found is run again, and told step by step. With
/// FOLIOT_SCHEDULE=<name>@<schedule> only that order of the exploration of that name is run.
report explore(const exploration& how, const std::function<void()>& scenario);

/// The one execution with this schedule, of which the report tells each step.
report replay(const exploration& how, const std::string& schedule,
              const std::function<void()>& scenario);

/// How much more than usual is to be explored: FOLIOT_INTERLEAVINGS, or 1.
[[nodiscard]] unsigned depth();

// ---- for scenarios --------------------------------------------------------------------------

/// The execution has failed, and ends here.
void fail(const std::string& why);
inline void check(bool right, const std::string& why) {
    if (!right) fail(why);
}
inline void check(bool right, const char* why) {
    if (!right) fail(why);
}

/// 0 to count - 1: each of them is tried.
[[nodiscard]] inline unsigned choose(unsigned count) { return execution::now().pick(count); }

/// In traces.
inline void name_this_thread(const char* name) { execution::now().name_this_thread(name); }

/// When all threads have ended; outside of them.
inline void at_end(std::function<void()> check) { execution::now().at_end(std::move(check)); }

/// The clock of the execution, which begins at 1 s. It goes on when waits end by their time, and
/// here.
[[nodiscard]] std::chrono::nanoseconds now() noexcept;
void advance(std::chrono::nanoseconds by) noexcept;

}  // namespace foliot::interleaving
