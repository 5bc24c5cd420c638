// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/wheel/detail/hook_list.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <random>
#include <set>
#include <vector>

namespace foliot::detail {
namespace {

constexpr std::size_t chunk = hook_list::chunk_entries;

// Hooks that are disarmed before they die, as a queue would do.
class hook_list_test : public testing::Test {
protected:
    ~hook_list_test() override {
        list_.clear(pool_);
        for (timer_hook& hook : hooks_) hook_access::disarm(hook);
    }

    void append(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) list_.append(hooks_.emplace_back(), 7, pool_);
    }
    void remove(timer_hook& hook) {
        list_.remove(hook_access::place(hook), pool_);
        hook_access::disarm(hook);
    }
    timer_hook& take() {
        EXPECT_FALSE(list_.drop_if_empty(pool_));
        timer_hook& hook = list_.front();
        list_.pop_front();
        hook_access::disarm(hook);
        return hook;
    }
    std::vector<timer_hook*> content() {
        std::vector<timer_hook*> all;
        list_.for_each([&](timer_hook& hook) { all.push_back(&hook); });
        return all;
    }
    void expect_hooks_know_their_places() {
        const auto all = content();
        ASSERT_EQ(all.size(), list_.size());
        ASSERT_EQ(list_.empty(), all.empty());
        for (timer_hook* hook : all) {
            const hook_place place = hook_access::place(*hook);
            ASSERT_EQ(hook_access::list(place), 7U);
            ASSERT_EQ(*hook_access::entry(place), hook);
            ASSERT_TRUE(list_.owns(place));
        }
    }

    std::deque<timer_hook> hooks_;
    chunk_pool pool_;
    hook_list list_;
};

TEST_F(hook_list_test, appends_and_takes_in_order) {
    for (const std::size_t count : {std::size_t{1}, chunk - 1, chunk, chunk + 1, 5 * chunk}) {
        hooks_.clear();
        append(count);
        expect_hooks_know_their_places();
        for (timer_hook& hook : hooks_) ASSERT_EQ(&take(), &hook);
        EXPECT_TRUE(list_.empty());
        EXPECT_TRUE(list_.drop_if_empty(pool_)) << "it holds no chunk";
    }
}

TEST_F(hook_list_test, append_says_when_it_was_the_first) {
    timer_hook& a = hooks_.emplace_back();
    timer_hook& b = hooks_.emplace_back();
    EXPECT_TRUE(list_.append(a, 7, pool_));
    EXPECT_FALSE(list_.append(b, 7, pool_));
    EXPECT_FALSE(list_.remove(hook_access::place(a), pool_));
    EXPECT_TRUE(list_.remove(hook_access::place(b), pool_));
    EXPECT_TRUE(list_.append(a, 7, pool_));
}

TEST_F(hook_list_test, removal_puts_the_last_entry_into_the_hole) {
    append(chunk + 5);
    remove(hooks_[1]);
    EXPECT_EQ(content()[1], &hooks_[chunk + 4]);
    expect_hooks_know_their_places();
}

TEST_F(hook_list_test, the_rest_of_a_list_that_was_drained_in_part_can_be_removed) {
    append(5);
    take();
    take();
    for (std::size_t i = 2; i < 5; ++i) remove(hooks_[i]);
    EXPECT_TRUE(list_.empty());
    EXPECT_EQ(list_.size(), 0U);
    append(chunk);
    expect_hooks_know_their_places();
    for (std::size_t i = 5; i < 5 + chunk; ++i) ASSERT_EQ(&take(), &hooks_[i]);
    EXPECT_TRUE(list_.empty());
}

TEST_F(hook_list_test, random_appends_removals_and_takings_lose_nothing) {
    std::mt19937 random(1);
    std::set<timer_hook*> expected;
    for (int step = 0; step < 30'000; ++step) {
        // Grow and shrink in turns, so that chunks come and go at both ends.
        const bool grows = step / 1000 % 2 == 0;
        if (random() % 10 < (grows ? 7U : 2U)) {
            append(1);
            expected.insert(&hooks_.back());
        } else if (!expected.empty() && random() % 2 == 0) {
            ASSERT_EQ(expected.erase(&take()), 1U);
        } else if (!expected.empty()) {
            auto victim = expected.lower_bound(&hooks_[random() % hooks_.size()]);
            if (victim == expected.end()) victim = expected.begin();
            remove(**victim);
            expected.erase(victim);
        }
        if (step % 500 == 0) expect_hooks_know_their_places();
        ASSERT_EQ(list_.size(), expected.size());
    }
    const auto all = content();
    EXPECT_EQ(std::set<timer_hook*>(all.begin(), all.end()), expected);
}

TEST_F(hook_list_test, clearing_forgets_everything) {
    append(10 * chunk);
    list_.clear(pool_);
    EXPECT_TRUE(list_.empty());
    EXPECT_EQ(list_.size(), 0U);
    append(3);
    EXPECT_EQ(list_.size(), 3U);
}

}  // namespace
}  // namespace foliot::detail
