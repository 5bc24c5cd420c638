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
    bool remove(timer_hook& hook) {
        const bool sparse = list_.remove(hook_access::place(hook));
        hook_access::disarm(hook);
        return sparse;
    }
    // Nothing may be appended until the list is empty.
    timer_hook* take() {
        timer_hook* taken = nullptr;
        std::size_t one = 1;
        (void)list_.take_each(one, pool_, [&](timer_hook& hook) { taken = &hook; });
        if (taken != nullptr) hook_access::disarm(*taken);
        return taken;
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
            ASSERT_EQ(*hook_access::entry(place), reinterpret_cast<std::uintptr_t>(hook));
            ASSERT_TRUE(list_.owns(place, 100'000));
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
        for (timer_hook& hook : hooks_) ASSERT_EQ(take(), &hook);
        EXPECT_TRUE(list_.empty());
        EXPECT_EQ(take(), nullptr);
    }
}

TEST_F(hook_list_test, append_says_when_it_was_the_first) {
    timer_hook& a = hooks_.emplace_back();
    timer_hook& b = hooks_.emplace_back();
    EXPECT_TRUE(list_.append(a, 7, pool_));
    EXPECT_FALSE(list_.append(b, 7, pool_));
    remove(a);
    remove(b);
    EXPECT_FALSE(list_.append(a, 7, pool_)) << "it kept its chunk";
    remove(a);
    list_.clear(pool_);
    EXPECT_TRUE(list_.append(a, 7, pool_));
}

TEST_F(hook_list_test, an_append_fills_the_latest_hole_and_no_other_hook_is_touched) {
    append(chunk + 5);
    const hook_place first_hole = hook_access::place(hooks_[1]);
    const hook_place second_hole = hook_access::place(hooks_[chunk + 2]);
    remove(hooks_[1]);
    remove(hooks_[chunk + 2]);
    expect_hooks_know_their_places();
    append(2);
    EXPECT_EQ(hook_access::place(hooks_[chunk + 5]), second_hole);
    EXPECT_EQ(hook_access::place(hooks_[chunk + 6]), first_hole);
    expect_hooks_know_their_places();
}

TEST_F(hook_list_test, the_rest_of_a_list_that_was_drained_in_part_can_be_removed) {
    append(5);
    take();
    take();
    for (std::size_t i = 2; i < 5; ++i) EXPECT_FALSE(remove(hooks_[i]));
    EXPECT_TRUE(list_.empty());
    EXPECT_EQ(list_.size(), 0U);
    EXPECT_EQ(take(), nullptr);
    append(chunk);
    expect_hooks_know_their_places();
    for (std::size_t i = 5; i < 5 + chunk; ++i) ASSERT_EQ(take(), &hooks_[i]);
    EXPECT_TRUE(list_.empty());
}

TEST_F(hook_list_test, taking_and_moving_pass_holes_by_and_count_hooks_only) {
    append(4 * chunk);
    for (std::size_t i = 0; i < 4 * chunk; ++i) {
        if (i % 10 != 3) remove(hooks_[i]);
    }
    std::size_t next = 3;
    const auto expect_next = [&](timer_hook& hook) {
        EXPECT_EQ(&hook, &hooks_[next]);
        hook_access::disarm(hook);
        next += 10;
    };
    std::size_t five = 5;
    EXPECT_FALSE(list_.take_each(five, pool_, expect_next));
    EXPECT_EQ(next, 53U);
    five = 5;
    EXPECT_FALSE(list_.move_each(five, pool_, expect_next));
    EXPECT_EQ(next, 103U);
    std::size_t all = 1'000'000;
    EXPECT_TRUE(list_.take_each(all, pool_, expect_next));
    EXPECT_EQ(1'000'000 - all, (4 * chunk + 6) / 10 - 10);
    EXPECT_EQ(pool_.memory(), std::size_t{16} << 10);
}

TEST_F(hook_list_test, what_throws_is_taken_and_stays_if_put_back) {
    append(3);
    std::size_t all = 100;
    EXPECT_THROW((void)list_.take_each(all, pool_,
                                       [&](timer_hook& hook) {
                                           hook_access::disarm(hook);
                                           throw 1;
                                       }),
                 int);
    EXPECT_EQ(list_.size(), 2U);
    EXPECT_THROW((void)list_.take_each(all, pool_,
                                       [&](timer_hook&) {
                                           list_.put_back();
                                           throw 1;
                                       }),
                 int);
    EXPECT_THROW((void)list_.move_each(all, pool_, [&](timer_hook&) { throw 1; }), int);
    EXPECT_EQ(list_.size(), 2U);
    EXPECT_EQ(take(), &hooks_[1]);
    EXPECT_EQ(take(), &hooks_[2]);
}

TEST_F(hook_list_test, a_list_of_one_chunk_is_never_sparse_and_a_longer_one_with_a_quarter_left) {
    append(chunk);
    for (timer_hook& hook : hooks_) ASSERT_FALSE(remove(hook));
    append(10 * chunk);
    std::size_t left = 10 * chunk;
    for (std::size_t i = chunk; i < 11 * chunk; ++i) {
        const bool sparse = remove(hooks_[i]);
        --left;
        ASSERT_EQ(sparse, left <= 9 * (chunk / 4)) << left;
    }
}

TEST_F(hook_list_test, condensing_gives_chunks_back_in_steps_while_hooks_come_and_go) {
    append(1000 * chunk);
    for (std::size_t i = 0; i < 1000 * chunk; ++i) {
        if (i % 8 != 0) remove(hooks_[i]);
    }
    const std::size_t before = pool_.memory();
    std::uint32_t old = list_.begin_condensing();
    EXPECT_EQ(old, 1000U);
    std::size_t at = 0;
    std::size_t count = list_.size();
    int steps = 0;
    for (; old != 0; ++steps) {
        list_.condense(old, 100, 7, pool_);
        append(3);  // somebody schedules,
        count += 3;
        for (int i = 0; i < 3 && at < 1000 * chunk; ++i, at += 56, --count) {  // and cancels
            list_.blank(hook_access::place(hooks_[at]));
            hook_access::disarm(hooks_[at]);
        }
        ASSERT_EQ(list_.size(), count);
        if (steps % 50 == 0) expect_hooks_know_their_places();
    }
    EXPECT_EQ(steps, 1000 * static_cast<int>(chunk) / 100);
    expect_hooks_know_their_places();
    EXPECT_LT(pool_.memory(), before / 4);
    while (list_.size() != 0) ASSERT_NE(take(), nullptr);
}

TEST_F(hook_list_test, condensing_what_becomes_empty_meanwhile_leaves_nothing) {
    append(3 * chunk);
    for (std::size_t i = 5; i < 3 * chunk; ++i) remove(hooks_[i]);
    std::uint32_t old = list_.begin_condensing();
    for (std::size_t i = 0; i < 5; ++i) {
        list_.blank(hook_access::place(hooks_[i]));
        hook_access::disarm(hooks_[i]);
    }
    list_.condense(old, 1000, 7, pool_);
    EXPECT_EQ(old, 0U);
    EXPECT_TRUE(list_.empty());
    timer_hook& hook = hooks_.emplace_back();
    EXPECT_TRUE(list_.append(hook, 7, pool_)) << "it held no chunk";
}

TEST_F(hook_list_test, random_appends_removals_and_takings_lose_nothing) {
    std::mt19937 random(1);
    std::set<timer_hook*> expected;
    bool taking = false;  // until it is empty: then nothing is appended
    for (int step = 0; step < 30'000; ++step) {
        // Grow and shrink in turns, so that chunks come and go at both ends.
        const bool grows = step / 1000 % 2 == 0;
        if (expected.empty() && taking) {
            ASSERT_EQ(take(), nullptr);
            taking = false;
        }
        if (!taking && random() % 10 < (grows ? 7U : 2U)) {
            append(1);
            expected.insert(&hooks_.back());
        } else if (!expected.empty() && (taking || (!grows && random() % 500 == 0))) {
            taking = true;
            ASSERT_EQ(expected.erase(take()), 1U);
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
