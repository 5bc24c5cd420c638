// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/store_workers.hpp"
#include "store/memory_store.hpp"
#include "support/store/fault_store.hpp"
#include "support/store/forwarding_store.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

namespace foliot::server {
namespace {

using namespace std::chrono_literals;

/// Collects results and waits for them.
class inbox {
public:
    void put(engine::io_done result) {
        const std::lock_guard lock(mutex_);
        results_.push_back(std::move(result));
        arrived_.notify_all();
    }
    std::vector<engine::io_done> wait_for(std::size_t count) {
        std::unique_lock lock(mutex_);
        arrived_.wait_for(lock, 20s, [&] { return results_.size() >= count; });
        return results_;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<engine::io_done> results_;
};

struct throwing_store final : test::forwarding_store {
    using forwarding_store::forwarding_store;
    store::store_result<done> commit(store::shard_id, store::epoch, const store::batch&) override {
        throw std::bad_alloc();
    }
};

class store_workers_test : public testing::Test {
protected:
    logger log{log_format::text, log_level::error};
    inbox results;

    std::unique_ptr<store_workers> workers(store::due_store& store) {
        auto w = std::make_unique<store_workers>(
            store, [this](engine::io_done r) { results.put(std::move(r)); }, log);
        w->start();
        return w;
    }
};

TEST_F(store_workers_test, carries_out_writes_in_order_and_tells_each_result_once) {
    const auto memory = store::make_memory_store();
    auto w = workers(*memory);
    w->run({1, engine::acquire_request{}});
    const auto first = results.wait_for(1);
    ASSERT_EQ(first.size(), 1U);
    const auto& taken = std::get<store::store_result<store::acquired>>(first[0].what);
    ASSERT_TRUE(taken);
    for (engine::io_id id = 2; id < 50; ++id) {
        store::batch b;
        b.meta.pending = id;
        w->run({id, engine::commit_request{taken->current, b}});
    }
    const auto all = results.wait_for(49);
    ASSERT_EQ(all.size(), 49U);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].id, i + 1);
    w->stop();
    EXPECT_EQ(memory->acquire(store::shard_id{0})->meta.pending, 49U);
}

TEST_F(store_workers_test, an_exception_of_a_store_becomes_its_error) {
    const auto memory = store::make_memory_store();
    throwing_store thrower(*memory);
    auto w = workers(thrower);
    w->run({1, engine::commit_request{}});
    const auto all = results.wait_for(1);
    ASSERT_EQ(all.size(), 1U);
    const auto& result = std::get<store::store_result<done>>(all[0].what);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, store::store_code::unavailable);
    EXPECT_TRUE(w->health().failing);
}

TEST_F(store_workers_test, a_hanging_load_delays_no_commit) {
    const auto memory = store::make_memory_store();
    test::fault_store faulty(*memory);
    auto w = workers(faulty);
    w->run({1, engine::acquire_request{}});
    const auto taken =
        std::get<store::store_result<store::acquired>>(results.wait_for(1).at(0).what);
    faulty.hang(test::store_call::load);
    w->run({2, engine::load_near_request{taken->current, {}, 10}});
    ASSERT_TRUE(faulty.wait_until_hanging(test::store_call::load, 10s));
    w->run({3, engine::commit_request{taken->current, {}}});
    EXPECT_EQ(results.wait_for(2).at(1).id, 3U);
    std::this_thread::sleep_for(20ms);
    EXPECT_GE(w->health().longest_call, 20ms);
    faulty.clear();
    EXPECT_EQ(results.wait_for(3).size(), 3U);
}

TEST_F(store_workers_test, health_is_red_from_a_failed_write_to_the_next_that_works) {
    const auto memory = store::make_memory_store();
    test::fault_store faulty(*memory);
    auto w = workers(faulty);
    faulty.fail(test::store_call::acquire, store::store_code::no_space, 1);
    w->run({1, engine::acquire_request{}});
    results.wait_for(1);
    EXPECT_TRUE(w->health().failing);
    EXPECT_FALSE(w->health().last_error.empty());
    w->run({2, engine::acquire_request{}});
    results.wait_for(2);
    EXPECT_FALSE(w->health().failing);
}

TEST_F(store_workers_test, stop_gives_the_shard_up) {
    const auto memory = store::make_memory_store();
    test::fault_store counted(*memory);
    auto w = workers(counted);
    w->run({1, engine::acquire_request{}});
    w->stop();
    EXPECT_EQ(counted.calls(test::store_call::release), 1U);
    w->stop();
    EXPECT_EQ(counted.calls(test::store_call::release), 1U);
}

}  // namespace
}  // namespace foliot::server
