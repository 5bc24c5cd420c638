// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/wheel/detail/hook_lists.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace foliot::detail {
namespace {

constexpr std::uint32_t list_count = 4;
constexpr std::size_t no_limit = 1'000'000'000;

// Its place in the model, so that a random one is found and taken out at once.
struct test_hook : timer_hook {
    std::uint32_t list = 0;
    std::size_t at = 0;
};

// The lists, and beside them what they must hold. A hook is deleted as soon as it is disarmed.
class lists_and_model {
public:
    lists_and_model() = default;
    lists_and_model(const lists_and_model&) = delete;
    lists_and_model& operator=(const lists_and_model&) = delete;
    ~lists_and_model() {
        lists_.settle();
        lists_.clear(list_count);
        for (auto& [list, hooks] : model_) {
            for (test_hook* hook : hooks) delete hook;
        }
    }

    [[nodiscard]] std::vector<test_hook*>& in(std::uint32_t list) { return model_[list]; }
    [[nodiscard]] std::size_t total() const {
        std::size_t sum = 0;
        for (const auto& [list, hooks] : model_) sum += hooks.size();
        return sum;
    }

    // What a wheel's schedule does. The due says the list, so that `check` can see that they agree.
    test_hook& arm(std::uint32_t list) {
        auto* const hook = new test_hook;
        if (!lists_.arm(*hook, tick{list}, list)) {
            lists_.append(*hook, list);
            hook_access::due(*hook) = tick{list};
            lists_.count_armed();
        }
        enter(*hook, list);
        return *hook;
    }
    void arm(std::uint32_t list, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) arm(list);
    }

    // True: the notes are full; `settle` must follow.
    [[nodiscard]] bool cancel_only(test_hook& hook) {
        const bool full = lists_.cancel(hook);
        forget(hook);
        return full;
    }
    void cancel(test_hook& hook) {
        if (cancel_only(hook)) lists_.settle();
    }
    // Leaves every `every`th one.
    void cancel_most(std::uint32_t list, std::size_t every) {
        const std::vector<test_hook*> all = in(list);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % every != 0) cancel(*all[i]);
        }
    }
    void cancel_down_to(std::uint32_t list, std::size_t left) {
        while (in(list).size() > left) cancel(*in(list).back());
    }
    void cancel_all(std::uint32_t list) { cancel_down_to(list, 0); }

    // To another list, as a reschedule does.
    void go(test_hook& hook, std::uint32_t to) {
        const hook_place old = hook_access::place(hook);
        lists_.append(hook, to);
        moved(hook, to);
        if (lists_.leave(old)) lists_.settle();
    }
    // ... or as a cascade does; it has left its list already.
    void append_moved(timer_hook& hook, std::uint32_t to) {
        lists_.append(hook, to);
        moved(static_cast<test_hook&>(hook), to);
    }

    void fired(timer_hook& hook) {
        lists_.count_fired(hook);
        forget(static_cast<test_hook&>(hook));
    }
    bool take(std::uint32_t list, std::size_t limit) {
        return lists_.take_each(list, limit, [&](timer_hook& hook) { fired(hook); });
    }

    // Whether the lists hold what the model does.
    [[nodiscard]] testing::AssertionResult agrees() {
        lists_.settle();
        if (lists_.size() != total()) return testing::AssertionFailure() << "size()";
        for (std::uint32_t list = 0; list < list_count; ++list) {
            if (!lists_.check(list, [&](tick due) { return due.count == list; })) {
                return testing::AssertionFailure() << "check() of list " << list;
            }
            std::set<timer_hook*> found;
            lists_[list].for_each([&](timer_hook& hook) { found.insert(&hook); });
            if (found != std::set<timer_hook*>(in(list).begin(), in(list).end())) {
                return testing::AssertionFailure() << "what list " << list << " holds";
            }
        }
        return testing::AssertionSuccess();
    }

    [[nodiscard]] hook_lists<std::array<hook_list, list_count>>& lists() { return lists_; }

private:
    void enter(test_hook& hook, std::uint32_t list) {
        hook.list = list;
        hook.at = in(list).size();
        in(list).push_back(&hook);
    }
    void exit(test_hook& hook) {
        std::vector<test_hook*>& from = in(hook.list);
        from.back()->at = hook.at;
        std::swap(from[hook.at], from.back());
        from.pop_back();
    }
    void moved(test_hook& hook, std::uint32_t to) {
        hook_access::due(hook) = tick{to};
        exit(hook);
        enter(hook, to);
    }
    void forget(test_hook& hook) {
        exit(hook);
        delete &hook;
    }

    hook_lists<std::array<hook_list, list_count>> lists_;
    std::map<std::uint32_t, std::vector<test_hook*>> model_;
};

TEST(hook_lists, a_cancelled_hook_is_noted_not_counted_and_never_touched_again) {
    lists_and_model all;
    all.arm(0, 10);
    for (int i = 0; i < 3; ++i) all.cancel(*all.in(0)[1]);
    EXPECT_EQ(all.lists().size(), 7U);
    EXPECT_EQ(all.lists()[0].size(), 10U) << "its entry is there until the notes are settled";
    EXPECT_FALSE(all.lists().settled());
    all.lists().settle();
    EXPECT_TRUE(all.lists().settled());
    EXPECT_EQ(all.lists()[0].size(), 7U);
    EXPECT_TRUE(all.agrees());
}

TEST(hook_lists, the_note_that_fills_the_buffer_says_so) {
    lists_and_model all;
    all.arm(0, 200);
    for (int round = 0; round < 3; ++round) {
        for (int i = 1; i < 64; ++i) ASSERT_FALSE(all.cancel_only(*all.in(0).back())) << i;
        ASSERT_TRUE(all.cancel_only(*all.in(0).back()));
        all.lists().settle();
    }
    EXPECT_EQ(all.lists().size(), 8U);
    EXPECT_TRUE(all.agrees());
}

TEST(hook_lists, a_hook_that_goes_to_another_list_is_counted_once) {
    lists_and_model all;
    all.arm(0, 100);
    for (std::size_t i = 1; i <= 70; ++i) {
        all.go(*all.in(0)[0], 1);
        ASSERT_EQ(all.lists().size(), 100U) << i;
    }
    EXPECT_TRUE(all.agrees());
    EXPECT_EQ(all.lists()[0].size(), 30U);
    EXPECT_EQ(all.lists()[1].size(), 70U);
}

TEST(hook_lists, an_arm_fills_the_holes_of_cancelled_hooks) {
    lists_and_model all;
    all.arm(0, 10'000);
    const std::size_t full = all.lists().memory();
    for (int i = 0; i < 100'000; ++i) {
        all.cancel(*all.in(0)[static_cast<std::size_t>(i) * 7919 % 10'000]);
        all.arm(0);
    }
    EXPECT_EQ(all.lists().memory(), full);
    EXPECT_TRUE(all.agrees());
}

TEST(hook_lists, a_list_that_became_mostly_holes_is_condensed_while_cancels_go_on) {
    lists_and_model all;
    all.arm(0, 40'000);
    const std::size_t full = all.lists().memory();
    for (int round = 0; round < 2; ++round) {
        all.cancel_most(0, 10);
        EXPECT_LT(all.lists().memory(), full / 4);
        EXPECT_TRUE(all.agrees());
        all.arm(0, 40'000 - all.in(0).size());
        EXPECT_EQ(all.lists().memory(), full);
        EXPECT_TRUE(all.agrees());
    }
}

TEST(hook_lists, a_second_sparse_list_waits_until_the_first_one_is_condensed) {
    lists_and_model all;
    all.arm(0, 40'000);
    all.arm(1, 40'000);
    const std::size_t full = all.lists().memory();
    for (int i = 0; i < 37'000; ++i) {
        for (const std::uint32_t list : {0U, 1U}) all.cancel(*all.in(list)[0]);
        if (i % 4000 == 0) {
            ASSERT_TRUE(all.agrees()) << i;
        }
    }
    EXPECT_LT(all.lists().memory(), full / 3);
    EXPECT_TRUE(all.agrees());
}

// Begins to condense list 0, and stops half way.
void condense_half(lists_and_model& all) {
    all.arm(0, 40'000);
    const std::size_t full = all.lists().memory();
    std::mt19937 random(1);
    while (all.lists().memory() > full * 3 / 4) {
        all.cancel(*all.in(0)[random() % all.in(0).size()]);
        ASSERT_GT(all.in(0).size(), 5000U) << "it should have been condensed";
    }
    ASSERT_TRUE(all.agrees());
    ASSERT_GT(all.lists().memory(), full / 2) << "it should not be done yet";
}

// After something else was done with the list that was being condensed.
void expect_usable(lists_and_model& all) {
    EXPECT_TRUE(all.agrees());
    all.arm(0, 40'000);
    EXPECT_TRUE(all.agrees());
    const std::size_t full = all.lists().memory();
    all.cancel_most(0, 10);
    EXPECT_LT(all.lists().memory(), full / 2) << "it is condensed again";
    EXPECT_TRUE(all.agrees());
}

TEST(hook_lists, a_list_that_is_being_condensed_can_be_appended_to_and_cancelled_from) {
    lists_and_model all;
    condense_half(all);
    for (int i = 0; i < 20'000; ++i) {
        all.arm(0);
        all.cancel(*all.in(0)[static_cast<std::size_t>(i) * 7919 % all.in(0).size()]);
    }
    expect_usable(all);
}

TEST(hook_lists, a_list_that_is_being_condensed_can_be_drained) {
    lists_and_model all;
    condense_half(all);
    EXPECT_FALSE(all.take(0, 1000));
    EXPECT_TRUE(all.agrees());
    for (int i = 0; i < 1000; ++i) all.cancel(*all.in(0)[0]);
    EXPECT_TRUE(all.agrees());
    EXPECT_TRUE(all.take(0, no_limit));
    EXPECT_TRUE(all.in(0).empty());
    EXPECT_LE(all.lists().memory(), chunk_pool::slab_size);
    expect_usable(all);
}

TEST(hook_lists, a_list_that_is_being_condensed_can_be_moved) {
    lists_and_model all;
    condense_half(all);
    std::size_t limit = 1000;
    const auto move = [&](timer_hook& hook) { all.append_moved(hook, 1); };
    EXPECT_FALSE(all.lists().move_each(0, limit, move));
    EXPECT_EQ(all.in(1).size(), 1000U);
    EXPECT_TRUE(all.agrees());
    limit = no_limit;
    EXPECT_TRUE(all.lists().move_each(0, limit, move));
    EXPECT_TRUE(all.in(0).empty());
    expect_usable(all);
}

TEST(hook_lists, a_list_that_is_being_condensed_can_be_emptied_by_cancels) {
    lists_and_model all;
    condense_half(all);
    EXPECT_FALSE(all.lists().drop_if_empty(0));
    all.cancel_all(0);
    EXPECT_TRUE(all.agrees());
    EXPECT_TRUE(all.lists().drop_if_empty(0));
    expect_usable(all);
}

// A list that waited for another one to be condensed may begin with next to nothing in it.
TEST(hook_lists, a_list_that_is_being_condensed_can_be_dropped_once_it_is_empty) {
    lists_and_model all;
    all.arm(0, 40'000);
    all.arm(1, 100'000);
    const std::size_t full = all.lists().memory();
    all.cancel_down_to(0, 10'100);
    all.cancel_down_to(1, 24'400);
    all.cancel_down_to(0, 100);
    EXPECT_GT(all.lists().memory(), full / 4) << "one of the two is to be condensed yet";
    all.cancel_down_to(1, 20'000);
    all.cancel_all(0);
    all.lists().settle();
    EXPECT_TRUE(all.lists().drop_if_empty(0));
    EXPECT_LT(all.lists().memory(), full / 3);
    expect_usable(all);
}

TEST(hook_lists, a_list_that_is_being_condensed_can_be_cleared) {
    lists_and_model all;
    condense_half(all);
    all.lists().clear(list_count);
    EXPECT_EQ(all.lists().size(), 0U);
    for (test_hook* hook : all.in(0)) {
        ASSERT_FALSE(hook->armed());
        delete hook;
    }
    all.in(0).clear();
    expect_usable(all);
}

TEST(hook_lists, when_nothing_is_armed_all_but_a_slab_is_given_back_and_only_if_it_is_worth_it) {
    lists_and_model all;
    EXPECT_FALSE(all.lists().let_go(list_count));
    for (std::uint32_t list = 0; list < list_count; ++list) all.arm(list, 3);
    for (std::uint32_t list = 0; list < list_count; ++list) all.cancel_all(list);
    EXPECT_FALSE(all.lists().let_go(list_count)) << "it is all in a slab";
    for (std::uint32_t list = 0; list < list_count; ++list) all.arm(list, 3000);
    for (std::uint32_t list = 0; list < list_count; ++list) all.cancel_all(list);
    EXPECT_EQ(all.lists().size(), 0U);
    EXPECT_FALSE(all.lists().settled()) << "notes are pending";
    EXPECT_GT(all.lists().memory(), chunk_pool::slab_size);
    EXPECT_TRUE(all.lists().let_go(list_count));
    EXPECT_LE(all.lists().memory(), chunk_pool::slab_size);
    EXPECT_TRUE(all.agrees());
    expect_usable(all);
}

// ---- random calls -------------------------------------------------------------------------------

class random_life {
public:
    explicit random_life(std::uint64_t seed) : random_(seed) {}

    // Lists grow to tens of thousands and shrink again, in turns.
    void run(int steps) {
        for (int step = 0; step < steps; ++step) {
            if (step % 80'000 == 0) begin_phase();
            act(step % 80'000 < 40'000);
            ASSERT_EQ(all_.lists().size(), all_.total()) << "step " << step;
            if (step % 4000 == 0) {
                ASSERT_TRUE(all_.agrees()) << "step " << step;
            }
            if (testing::Test::HasFatalFailure()) return;
        }
        ASSERT_TRUE(all_.agrees());
        give_all_back();
    }

    // How often a settling was seen to condense a list, and how often it was drained then.
    int condensed = 0;
    int interrupted = 0;

private:
    std::uint32_t below(std::size_t end) {
        return static_cast<std::uint32_t>(random_() % std::max<std::size_t>(end, 1));
    }
    // Mostly one list, so that it becomes long.
    std::uint32_t some_list() { return below(4) != 0 ? target_ : below(list_count); }
    bool may_fill(std::uint32_t list) const { return !taking_[list]; }
    test_hook& any_of(std::uint32_t list) { return *all_.in(list)[below(all_.in(list).size())]; }

    // What was begun to be drained takes nothing until it is empty.
    void begin_phase() {
        for (std::uint32_t list = 0; list < list_count; ++list) {
            while (taking_[list]) drain(list, no_limit);
        }
        target_ = below(list_count);
        drains_ = below(3) == 0;
    }

    void act(bool grows) {
        const std::uint32_t list = some_list();
        const std::uint32_t what = below(10'000);
        if (what < 40) return all_.lists().settle();
        if (what < 80) return drop(list);
        if (what < 85 && drains_) return drain(list, below(300));
        if (what < 90 && drains_) return move(list, below(list_count), below(300));
        if (what < 600) return go(list, below(list_count));
        if (grows ? what < 9700 : what < 700) return arm(list);
        cancel(list);
    }

    void arm(std::uint32_t list) {
        if (may_fill(list)) all_.arm(list);
    }

    void go(std::uint32_t from, std::uint32_t to) {
        if (from != to && may_fill(to) && !all_.in(from).empty()) all_.go(any_of(from), to);
    }

    void cancel(std::uint32_t list) {
        if (all_.in(list).empty() || !all_.cancel_only(any_of(list))) return;
        if (!settle_moves_entries_of(list)) return;
        ++condensed;
        if (below(20) != 0) return;
        ++interrupted;
        if (below(2) == 0) {
            drain(list, below(300));
        } else {
            move(list, (list + 1) % list_count, below(300));
        }
    }

    // Only condensing gives a hook another entry. Looks at some of them.
    bool settle_moves_entries_of(std::uint32_t list) {
        std::map<timer_hook*, hook_place> places;
        for (std::size_t n = std::min<std::size_t>(all_.in(list).size(), 64); n != 0; --n) {
            timer_hook& hook = any_of(list);
            places[&hook] = hook_access::place(hook);
        }
        all_.lists().settle();
        return std::any_of(places.begin(), places.end(), [](const auto& before) {
            return hook_access::place(*before.first) != before.second;
        });
    }

    // The sink may cancel what is in the same list, and may throw.
    void drain(std::uint32_t list, std::size_t limit) {
        all_.lists().settle();
        const std::size_t throws_at = 1 + below(200);
        const bool puts_back = below(2) == 0;
        std::size_t calls = 0;
        taking_[list] = true;
        try {
            const bool done = all_.lists().take_each(list, limit, [&](timer_hook& hook) {
                const bool throws = ++calls == throws_at;
                if (throws && puts_back) {
                    all_.lists().put_back(list);
                    throw 1;
                }
                all_.fired(hook);
                for (std::uint32_t n = below(3); n != 0; --n) cancel_one(some_list());
                if (throws) throw 1;
                all_.lists().settle();
            });
            taking_[list] = !done;
        } catch (int) {}
        all_.lists().settle();
    }
    void cancel_one(std::uint32_t list) {
        if (!all_.in(list).empty()) all_.cancel(any_of(list));
    }

    void move(std::uint32_t from, std::uint32_t to, std::size_t limit) {
        if (from == to || !may_fill(to)) return;
        all_.lists().settle();
        const std::size_t throws_at = below(400);
        std::size_t calls = 0;
        taking_[from] = true;
        try {
            const bool done = all_.lists().move_each(from, limit, [&](timer_hook& hook) {
                if (calls++ == throws_at) throw 1;
                all_.append_moved(hook, to);
            });
            taking_[from] = !done;
        } catch (int) {}
    }

    void drop(std::uint32_t list) {
        all_.lists().settle();
        const bool dropped = all_.lists().drop_if_empty(list);
        ASSERT_EQ(dropped, all_.in(list).empty());
        if (dropped) taking_[list] = false;
    }

    void give_all_back() {
        for (std::uint32_t list = 0; list < list_count; ++list) all_.cancel_all(list);
        const bool worth_it = all_.lists().memory() > chunk_pool::slab_size;
        ASSERT_EQ(all_.lists().let_go(list_count), worth_it);
        ASSERT_LE(all_.lists().memory(), chunk_pool::slab_size);
        ASSERT_TRUE(all_.agrees());
    }

    lists_and_model all_;
    std::mt19937_64 random_;
    std::uint32_t target_ = 0;
    bool drains_ = false;
    std::array<bool, list_count> taking_{};
};

TEST(hook_lists, agree_with_a_model_under_random_calls) {
    const char* const given = std::getenv("FOLIOT_SEED");
    const std::uint64_t seed = given == nullptr ? 20'260'101 : std::strtoull(given, nullptr, 10);
    std::cout << "FOLIOT_SEED=" << seed << '\n';
    int condensed = 0;
    int interrupted = 0;
    for (std::uint64_t round = 0; round < 4; ++round) {
        random_life life(seed + round);
        life.run(320'000);
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << "FOLIOT_SEED=" << seed + round;
        condensed += life.condensed;
        interrupted += life.interrupted;
    }
    std::cout << condensed << " settlings condensed, " << interrupted
              << " times the list was drained then\n";
    EXPECT_GT(condensed, 30) << "lists must be condensed for this to be worth something";
    EXPECT_GT(interrupted, 0);
}

}  // namespace
}  // namespace foliot::detail
