// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Queues with a planted bug each: the oracle must find every one, or its silence means nothing.
#include "model/wheel/oracle.hpp"

#include <foliot/wheel/hierarchical_wheel.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace foliot::test {
namespace {

using sound = hierarchical_wheel<60, 4>;

struct fires_one_tick_early : sound {
    using sound::sound;
    void schedule(timer_hook& hook, tick due) {
        sound::schedule(hook, tick{due.count - (due > cursor() ? 1 : 0)});
    }
};

struct fires_one_tick_late : sound {
    using sound::sound;
    void schedule(timer_hook& hook, tick due) { sound::schedule(hook, saturating_add(due, 1)); }
};

struct wraps_32_bits : sound {
    using sound::sound;
    void schedule(timer_hook& hook, tick due) {
        sound::schedule(hook, tick{due.count & 0xffff'ffff});
    }
};

// A timer that cascades is lost now and then.
struct loses_a_timer_in_a_cascade : sound {
    using sound::sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        const advance_result r = sound::advance(now, budget, sink);
        timer_hook* lost = nullptr;
        if (r.moved != 0) for_each([&](timer_hook& hook) { lost = &hook; });
        if (lost != nullptr) cancel(*lost);
        return r;
    }
};

struct forgets_the_budget : sound {
    using sound::sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        return sound::advance(now, budget + 1, sink);
    }
};

struct oversleeps : sound {
    using sound::sound;
    [[nodiscard]] std::optional<tick> next_wakeup() const {
        const std::optional<tick> next = sound::next_wakeup();
        return next ? std::optional(saturating_add(*next, 1)) : next;
    }
};

struct ignores_a_move_to_an_earlier_due : sound {
    using sound::sound;
    void reschedule(timer_hook& hook, tick due) {
        if (!hook.armed() || due > hook.due()) sound::reschedule(hook, due);
    }
};

struct says_drained_too_soon : sound {
    using sound::sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        advance_result r = sound::advance(now, budget, sink);
        r.drained = true;
        return r;
    }
};

struct fires_again_what_goes_back_in_time : sound {
    using sound::sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        return sound::advance(now < cursor() ? saturating_add(cursor(), 1) : now, budget, sink);
    }
};

template <class Queue>
class wheel_canary : public testing::Test {};
using bugs = testing::Types<fires_one_tick_early, fires_one_tick_late, wraps_32_bits,
                            loses_a_timer_in_a_cascade, forgets_the_budget, oversleeps,
                            ignores_a_move_to_an_earlier_due, says_drained_too_soon,
                            fires_again_what_goes_back_in_time>;
TYPED_TEST_SUITE(wheel_canary, bugs);

TYPED_TEST(wheel_canary, the_oracle_finds_the_planted_bug) {
    const std::uint64_t seed = seed_of_run();
    std::string fault;
    for (std::uint64_t round = 0; round < 20 && fault.empty(); ++round) {
        fault = oracle<TypeParam>(seed + round, 0).run(1500);
    }
    EXPECT_NE(fault, "");
}

TEST(wheel_canary_control, the_oracle_is_silent_without_one) {
    EXPECT_EQ(oracle<sound>(seed_of_run(), 0).run(1500), "");
}

}  // namespace
}  // namespace foliot::test
