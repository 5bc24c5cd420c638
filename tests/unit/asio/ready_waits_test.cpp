// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/asio/detail/ready_waits.hpp>
#include <foliot/asio/detail/stored_wait.hpp>

#include "support/environment.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace foliot::detail {
namespace {

TEST(op_circle, keeps_the_order_and_loses_what_is_removed) {
    const auto nothing = [](wait_op&, wait_op::fate) {};
    std::deque<wait_op> ops;
    for (int i = 0; i < 5; ++i) ops.emplace_back(nothing);
    for (std::size_t gone = 0; gone < ops.size(); ++gone) {
        op_circle circle;
        for (wait_op& op : ops) circle.push(op);
        circle.remove(ops[gone]);
        std::vector<const wait_op*> seen;
        circle.for_each([&](wait_op& op) { seen.push_back(&op); });
        std::vector<const wait_op*> expected;
        for (std::size_t i = 0; i < ops.size(); ++i) {
            if (i != gone) expected.push_back(&ops[i]);
        }
        EXPECT_EQ(seen, expected);
        while (!circle.empty()) {
            EXPECT_EQ(&circle.front(), expected.front());
            EXPECT_EQ(&circle.pop(), expected.front());
            expected.erase(expected.begin());
        }
        circle.push(ops[0]);
        circle.remove(ops[0]);
        EXPECT_TRUE(circle.empty());
    }
}

// Handlers that are copied as bytes, short and long, and one that must be moved.
struct short_handler {
    std::vector<int>* to;
    int number;
    void operator()(const boost::system::error_code& ec) { to->push_back(ec ? -number : number); }
};
struct long_handler {
    std::vector<int>* to;
    std::array<int, 7> number;
    void operator()(const boost::system::error_code& ec) {
        to->push_back(ec ? -number.back() : number.back());
    }
};
struct owning_handler {
    std::vector<int>* to;
    std::unique_ptr<int> number;
    void operator()(const boost::system::error_code& ec) { to->push_back(ec ? -*number : *number); }
};
static_assert(is_small_wait<short_handler> && is_small_wait<long_handler>);
static_assert(is_small_wait<owning_handler>);

struct numbered_op : wait_op {
    numbered_op(std::vector<int>& to_, int number_) : wait_op(&end), to(&to_), number(number_) {}
    static void end(wait_op& op, fate how) {
        const std::unique_ptr<numbered_op> self(static_cast<numbered_op*>(&op));
        if (how == fate::destroyed) return;
        self->to->push_back(how == fate::aborted ? -self->number : self->number);
    }
    std::vector<int>* to;
    int number;
};

class ready_waits_model {
public:
    explicit ready_waits_model(std::uint64_t seed) : random_(seed) {}

    void push() {
        ready_.reserve(2);
        const bool aborted = random_() % 2 == 0;
        const int kind = static_cast<int>(random_() % 4);
        if (kind == 3) {
            op_circle ops;
            const std::size_t count = random_() % 4 + 1;
            for (std::size_t i = 0; i < count; ++i) {
                ops.push(*new numbered_op(seen_, next(aborted)));
            }
            ready_.push(ops, count, aborted);
            return;
        }
        stored_wait wait;
        if (kind == 0) put(wait, short_handler{&seen_, next(aborted)});
        if (kind == 1) put(wait, long_handler{&seen_, {0, 0, 0, 0, 0, 0, next(aborted)}});
        if (kind == 2) put(wait, owning_handler{&seen_, std::make_unique<int>(next(aborted))});
        ready_.push(wait, aborted);
        EXPECT_FALSE(wait);
    }
    void pop() {
        ASSERT_EQ(ready_.size(), expected_.size() - seen_.size());
        if (ready_.empty()) return;
        ready_waits::taken taken;
        ready_.pop(taken);
        if (random_() % 8 == 0) {
            taken.destroy();
            expected_.erase(expected_.begin() + static_cast<std::ptrdiff_t>(seen_.size()));
        } else {
            taken.complete();
        }
    }
    void drain() {
        while (!ready_.empty()) pop();
    }
    void check() const { EXPECT_EQ(seen_, expected_); }
    [[nodiscard]] std::uint64_t random() { return random_(); }

private:
    template <class Handler>
    static void put(stored_wait& wait, Handler handler) {
        wait.put(handler);
    }
    int next(bool aborted) {
        ++last_;
        expected_.push_back(aborted ? -last_ : last_);
        return last_;
    }

    std::mt19937_64 random_;
    ready_waits ready_;
    std::vector<int> seen_;
    std::vector<int> expected_;
    int last_ = 0;
};

TEST(ready_waits, give_all_back_in_order) {
    const std::uint64_t seed = seed_or(1);
    for (std::uint64_t round = 0; round < 20; ++round) {
        ready_waits_model m(seed + round);
        for (int burst = 0; burst < 40; ++burst) {
            for (auto n = m.random() % 300; n != 0; --n) m.push();
            for (auto n = m.random() % 300; n != 0; --n) m.pop();
            if (m.random() % 8 == 0) m.drain();
        }
        m.drain();
        m.check();
    }
}

}  // namespace
}  // namespace foliot::detail
