// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// The explorer against programs of which it is known how many interleavings they have, and which of
// them are wrong.
#include "support/interleaving/explore.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace foliot::interleaving {
namespace {

constexpr unsigned no_bound = 1'000'000;

exploration reduced(std::string name) { return {.name = std::move(name)}; }
exploration bounded(std::string name, unsigned preemptions) {
    return {.name = std::move(name), .how = search::bounded, .preemptions = preemptions};
}
exploration all_of(std::string name) { return bounded(std::move(name), no_bound); }

// `body` in so many threads.
template <class F>
void run_threads(unsigned count, F body) {
    std::vector<thread> threads;
    for (unsigned i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
    for (thread& t : threads) t.join();
}

std::uint64_t factorial(std::uint64_t n) { return n < 2 ? 1 : n * factorial(n - 1); }

TEST(textbook, steps_on_different_objects_are_explored_in_one_order) {
    const auto program = [] {
        std::array<atomic<int>, 2> values;
        run_threads(2, [&](unsigned i) {
            for (int n = 0; n < 3; ++n) values[i] = n;
        });
    };
    const report few = explore(reduced("independent"), program);
    const report all = explore(all_of("independent, all"), program);
    EXPECT_EQ(few.executions, 1U);
    EXPECT_EQ(all.executions, 20U) << "6 over 3";
    EXPECT_TRUE(few.complete && all.complete);
}

TEST(textbook, increments_of_one_value_come_in_each_order) {
    for (unsigned n = 1; n <= 5; ++n) {
        const report r = explore(reduced("increments " + std::to_string(n)), [n] {
            atomic<unsigned> value;
            run_threads(n, [&](unsigned) { ++value; });
            check(value == n, "an increment was lost");
        });
        EXPECT_EQ(r.executions, factorial(n));
        EXPECT_TRUE(r.complete);
    }
}

TEST(textbook, sections_under_one_mutex_come_in_each_order) {
    for (unsigned n = 1; n <= 4; ++n) {
        const report r = explore(reduced("sections " + std::to_string(n)), [n] {
            mutex m;
            unsigned value = 0;
            run_threads(n, [&](unsigned) {
                const std::lock_guard held(m);
                ++value;
            });
            check(value == n, "two were inside at a time");
        });
        EXPECT_EQ(r.executions, factorial(n));
        EXPECT_EQ(r.cut, 0U);
    }
}

TEST(textbook, readers_come_before_or_after_a_writer) {
    for (unsigned readers = 1; readers <= 4; ++readers) {
        const report r = explore(reduced("readers " + std::to_string(readers)), [readers] {
            atomic<int> value;
            run_threads(readers + 1, [&](unsigned i) {
                if (i == 0) {
                    value = 1;
                } else {
                    static_cast<void>(value.load());
                }
            });
        });
        EXPECT_EQ(r.executions, std::uint64_t{1} << readers);
    }
}

// Load and store, twice: 6 interleavings, of which 4 differ; an update is lost in 4, that is in 2.
TEST(textbook, a_lost_update_is_found) {
    const auto program = [](bool checks) {
        return [checks] {
            atomic<int> value;
            run_threads(2, [&](unsigned) { value = value + 1; });
            if (checks) check(value == 2, "an update was lost");
        };
    };
    EXPECT_EQ(explore(reduced("update"), program(false)).executions, 4U);
    EXPECT_EQ(explore(all_of("update, all"), program(false)).executions, 6U);
    const report r = explore(reduced("lost update"), program(true));
    EXPECT_EQ(r.failure, "an update was lost");
    EXPECT_FALSE(r.complete);
}

TEST(textbook, a_preemption_bound_explores_as_many_as_can_be_counted) {
    constexpr unsigned steps = 6;
    const auto program = [] {
        std::array<atomic<int>, 2> values;
        run_threads(2, [&](unsigned i) {
            for (unsigned n = 0; n < steps; ++n) values[i] = 1;
        });
    };
    // None: one thread after the other. One: either is interrupted after 1, 2, ... of its steps.
    EXPECT_EQ(explore(bounded("bound 0", 0), program).executions, 2U);
    EXPECT_EQ(explore(bounded("bound 1", 1), program).executions, 2 + 2 * (steps - 1));
    EXPECT_EQ(explore(all_of("no bound"), program).executions, 924U) << "12 over 6";
}

TEST(textbook, two_locks_in_different_order_deadlock) {
    const auto program = [](bool same_order) {
        return [same_order] {
            std::array<mutex, 2> m;
            run_threads(2, [&](unsigned i) {
                const unsigned first = same_order ? 0 : i;
                const std::lock_guard one(m[first]);
                const std::lock_guard other(m[1 - first]);
            });
        };
    };
    const report wrong = explore(reduced("two locks"), program(false));
    EXPECT_EQ(wrong.failure.substr(0, 9), "deadlock:") << wrong;
    EXPECT_NE(wrong.failure.find("T1 waits for mutex"), std::string::npos) << wrong;
    const report right = explore(reduced("two locks in order"), program(true));
    EXPECT_FALSE(right.failed()) << right;
    EXPECT_EQ(right.executions, 2U);
}

TEST(textbook, philosophers_deadlock_unless_one_is_left_handed) {
    const auto program = [](bool one_differs) {
        return [one_differs] {
            std::array<mutex, 3> forks;
            run_threads(3, [&](unsigned i) {
                const unsigned other = (i + 1) % 3;
                const bool left_handed = one_differs && i == 2;
                const std::lock_guard first(forks[left_handed ? other : i]);
                const std::lock_guard second(forks[left_handed ? i : other]);
            });
        };
    };
    EXPECT_TRUE(explore(reduced("philosophers"), program(false)).failed());
    const report right = explore(reduced("philosophers, one left-handed"), program(true));
    EXPECT_FALSE(right.failed()) << right;
    EXPECT_TRUE(right.complete);
}

TEST(textbook, a_wake_up_is_lost_where_the_flag_is_set_without_the_lock) {
    const auto program = [](bool locks) {
        return [locks] {
            mutex m;
            condition_variable c;
            atomic<bool> ready = false;
            thread waiter([&] {
                std::unique_lock held(m);
                while (!ready) c.wait(held);
            });
            std::unique_lock held(m, std::defer_lock);
            if (locks) held.lock();
            ready = true;
            c.notify_one();
            if (locks) held.unlock();
            waiter.join();
        };
    };
    const report wrong = explore(reduced("lost wake-up"), program(false));
    EXPECT_EQ(wrong.failure.substr(0, 9), "deadlock:") << wrong;
    EXPECT_NE(wrong.failure.find("to be notified"), std::string::npos) << wrong;
    const report right = explore(reduced("no lost wake-up"), program(true));
    EXPECT_FALSE(right.failed()) << right;
    EXPECT_TRUE(right.complete);
}

// A free list of three nodes. A pop reads the first and its next one, and exchanges: meanwhile
// another thread has popped two and pushed the first again, and the second is handed out twice.
class free_list {
public:
    explicit free_list(bool counts) : counts_(counts) {}

    int pop() {
        int head = head_;
        while (head % 16 != none) {
            const int next = next_[static_cast<std::size_t>(head % 16)];
            if (head_.compare_exchange_strong(head, changed(head, next))) return head % 16;
        }
        return none;
    }
    void push(int node) {
        int head = head_;
        do {
            next_[static_cast<std::size_t>(node)] = head % 16;
        } while (!head_.compare_exchange_strong(head, changed(head, node)));
    }
    static constexpr int none = 3;

private:
    // With a count of the changes in the upper bits.
    int changed(int head, int first) const {
        return counts_ ? (head / 16 + 1) * 16 + first : first;
    }

    const bool counts_;
    atomic<int> head_{0};
    std::array<atomic<int>, 3> next_{1, 2, none};
};

TEST(textbook, aba_hands_a_node_out_twice) {
    const auto program = [](bool counts) {
        return [counts] {
            free_list list(counts);
            std::array<int, 3> owned{free_list::none, free_list::none, free_list::none};
            thread other([&] {
                const int first = list.pop();
                owned[0] = list.pop();
                if (first != free_list::none) list.push(first);
            });
            owned[1] = list.pop();
            other.join();
            owned[2] = list.pop();
            for (std::size_t i = 0; i < 3; ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    check(owned[i] == free_list::none || owned[i] != owned[j],
                          "a node has two owners");
                }
            }
        };
    };
    const report wrong = explore(reduced("aba"), program(false));
    EXPECT_EQ(wrong.failure, "a node has two owners") << wrong;
    const report right = explore(reduced("aba, counted"), program(true));
    EXPECT_FALSE(right.failed()) << right;
    EXPECT_TRUE(right.complete);
}

// Each stores into its own and loads the other's. That both read 0 is what hardware with store
// buffers does; here all steps are in one order.
TEST(textbook, values_are_sequentially_consistent) {
    const report r = explore(reduced("store buffers"), [] {
        std::array<atomic<int>, 2> values;
        std::array<int, 2> seen{};
        run_threads(2, [&](unsigned i) {
            values[i].store(1, std::memory_order_relaxed);
            seen[i] = values[1 - i].load(std::memory_order_relaxed);
        });
        check(seen[0] == 1 || seen[1] == 1, "both read 0");
    });
    EXPECT_FALSE(r.failed());
    EXPECT_EQ(r.executions, 3U) << "who read 1: the first, the second, both";
}

TEST(textbook, an_order_at_random_finds_what_is_frequent) {
    exploration how = reduced("lost update at random");
    how.how = search::random;
    how.executions = 1000;
    how.seed = 42;
    const report r = explore(how, [] {
        atomic<int> value;
        run_threads(2, [&](unsigned) { value = value + 1; });
        check(value == 2, "an update was lost");
    });
    EXPECT_TRUE(r.failed());
}

TEST(textbook, what_fails_is_told_step_by_step_and_can_be_run_again) {
    const auto program = [] {
        mutex m;
        mutex n;
        thread one([&] {
            name_this_thread("one");
            const std::lock_guard first(m);
            const std::lock_guard second(n);
        });
        {
            const std::lock_guard first(n);
            const std::lock_guard second(m);
        }
        one.join();
    };
    const report found = explore(reduced("told"), program);
    ASSERT_TRUE(found.failed());
    EXPECT_NE(found.trace.find("T1 one         lock #1"), std::string::npos) << found;
    EXPECT_NE(found.trace.find("T0             lock #2"), std::string::npos) << found;
    const report again = replay(reduced("told"), found.schedule, program);
    EXPECT_EQ(again.failure, found.failure);
    EXPECT_EQ(again.trace, found.trace);
    const report another = replay(reduced("told"), "0x6.1x4", program);
    EXPECT_FALSE(another.failed()) << another;
}

}  // namespace
}  // namespace foliot::interleaving
