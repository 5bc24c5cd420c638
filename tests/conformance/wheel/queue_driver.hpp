// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/wheel/bucket_queue_wheel.hpp>
#include <foliot/wheel/deadline_heap.hpp>
#include <foliot/wheel/hashed_wheel.hpp>
#include <foliot/wheel/hierarchical_wheel.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

// What the tests of all timer queues share.
namespace foliot::test {

inline constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

struct entry : timer_hook {
    explicit entry(int id_ = 0) : id(id_) {}
    int id;
};

inline entry& entry_of(timer_hook& hook) { return static_cast<entry&>(hook); }

/// One call of a sink.
struct firing {
    int id;
    std::uint64_t at;  ///< the cursor

    friend bool operator==(const firing&, const firing&) = default;
    friend std::ostream& operator<<(std::ostream& out, const firing& f) {
        return out << f.id << "@" << f.at;
    }
};
using firings = std::vector<firing>;

/// Advances to `now` with as many calls as `budget` needs, and returns what fired. `then` is called
/// with each fired entry.
template <timer_queue Queue, class Then>
firings fire(Queue& queue, std::uint64_t now, std::size_t budget, Then then) {
    firings seen;
    const auto sink = [&](timer_hook& hook) {
        EXPECT_FALSE(hook.armed()) << "a hook is handed over disarmed";
        seen.push_back({entry_of(hook).id, queue.cursor().count});
        then(entry_of(hook));
    };
    while (true) {
        const std::size_t before = seen.size();
        const advance_result r = queue.advance(tick{now}, budget, sink);
        EXPECT_EQ(r.fired, seen.size() - before);
        EXPECT_LE(r.fired + r.moved, budget);
        EXPECT_TRUE(queue.check_invariants());
        if (r.drained) return seen;
        if (r.fired + r.moved == 0) {
            ADD_FAILURE() << "advance neither works nor ends";
            return seen;
        }
    }
}

template <timer_queue Queue>
firings fire(Queue& queue, std::uint64_t now, std::size_t budget = no_limit) {
    return fire(queue, now, budget, [](entry&) {});
}

/// Delays on both sides of every boundary that some wheel may have.
inline std::vector<std::uint64_t> edge_delays() {
    std::set<std::uint64_t> delays{0, 1, 2, 3, ~std::uint64_t{0}, ~std::uint64_t{0} - 1};
    for (const std::uint64_t base : {2U, 5U, 60U, 256U, 300U}) {
        std::uint64_t power = base;
        while (true) {
            delays.insert({power - 1, power, power + 1, 2 * power - 1});
            if (power > ~std::uint64_t{0} / base) break;
            power *= base;
        }
    }
    return {delays.begin(), delays.end()};
}

/// Places to start from: at, before and behind boundaries, and near the end of time.
inline std::vector<std::uint64_t> edge_starts() {
    return {0,        1,       59,       60,          255,        1005,
            67137025, 7481663, 12959999, 0xffff'ffff, 1ULL << 36, ~std::uint64_t{0} - 1000};
}

/// As all models are constructed from a tick alone, one of another size is a type of its own.
template <std::uint32_t WheelSize>
struct bucket_queue_of : bucket_queue_wheel {
    explicit bucket_queue_of(tick start = {})
        : bucket_queue_wheel(start, {.ticks_per_bucket = 1, .wheel_size = WheelSize}) {}
};

/// The suites run over all of these.
using queues =
    testing::Types<hierarchical_wheel<2, 3>, hierarchical_wheel<5, 1>, hierarchical_wheel<60, 4>,
                   hierarchical_wheel<256, 4>, hierarchical_wheel<2, 64>, hashed_wheel<2>,
                   hashed_wheel<60>, hashed_wheel<512>, bucket_queue_wheel, bucket_queue_of<3>,
                   deadline_heap>;

}  // namespace foliot::test
