// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

/// What is measured; README.md says what each is.
enum class workload { schedule_cancel, refresh, schedule_fire };

constexpr workload all_workloads[] = {workload::schedule_cancel, workload::refresh,
                                      workload::schedule_fire};

std::string_view name_of(workload what);

/// One operation: on which of the thread's objects, and how many milliseconds from now.
struct op {
    std::uint32_t pick;
    std::uint32_t delay_ms;

    [[nodiscard]] std::chrono::milliseconds delay() const {
        return std::chrono::milliseconds(delay_ms);
    }
};

/// What one thread is asked to do, with objects of its own.
struct thread_plan {
    std::uint64_t n = 0;
    std::vector<op> first;  // every object once, in random order: schedule
    std::vector<op> warm;   // until what is pending is well mixed; not measured
    std::vector<op> timed;  // what is measured
};

/// All that a model is asked to do in one turn, drawn beforehand: every model gets the same plan.
struct plan {
    workload what{};
    std::uint64_t n = 0;  // of all threads
    std::vector<thread_plan> threads;

    [[nodiscard]] std::uint64_t timed_ops() const;

    /// Of what is to be done: so many changes, and what is pending in the end or how often each has
    /// fired.
    [[nodiscard]] std::uint64_t checksum() const;
};

/// Folds "this object, and this of it" into a sum that does not depend on the order.
inline std::uint64_t mix(std::uint64_t id, std::uint64_t what) {
    std::uint64_t h = (id + 1) * 0x9e3779b97f4a7c15ULL ^ what * 0xc2b2ae3d27d4eb4fULL;
    h ^= h >> 29;
    return h * 0xbf58476d1ce4e5b9ULL;
}

plan make_plan(workload what, unsigned threads, std::uint64_t n, std::uint64_t ops,
               std::uint64_t seed);

}  // namespace bench
