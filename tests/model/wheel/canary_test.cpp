// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Queues with a planted bug each: the oracle must find every one, or its silence means nothing.
#include "conformance/wheel/queue_driver.hpp"
#include "model/wheel/oracle.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace foliot::test {
namespace {

template <class Sound>
struct fires_one_tick_early : Sound {
    using Sound::Sound;
    void schedule(timer_hook& hook, tick due) {
        Sound::schedule(hook, tick{due.count - (due > this->cursor() ? 1 : 0)});
    }
};

template <class Sound>
struct fires_one_tick_late : Sound {
    using Sound::Sound;
    void schedule(timer_hook& hook, tick due) { Sound::schedule(hook, saturating_add(due, 1)); }
};

template <class Sound>
struct wraps_32_bits : Sound {
    using Sound::Sound;
    void schedule(timer_hook& hook, tick due) {
        Sound::schedule(hook, tick{due.count & 0xffff'ffff});
    }
};

// A timer that cascades is lost now and then.
template <class Sound>
struct loses_a_timer_in_a_cascade : Sound {
    using Sound::Sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        const advance_result r = Sound::advance(now, budget, sink);
        timer_hook* lost = nullptr;
        if (r.moved != 0) this->for_each([&](timer_hook& hook) { lost = &hook; });
        if (lost != nullptr) this->cancel(*lost);
        return r;
    }
};

template <class Sound>
struct forgets_the_budget : Sound {
    using Sound::Sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        return Sound::advance(now, budget + 1, sink);
    }
};

template <class Sound>
struct oversleeps : Sound {
    using Sound::Sound;
    [[nodiscard]] std::optional<tick> next_wakeup() const {
        const std::optional<tick> next = Sound::next_wakeup();
        return next ? std::optional(saturating_add(*next, 1)) : next;
    }
};

template <class Sound>
struct ignores_a_move_to_an_earlier_due : Sound {
    using Sound::Sound;
    void reschedule(timer_hook& hook, tick due) {
        if (!hook.armed() || due > hook.due()) Sound::reschedule(hook, due);
    }
};

template <class Sound>
struct says_drained_too_soon : Sound {
    using Sound::Sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        advance_result r = Sound::advance(now, budget, sink);
        r.drained = true;
        return r;
    }
};

template <class Sound>
struct fires_again_what_goes_back_in_time : Sound {
    using Sound::Sound;
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        return Sound::advance(now < this->cursor() ? saturating_add(this->cursor(), 1) : now,
                              budget, sink);
    }
};

template <class Queue>
class wheel_canary : public testing::Test {};
// Every bug in one model, and some in the others, so that the oracle is known to work for all.
using hierarchical = hierarchical_wheel<60, 4>;
using hashed = hashed_wheel<60>;
using bucket_queue = bucket_queue_of<20>;
using heap = deadline_heap;
using bugs = testing::Types<
    fires_one_tick_early<hierarchical>, fires_one_tick_late<hierarchical>,
    wraps_32_bits<hierarchical>, loses_a_timer_in_a_cascade<hierarchical>,
    forgets_the_budget<hierarchical>, oversleeps<hierarchical>,
    ignores_a_move_to_an_earlier_due<hierarchical>, says_drained_too_soon<hierarchical>,
    fires_again_what_goes_back_in_time<hierarchical>, loses_a_timer_in_a_cascade<hashed>,
    oversleeps<hashed>, forgets_the_budget<hashed>, loses_a_timer_in_a_cascade<bucket_queue>,
    fires_one_tick_late<bucket_queue>, says_drained_too_soon<bucket_queue>,
    fires_one_tick_early<heap>, wraps_32_bits<heap>, ignores_a_move_to_an_earlier_due<heap>>;
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
    const std::uint64_t seed = seed_of_run();
    EXPECT_EQ(oracle<hierarchical>(seed, 0).run(1500), "");
    EXPECT_EQ(oracle<hashed>(seed, 0).run(1500), "");
    EXPECT_EQ(oracle<bucket_queue>(seed, 0).run(1500), "");
    EXPECT_EQ(oracle<heap>(seed, 0).run(1500), "");
}

}  // namespace
}  // namespace foliot::test
