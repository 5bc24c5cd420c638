// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// The objects of an explored program do what those of the standard library do, and find what nobody
// may do with them.
#include "support/interleaving/explore.hpp"
#include "support/interleaving/schedule.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

namespace foliot::interleaving {
namespace {

using namespace std::chrono_literals;

exploration quiet(std::string name) { return {.name = std::move(name), .quiet = true}; }

// What the executions of a program return, together.
template <class F>
auto outcomes(const exploration& how, F program) {
    std::set<decltype(program())> all;
    const report r = explore(how, [&] { all.insert(program()); });
    EXPECT_FALSE(r.failed()) << r;
    EXPECT_TRUE(r.complete) << r;
    return all;
}

TEST(explored_mutex, try_lock_is_refused_while_it_is_held) {
    const auto seen = outcomes(quiet("try_lock"), [] {
        mutex m;
        bool got = false;
        thread other([&] {
            got = m.try_lock();
            if (got) m.unlock();
        });
        m.lock();
        m.unlock();
        other.join();
        return got;
    });
    EXPECT_EQ(seen, (std::set<bool>{false, true}));
}

TEST(explored_condition_variable, notify_one_wakes_any_of_those_that_wait) {
    const auto seen = outcomes(quiet("notify_one"), [] {
        mutex m;
        condition_variable c;
        condition_variable both;
        int waiting = 0;
        int first = 0;
        const auto wait = [&](int me) {
            std::unique_lock held(m);
            if (++waiting == 2) both.notify_one();
            c.wait(held);
            if (first == 0) first = me;
        };
        thread a(wait, 1);
        thread b(wait, 2);
        {
            std::unique_lock held(m);
            both.wait(held, [&] { return waiting == 2; });
            c.notify_one();
        }
        {
            std::unique_lock held(m);
            c.notify_one();
        }
        a.join();
        b.join();
        return first;
    });
    EXPECT_EQ(seen, (std::set<int>{1, 2}));
}

TEST(explored_condition_variable, time_passes_only_when_all_wait) {
    const auto program = [] {
        mutex m;
        condition_variable c;
        bool ready = false;
        thread other([&] {
            const std::lock_guard held(m);
            ready = true;
            c.notify_all();
        });
        std::unique_lock held(m);
        const bool in_time = c.wait_for(held, 5ms, [&] { return ready; });
        const auto slept = now() - 1s;
        held.unlock();
        other.join();
        return std::pair(in_time, slept / 1ms);
    };
    using all = std::set<std::pair<bool, std::int64_t>>;
    exploration how = quiet("time");
    EXPECT_EQ(outcomes(how, program), (all{{true, 0}}));
    how.time = time_passes::at_any_moment;
    EXPECT_EQ(outcomes(how, program), (all{{true, 0}, {false, 5}, {true, 5}}));
}

TEST(explored_condition_variable, a_wait_whose_time_is_over_ends_though_nobody_notifies) {
    const auto seen = outcomes(quiet("timeout"), [] {
        mutex m;
        condition_variable c;
        std::unique_lock held(m);
        const auto how = c.wait_for(held, 3ms);
        return std::pair(how, (now() - 1s) / 1ms);
    });
    EXPECT_EQ(seen,
              (std::set<std::pair<std::cv_status, std::int64_t>>{{std::cv_status::timeout, 3}}));
}

TEST(explored_condition_variable, a_wake_up_for_no_reason_finds_an_if_that_should_be_a_while) {
    const auto program = [] {
        mutex m;
        condition_variable c;
        bool ready = false;
        thread other([&] {
            const std::lock_guard held(m);
            ready = true;
            c.notify_one();
        });
        {
            std::unique_lock held(m);
            if (!ready) c.wait(held);
            check(ready, "it is not ready");
        }
        other.join();
    };
    exploration how = quiet("if");
    EXPECT_FALSE(explore(how, program).failed());
    how.spurious = 1;
    EXPECT_EQ(explore(how, program).failure, "it is not ready");
}

struct misuse {
    const char* what;
    std::function<void()> program;
    const char* told;
};
void PrintTo(const misuse& m, std::ostream* out) { *out << m.what; }

class explored_misuse : public testing::TestWithParam<misuse> {};

TEST_P(explored_misuse, is_told) {
    const report r = explore(quiet(GetParam().what), GetParam().program);
    EXPECT_NE(r.failure.find(GetParam().told), std::string::npos) << r;
}

INSTANTIATE_TEST_SUITE_P(
    all, explored_misuse,
    testing::Values(misuse{"a mutex locked twice",
                           [] {
                               mutex m;
                               m.lock();
                               m.lock();
                           },
                           "locks a mutex twice"},
                    misuse{"a mutex unlocked by another",
                           [] {
                               mutex m;
                               m.lock();
                               thread other([&] { m.unlock(); });
                               other.join();
                           },
                           "does not hold"},
                    misuse{"a mutex destroyed while it is held",
                           [] {
                               mutex m;
                               m.lock();
                           },
                           "destroyed while it is held"},
                    misuse{"an object used after its end",
                           [] {
                               auto value = std::make_unique<atomic<int>>();
                               thread other([at = value.get()] { ++*at; });
                               value.reset();
                               other.join();
                           },
                           "used after its end"},
                    misuse{"a condition variable destroyed while somebody waits",
                           [] {
                               mutex m;
                               condition_variable begun;
                               bool waits = false;
                               std::optional<condition_variable> c(std::in_place);
                               thread other([&] {
                                   std::unique_lock held(m);
                                   waits = true;
                                   begun.notify_one();
                                   c->wait(held);
                               });
                               {
                                   std::unique_lock held(m);
                                   begun.wait(held, [&] { return waits; });
                               }
                               c.reset();
                               other.join();
                           },
                           "destroyed while somebody waits"},
                    misuse{"a wait without the mutex",
                           [] {
                               mutex m;
                               condition_variable c;
                               std::unique_lock<mutex> held(m, std::defer_lock);
                               c.wait(held);
                           },
                           "without its mutex"},
                    misuse{"a thread that is not joined", [] { const thread other([] {}); },
                           "not joined"},
                    misuse{"something thrown out of a thread",
                           [] {
                               thread other([] { throw std::runtime_error("oh"); });
                               other.join();
                           },
                           "thrown out of a thread: oh"},
                    misuse{"a loop without an end",
                           [] {
                               const atomic<bool> stop = false;
                               while (!stop) {}
                           },
                           "goes on and on"}),
    [](const auto& which) { return std::to_string(which.index); });

thread_local int mine = 7;

TEST(explored_thread, thread_local_variables_are_each_threads_own_and_new_each_time) {
    mine = 100;
    const auto seen = outcomes(quiet("thread_local"), [] {
        atomic<int> meet;
        int others = 0;
        thread other([&] {
            ++mine;
            ++meet;
            ++mine;
            others = mine;
        });
        mine += 10;
        ++meet;
        mine += 10;
        other.join();
        return std::pair(mine, others);
    });
    EXPECT_EQ(seen, (std::set<std::pair<int, int>>{{27, 9}}));
    EXPECT_EQ(mine, 100);
}

TEST(explored_thread, exceptions_that_are_handled_are_each_threads_own) {
    const auto seen = outcomes(quiet("exceptions"), [] {
        atomic<int> meet;
        std::string all;
        const auto f = [&](const char* what) {
            try {
                throw std::runtime_error(what);
            } catch (...) {
                ++meet;
                try {
                    std::rethrow_exception(std::current_exception());
                } catch (const std::exception& e) {
                    ++meet;
                    if (std::string(e.what()) != what) all += e.what();
                }
            }
        };
        thread a(f, "a");
        thread b(f, "b");
        a.join();
        b.join();
        return all;
    });
    EXPECT_EQ(seen, std::set<std::string>{""});
}

TEST(explored_thread, a_detached_one_is_waited_for_and_may_be_stuck) {
    const report r = explore(quiet("detached"), [] {
        const auto m = std::make_shared<mutex>();
        m->lock();
        thread other([m] { const std::lock_guard held(*m); });
        other.detach();
    });
    EXPECT_EQ(r.failure.substr(0, 9), "deadlock:") << r;
}

TEST(explored_choice, each_value_is_tried) {
    const auto seen = outcomes(quiet("values"), [] { return choose(3) * 10 + choose(2); });
    EXPECT_EQ(seen, (std::set<unsigned>{0, 1, 10, 11, 20, 21}));
}

TEST(explored_end, is_checked_when_all_threads_have_ended) {
    const report r = explore(quiet("end"), [] {
        const auto done = std::make_shared<bool>(false);
        thread other([done] { *done = true; });
        other.detach();
        at_end([done] { check(!*done, "it was done"); });
    });
    EXPECT_EQ(r.failure, "it was done");
}

TEST(explored_death, a_scenario_that_is_not_the_same_each_time_ends_the_program) {
    int times = 0;
    const auto program = [&] {
        atomic<int> value;
        atomic<int> another;
        thread other([&] { ++value; });
        ++(++times > 1 ? another : value);
        ++value;
        other.join();
    };
    EXPECT_DEATH(explore(quiet("not the same"), program), "does not do the same each time");
}

TEST(schedule, is_text_and_back) {
    const std::vector<std::uint8_t> choices{0, 0, 0, 1, 2, 2, 0};
    EXPECT_EQ(to_text(choices), "0x3.1.2x2.0");
    EXPECT_EQ(from_text("0x3.1.2x2.0"), choices);
    EXPECT_EQ(from_text(""), std::vector<std::uint8_t>{});
    for (const char* wrong : {"x", "1x", "1.", ".1", "1y2", "1x2x3", "1 2", "999", "1x9999999"}) {
        EXPECT_EQ(from_text(wrong), std::nullopt) << wrong;
    }
}

}  // namespace
}  // namespace foliot::interleaving
