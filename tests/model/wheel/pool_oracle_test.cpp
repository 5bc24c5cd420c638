// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// A timer_pool beside a std::map, under random operations, many of them with ids that are stale.
#include "conformance/wheel/queue_driver.hpp"
#include "model/wheel/oracle.hpp"

#include <foliot/wheel/timer_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace foliot::test {
namespace {

// Cannot be copied, is on the heap for AddressSanitizer to watch, and large, so that there are few
// to a slab.
struct payload {
    explicit payload(std::uint64_t n) : number(std::make_unique<std::uint64_t>(n)) {}
    std::unique_ptr<std::uint64_t> number;
    std::array<char, 1000> ballast{};
};

template <class Pool>
class pool_oracle {
public:
    pool_oracle(std::uint64_t seed, std::uint64_t start) : random_(seed), pool_(tick{start}) {}

    std::string run(int steps) {
        for (int step = 0; step < steps && fault_.empty(); ++step) {
            change_something();
            if (pick(6) == 0) advance();
            if (pick(5000) == 0) clear();
            most_cells_ = std::max(most_cells_, pool_.capacity());
            check();
        }
        return fault_;
    }

    [[nodiscard]] std::size_t fired() const { return fired_; }
    [[nodiscard]] std::size_t stale() const { return stale_uses_; }
    [[nodiscard]] std::size_t most_cells() const { return most_cells_; }

private:
    struct record {
        tick due;
        std::uint64_t number;  // its payload's
        bool next_pass;        // was late when it was scheduled, during the present pass
    };

    std::uint64_t pick(std::uint64_t below) { return random_() % below; }
    void expect(bool holds, const char* what) {
        if (!holds && fault_.empty()) fault_ = what;
    }

    tick random_due() {
        const tick now = pool_.cursor();
        switch (pick(6)) {
            case 0: return tick{now.count - std::min<std::uint64_t>(now.count, pick(100))};
            case 1: return tick{random_()};
            case 2: return saturating_add(now, random_() >> pick(64));
            default: return saturating_add(now, pick(5000));
        }
    }

    // A pending one, or one that is gone, or one that never was.
    timer_id some_id() {
        const std::uint64_t which = pick(10);
        if (which == 0) return timer_id(random_());
        if (which == 1) {  // a neighbour in cell or generation
            const timer_id near = gone_.empty() ? timer_id{} : gone_[pick(gone_.size())];
            return timer_id(near.index() + static_cast<std::uint32_t>(pick(3)),
                            near.generation() + static_cast<std::uint32_t>(pick(3)));
        }
        if (which < 5 && !gone_.empty()) return gone_[pick(gone_.size())];
        if (model_.empty()) return {};
        const auto at = model_.lower_bound(pick(model_.rbegin()->first + 1));
        return timer_id(at->first);
    }

    void change_something() {
        const std::uint64_t what = pick(10);
        if (what < 5) {
            if (model_.size() < 3000) schedule();
        } else if (what < 7) {
            cancel(some_id());
        } else {
            reschedule(some_id(), random_due());
        }
    }

    void schedule() {
        const tick due = random_due();
        const std::uint64_t number = ++payloads_;
        const timer_id id = pool_.schedule(due, payload(number));
        const bool fresh = model_.emplace(id.word(), record{due, number, is_late(due)}).second;
        expect(fresh && id, "an id is given out twice");
    }

    [[nodiscard]] bool is_late(tick due) const { return in_pass_ && due <= pool_.cursor(); }

    void cancel(timer_id id) {
        const auto found = model_.find(id.word());
        const bool pending = found != model_.end();
        expect(pool_.cancel(id) == pending, "cancel is wrong about what is pending");
        stale_uses_ += pending ? 0U : 1U;
        if (pending) forget(found);
    }

    void reschedule(timer_id id, tick due) {
        const auto found = model_.find(id.word());
        const bool pending = found != model_.end();
        expect(pool_.reschedule(id, due) == pending, "reschedule is wrong about what is pending");
        stale_uses_ += pending ? 0U : 1U;
        if (!pending) return;
        record& r = found->second;
        const bool keeps_its_place = r.due <= pool_.cursor() && due <= pool_.cursor();
        if (!keeps_its_place) r.next_pass = is_late(due);
        r.due = due;
    }

    void forget(std::map<std::uint64_t, record>::iterator at) {
        const timer_id id(at->first);
        if (gone_.size() < 2000) {
            gone_.push_back(id);
        } else {
            gone_[pick(gone_.size())] = id;
        }
        model_.erase(at);
    }

    void advance() {
        const std::optional<tick> wake = pool_.next_wakeup();
        const std::uint64_t cursor = pool_.cursor().count;
        const std::uint64_t step = pick(30) == 0 ? random_() >> (16 + pick(48)) : pick(800);
        tick now = saturating_add(tick{cursor}, step);
        if (wake && wake->count - cursor < (1U << 30) && pick(4) == 0) now = *wake;
        const std::size_t budgets[] = {1, 3, 50, 1'000'000};
        const std::size_t budget = budgets[pick(4)];
        in_pass_ = true;
        first_pass_ = true;
        for (auto& [id, r] : model_) r.next_pass = false;
        tick last{};
        bool drained = false;
        while (!drained && fault_.empty()) {
            const advance_result r = pool_.advance(
                now, budget, [&](timer_id id, payload&& p) { on_fire(id, *p.number, now, last); });
            expect(r.fired + r.moved <= budget, "advance did more than its budget");
            drained = r.drained;
            // A call that ended with its budget may have done all there was: the next one begins
            // another pass.
            first_pass_ = false;
        }
        for (const auto& [id, r] : model_) {
            expect(r.due > now || r.next_pass, "a timer that was due did not fire");
        }
        in_pass_ = false;
    }

    void on_fire(timer_id id, std::uint64_t number, tick now, tick& last) {
        ++fired_;
        const auto found = model_.find(id.word());
        if (found == model_.end()) return expect(false, "the sink got a timer that is gone");
        const record& r = found->second;
        expect(r.number == number, "the payload is another timer's");
        expect(r.due <= pool_.cursor() && pool_.cursor() <= now, "a timer fired early");
        expect(!r.next_pass || !first_pass_, "a timer of the next pass fired in this one");
        expect(pool_.cursor() >= last, "a lower tick fired after a higher one");
        expect(pool_.find(id) == nullptr && !pool_.cancel(id), "the id is there in its own sink");
        last = pool_.cursor();
        forget(found);
        for (std::uint64_t n = pick(4); n > 1; --n) change_something();
    }

    void clear() {
        pool_.clear();
        while (!model_.empty()) forget(model_.begin());
    }

    void check() {
        expect(pool_.size() == model_.size(), "size is not the number of pending timers");
        expect(pool_.empty() == model_.empty(), "empty disagrees with size");
        const timer_id id = some_id();
        const auto found = model_.find(id.word());
        const payload* const p = pool_.find(id);
        expect((p != nullptr) == (found != model_.end()), "find is wrong");
        if (p != nullptr) {
            expect(*p->number == found->second.number, "find finds another one");
            expect(pool_.due(id) == found->second.due, "the due is another one");
        }
        if (pick(200) == 0) expect(pool_.check_invariants(), "an invariant is broken");
    }

    std::mt19937_64 random_;
    Pool pool_;
    std::map<std::uint64_t, record> model_;  // by id
    std::vector<timer_id> gone_;
    std::string fault_;
    std::uint64_t payloads_ = 0;
    std::size_t fired_ = 0;
    std::size_t stale_uses_ = 0;
    std::size_t most_cells_ = 0;
    bool in_pass_ = false;
    bool first_pass_ = false;
};

template <class Queue>
class wheel_pool_oracle : public testing::Test {};
using one_of_each =
    testing::Types<hierarchical_wheel<60, 4>, hashed_wheel<60>, bucket_queue_of<20>, deadline_heap>;
TYPED_TEST_SUITE(wheel_pool_oracle, one_of_each);

TYPED_TEST(wheel_pool_oracle, agrees_with_a_map_under_random_operations) {
    const std::uint64_t seed = seed_of_run();
    for (std::uint64_t round = 0; round < 12; ++round) {
        const std::uint64_t starts[] = {0, 1005, 0xffff'ff00};
        pool_oracle<timer_pool<payload, TypeParam>> against(seed + round, starts[round % 3]);
        ASSERT_EQ(against.run(15'000), "") << "FOLIOT_SEED=" << seed << ", round " << round;
        ASSERT_GT(against.fired(), 100U) << "the run must fire timers to be worth something";
        ASSERT_GT(against.stale(), 500U) << "and use stale ids";
        ASSERT_GT(against.most_cells(), 64U) << "and several slabs";
    }
}

// Pools with a planted bug: the oracle must find each, or its silence means nothing.
struct forgets_generations : timer_pool<payload, deadline_heap> {
    using timer_pool::timer_pool;
    bool cancel(timer_id id) { return timer_pool::cancel(newest(id)); }
    timer_id schedule(tick due, payload p) {
        const timer_id id = timer_pool::schedule(due, std::move(p));
        newest_[id.index()] = id;
        return id;
    }
    timer_id newest(timer_id id) { return newest_[id.index()]; }
    std::map<std::uint32_t, timer_id> newest_;
};

struct says_moved_when_gone : timer_pool<payload, deadline_heap> {
    using timer_pool::timer_pool;
    bool reschedule(timer_id id, tick due) { return timer_pool::reschedule(id, due) || id; }
};

struct moves_to_the_next_tick : timer_pool<payload, deadline_heap> {
    using timer_pool::timer_pool;
    bool reschedule(timer_id id, tick due) {
        return timer_pool::reschedule(id, saturating_add(due, 1));
    }
};

template <class Pool>
class wheel_pool_canary : public testing::Test {};
using bugs = testing::Types<forgets_generations, says_moved_when_gone, moves_to_the_next_tick>;
TYPED_TEST_SUITE(wheel_pool_canary, bugs);

TYPED_TEST(wheel_pool_canary, the_oracle_finds_the_planted_bug) {
    EXPECT_NE(pool_oracle<TypeParam>(seed_of_run(), 0).run(10'000), "");
}

}  // namespace
}  // namespace foliot::test
