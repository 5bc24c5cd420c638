// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/worker_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace foliot {
namespace {

// What became of jobs, by their tickets.
struct record {
    std::mutex mutex;
    std::vector<std::uint64_t> run;
    std::vector<std::uint64_t> shed;
    std::latch* gate = nullptr;  // what every job waits for
    std::atomic<int> begun = 0;

    static void act(void* self, std::uint64_t ticket, detail::job_fate fate) noexcept {
        auto& r = *static_cast<record*>(self);
        if (fate == detail::job_fate::run) {
            ++r.begun;
            if (r.gate != nullptr) r.gate->wait();
        }
        const std::lock_guard held(r.mutex);
        (fate == detail::job_fate::run ? r.run : r.shed).push_back(ticket);
    }
    job make(std::uint64_t ticket, priority p = priority::normal, bool discardable = false) {
        return detail::job_access::make(&act, this, ticket, p, discardable);
    }
    void wait_until_begun(int jobs) const {
        while (begun < jobs) std::this_thread::yield();
    }
};

TEST(worker_pool, refuses_options_out_of_range) {
    EXPECT_THROW(worker_pool({.workers = 0, .queue_limit = 1, .on_room = {}}),
                 std::invalid_argument);
    EXPECT_THROW(worker_pool({.workers = 1, .queue_limit = 0, .on_room = {}}),
                 std::invalid_argument);
}

TEST(worker_pool, runs_each_job_once_and_one_class_in_order) {
    record r;
    {
        worker_pool pool({.workers = 1, .queue_limit = 1000, .on_room = {}});
        for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(pool.try_submit(r.make(i)));
        r.wait_until_begun(1000);
    }
    ASSERT_EQ(r.run.size(), 1000U);
    for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(r.run[i], i);
    EXPECT_TRUE(r.shed.empty());
}

TEST(worker_pool, a_full_class_refuses_and_the_others_do_not) {
    record r;
    std::latch gate(1);
    r.gate = &gate;
    std::atomic<int> rooms = 0;
    worker_pool pool({.workers = 1, .queue_limit = 2, .on_room = [&] { ++rooms; }});
    ASSERT_TRUE(pool.try_submit(r.make(0)));
    r.wait_until_begun(1);  // it holds the worker
    EXPECT_TRUE(pool.try_submit(r.make(1)));
    EXPECT_TRUE(pool.try_submit(r.make(2)));
    EXPECT_FALSE(pool.try_submit(r.make(3)));
    EXPECT_TRUE(pool.try_submit(r.make(4, priority::low)));
    EXPECT_TRUE(pool.try_submit(r.make(5, priority::high)));
    EXPECT_EQ(pool.waiting(), (std::array<std::size_t, 3>{1, 2, 1}));
    EXPECT_EQ(rooms, 0);
    gate.count_down();
    r.wait_until_begun(5);
    pool.stop();
    EXPECT_EQ(r.run, (std::vector<std::uint64_t>{0, 5, 1, 2, 4}));
    EXPECT_EQ(rooms, 1) << "told once, for the class that refused";
}

TEST(worker_pool, the_lowest_class_does_not_starve) {
    record r;
    std::latch gate(1);
    r.gate = &gate;
    worker_pool pool({.workers = 1, .queue_limit = 100, .on_room = {}});
    ASSERT_TRUE(pool.try_submit(r.make(1000)));
    r.wait_until_begun(1);
    for (std::uint64_t i = 0; i < 40; ++i) ASSERT_TRUE(pool.try_submit(r.make(i, priority::high)));
    ASSERT_TRUE(pool.try_submit(r.make(77, priority::low)));
    gate.count_down();
    r.wait_until_begun(42);
    pool.stop();
    const auto at = std::find(r.run.begin(), r.run.end(), 77U) - r.run.begin();
    EXPECT_LE(at, 16);
}

TEST(worker_pool, no_class_starves_while_the_others_are_never_empty) {
    record r;
    std::latch gate(1);
    r.gate = &gate;
    worker_pool pool({.workers = 1, .queue_limit = 1000, .on_room = {}});
    ASSERT_TRUE(pool.try_submit(r.make(1000)));
    r.wait_until_begun(1);
    for (std::uint64_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(pool.try_submit(r.make(i, priority::high)));
        ASSERT_TRUE(pool.try_submit(r.make(200 + i, priority::normal)));
        ASSERT_TRUE(pool.try_submit(r.make(400 + i, priority::low)));
    }
    gate.count_down();
    r.wait_until_begun(301);
    pool.stop();
    const auto place = [&](std::uint64_t ticket) {
        return std::find(r.run.begin(), r.run.end(), ticket) - r.run.begin();
    };
    EXPECT_LE(place(200), 17);
    EXPECT_LE(place(400), 17);
    EXPECT_LE(place(203), 17 * 4);
}

TEST(worker_pool, evicts_a_discardable_job_of_the_class_that_needs_room) {
    record r;
    std::latch gate(1);
    r.gate = &gate;
    worker_pool pool({.workers = 1, .queue_limit = 10, .on_room = {}});
    ASSERT_TRUE(pool.try_submit(r.make(0)));
    r.wait_until_begun(1);
    ASSERT_TRUE(pool.try_submit(r.make(1, priority::high, false)));
    ASSERT_TRUE(pool.try_submit(r.make(2, priority::high, true)));
    ASSERT_TRUE(pool.try_submit(r.make(3, priority::low, true)));
    const auto first = pool.evict(priority::high);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->urgency(), priority::high);
    EXPECT_FALSE(pool.evict(priority::high).has_value()) << "the other one is not discardable";
    EXPECT_FALSE(pool.evict(priority::normal).has_value());
    first->drop();
    gate.count_down();
    r.wait_until_begun(3);
    pool.stop();
    EXPECT_EQ(r.shed, (std::vector<std::uint64_t>{2}));
    EXPECT_EQ(r.run, (std::vector<std::uint64_t>{0, 1, 3}));
}

TEST(worker_pool, a_stop_from_outside_waits_for_the_job_that_stopped_it_first) {
    struct holder {
        worker_pool pool{{.workers = 1, .queue_limit = 10, .on_room = {}}};
        std::latch stopped{1};
        std::atomic<bool> returned = false;
        static void act(void* self, std::uint64_t, detail::job_fate) noexcept {
            auto& h = *static_cast<holder*>(self);
            h.pool.stop();
            h.stopped.count_down();
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            h.returned = true;
        }
    } h;
    ASSERT_TRUE(
        h.pool.try_submit(detail::job_access::make(&holder::act, &h, 0, priority::normal, false)));
    h.stopped.wait();
    h.pool.stop();
    EXPECT_TRUE(h.returned);
}

TEST(worker_pool, stop_drops_what_waits_and_waits_for_what_runs) {
    record r;
    std::latch gate(1);
    r.gate = &gate;
    worker_pool pool({.workers = 1, .queue_limit = 10, .on_room = {}});
    ASSERT_TRUE(pool.try_submit(r.make(0)));
    r.wait_until_begun(1);
    ASSERT_TRUE(pool.try_submit(r.make(1)));
    std::thread opener([&] { gate.count_down(); });
    pool.stop();
    EXPECT_EQ(r.run, (std::vector<std::uint64_t>{0}));
    EXPECT_EQ(r.shed, (std::vector<std::uint64_t>{1}));
    EXPECT_FALSE(pool.try_submit(r.make(2)));
    opener.join();
}

TEST(worker_pool, a_job_may_destroy_its_pool) {
    struct holder {
        std::unique_ptr<worker_pool> pool;
        std::latch submitted{1};
        std::atomic<bool> done = false;
        static void act(void* self, std::uint64_t, detail::job_fate) noexcept {
            auto& h = *static_cast<holder*>(self);
            h.submitted.wait();
            h.pool.reset();
            h.done = true;
        }
    } h;
    h.pool = std::make_unique<worker_pool>(
        worker_pool_options{.workers = 2, .queue_limit = 10, .on_room = {}});
    ASSERT_TRUE(
        h.pool->try_submit(detail::job_access::make(&holder::act, &h, 0, priority::normal, false)));
    h.submitted.count_down();
    while (!h.done) std::this_thread::yield();
}

}  // namespace
}  // namespace foliot
