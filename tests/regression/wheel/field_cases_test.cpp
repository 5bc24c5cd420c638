// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Faults that users of other timer libraries met, each cut down to its smallest form. Every one
// stands for a kind; conformance and oracle tests cover the kinds more widely.
#include "conformance/wheel/queue_driver.hpp"

#include <foliot/time/conversion.hpp>
#include <foliot/time/manual_clock.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

namespace foliot::test {
namespace {

using namespace std::chrono_literals;

// A model in any size; those that have no slots or no levels take no notice.
struct hierarchical {
    template <std::uint32_t Slots, unsigned Levels>
    using of = hierarchical_wheel<Slots, Levels>;
};
struct hashed {
    template <std::uint32_t Slots, unsigned Levels>
    using of = hashed_wheel<Slots>;
};
struct bucket_queue {
    template <std::uint32_t Slots, unsigned Levels>
    using of = bucket_queue_of<Slots>;
};
struct heap {
    template <std::uint32_t Slots, unsigned Levels>
    using of = deadline_heap;
};
template <class Kind, std::uint32_t Slots = 64, unsigned Levels = 6>
using model = typename Kind::template of<Slots, Levels>;

template <class Kind>
class field_cases : public testing::Test {};
using kinds = testing::Types<hierarchical, hashed, bucket_queue, heap>;
TYPED_TEST_SUITE(field_cases, kinds);

TYPED_TEST(field_cases, a_far_timer_does_not_hide_a_near_one_across_a_slot_boundary) {
    entry far(1);
    entry near(2);
    model<TypeParam> queue;
    queue.schedule(far, tick{1ULL << 36});
    EXPECT_EQ(fire(queue, (1ULL << 30) - 100), firings{});
    queue.schedule(near, tick{(1ULL << 30) + 233});
    EXPECT_EQ(fire(queue, (1ULL << 30) + 233), (firings{{2, (1ULL << 30) + 233}}));
    EXPECT_EQ(fire(queue, 1ULL << 36), (firings{{1, 1ULL << 36}}));
}

TYPED_TEST(field_cases, the_same_at_the_boundary_of_every_slot_of_every_level) {
    for (unsigned level = 1; level < 6; ++level) {
        const std::uint64_t unit = 1ULL << (6 * level);
        for (std::uint64_t slot = 0; slot < 64; slot += 7) {
            entry far(1);
            entry near(2);
            model<TypeParam> queue;
            const std::uint64_t boundary = (slot + 1) * unit;
            queue.schedule(far, tick{boundary + 3 * unit});
            ASSERT_EQ(fire(queue, boundary - 10), firings{});
            queue.schedule(near, tick{boundary + 5});
            ASSERT_EQ(fire(queue, boundary + 5), (firings{{2, boundary + 5}}));
            ASSERT_EQ(fire(queue, boundary + 3 * unit), (firings{{1, boundary + 3 * unit}}));
        }
    }
}

TYPED_TEST(field_cases, the_second_timer_of_slot_0_obeys_a_reschedule_or_cancel_from_the_sink) {
    constexpr std::uint64_t at = 7481664;
    for (const bool cancel : {false, true}) {
        std::array<entry, 2> pair{entry(0), entry(1)};
        model<TypeParam> queue;
        for (entry& e : pair) queue.schedule(e, tick{at});
        const firings seen = fire(queue, at, no_limit, [&](entry& fired) {
            entry& other = pair[1 - static_cast<std::size_t>(fired.id)];
            if (cancel) {
                EXPECT_TRUE(queue.cancel(other));
            } else {
                queue.reschedule(other, tick{at + 100});
            }
        });
        ASSERT_EQ(seen.size(), 1U);
        EXPECT_EQ(fire(queue, at + 99), firings{});
        EXPECT_EQ(fire(queue, at + 100).size(), cancel ? 0U : 1U);
    }
}

TYPED_TEST(field_cases, a_clock_that_goes_back_one_tick_stops_nothing) {
    entry e(1);
    model<TypeParam> queue;
    fire(queue, 67137025);
    queue.schedule(e, tick{67137026});
    EXPECT_EQ(fire(queue, 67137024), firings{});
    EXPECT_EQ(queue.cursor(), tick{67137025});
    EXPECT_EQ(fire(queue, 67137026), (firings{{1, 67137026}}));
}

TYPED_TEST(field_cases, a_sleeper_learns_of_a_move_to_an_earlier_tick) {
    entry e(1);
    entry second(2);
    model<TypeParam> queue;
    queue.schedule(e, tick{200});
    fire(queue, 3);
    queue.reschedule(e, tick{5});
    EXPECT_EQ(queue.next_wakeup(), tick{5});
    EXPECT_EQ(fire(queue, 23), (firings{{1, 5}}));
    queue.schedule(e, tick{10'000});
    EXPECT_LE(*queue.next_wakeup(), tick{10'000});
    queue.schedule(second, tick{600});
    EXPECT_LE(*queue.next_wakeup(), tick{600});
    EXPECT_EQ(fire(queue, 600), (firings{{2, 600}}));
}

TYPED_TEST(field_cases, a_delay_that_would_wrap_stays_pending) {
    constexpr std::uint64_t now = 100'000'000;
    constexpr std::uint64_t max = ~std::uint64_t{0};
    for (const std::uint64_t delay :
         {max, max - 5, max - now, std::uint64_t{5'000'000'000'000'000'000}}) {
        entry e(1);
        model<TypeParam> queue(tick{now});
        queue.schedule(e, saturating_add(tick{now}, delay));
        ASSERT_EQ(fire(queue, now + 1'000'000'000'000, 10), firings{}) << delay;
        ASSERT_TRUE(e.armed());
    }
    EXPECT_EQ(
        due_after(std::chrono::nanoseconds(100s), std::chrono::milliseconds::max(), 1ms).count,
        (max >> 1) + 100'000);
}

TYPED_TEST(field_cases, thirty_days_do_not_wrap_to_now) {
    entry month(1);
    entry second(2);
    model<TypeParam, 256, 4> queue;
    queue.schedule(month, tick{round_up(30 * 24h, 1ms)});
    queue.schedule(second, tick{round_up(1s, 1ms)});
    EXPECT_EQ(fire(queue, 1000), (firings{{2, 1000}}));
    EXPECT_EQ(fire(queue, 2'591'999'999), firings{});
    EXPECT_EQ(fire(queue, 2'592'000'000), (firings{{1, 2'592'000'000}}));
}

TYPED_TEST(field_cases, both_of_two_timers_in_a_flushed_bucket_fire) {
    for (const std::uint64_t due : {100U, 5000U, 300'000U}) {
        entry a(1);
        entry b(2);
        model<TypeParam> queue;
        queue.schedule(a, tick{due});
        queue.schedule(b, tick{due + 1});  // the same bucket on the upper levels
        EXPECT_EQ(fire(queue, due + 1), (firings{{1, due}, {2, due + 1}}));
    }
}

// A ring of 300 alone, and as the lowest level: delays around whole laps, from any position.
template <timer_queue Queue>
void delays_around_laps_are_exact() {
    for (std::uint64_t start = 0; start < 300; start += 13) {
        for (const std::uint64_t laps : {0U, 1U, 2U, 7U, 300U}) {
            for (const std::int64_t off : {-1, 0, 1}) {
                const std::uint64_t delay = laps * 300 + static_cast<std::uint64_t>(off);
                if (laps == 0 && off <= 0) continue;
                entry e(1);
                Queue queue(tick{start});
                queue.schedule(e, tick{start + delay});
                ASSERT_EQ(fire(queue, start + delay - 1), firings{}) << start << "+" << delay;
                ASSERT_EQ(fire(queue, start + delay), (firings{{1, start + delay}}));
            }
        }
    }
}

TYPED_TEST(field_cases, a_delay_of_exactly_one_lap_fires_after_one_lap) {
    delays_around_laps_are_exact<model<TypeParam, 300, 1>>();
    delays_around_laps_are_exact<model<TypeParam, 300, 3>>();
}

TYPED_TEST(field_cases, a_stale_place_never_removes_the_live_timer) {
    entry e(1);
    model<TypeParam> queue;
    queue.schedule(e, tick{8});
    fire(queue, 6);
    queue.reschedule(e, tick{7});
    EXPECT_EQ(fire(queue, 9), (firings{{1, 7}}));
    EXPECT_FALSE(queue.cancel(e));
    queue.schedule(e, tick{20});
    queue.reschedule(e, tick{40});
    queue.reschedule(e, tick{30});
    EXPECT_EQ(fire(queue, 29), firings{}) << "the places of 20 and 40 mean nothing any more";
    EXPECT_EQ(fire(queue, 50), (firings{{1, 30}}));
}

// Runs a clock in steps of 0.1 ms against a queue; the reading at which a timer fired.
template <timer_queue Queue>
std::chrono::nanoseconds fired_at(std::chrono::nanoseconds start, std::chrono::milliseconds delay,
                                  std::chrono::milliseconds tick_length) {
    manual_clock clock(start);
    entry e(1);
    Queue queue(elapsed(clock.now(), tick_length));
    queue.schedule(e, due_after(clock.now(), delay, tick_length));
    while (fire(queue, elapsed(clock.now(), tick_length).count).empty()) clock.advance(100us);
    return clock.now();
}

TYPED_TEST(field_cases, fractions_of_clock_and_delay_round_towards_late) {
    using queue = model<TypeParam>;
    EXPECT_GE(fired_at<queue>(900us, 1ms, 1ms), 1900us);
    EXPECT_LE(fired_at<queue>(900us, 1ms, 1ms), 2000us);
}

TYPED_TEST(field_cases, a_coarse_tick_fires_nothing_early) {
    using queue = model<TypeParam>;
    for (const auto start : {0us, 1us, 50'000us, 99'999us}) {
        EXPECT_GE(fired_at<queue>(start, 199ms, 100ms), start + 199ms);
        EXPECT_GE(fired_at<queue>(start, 99ms, 100ms), start + 99ms);
    }
}

TYPED_TEST(field_cases, a_timer_that_reschedules_itself_with_no_delay_lets_the_loop_go_on) {
    entry eager(1);
    entry other(2);
    model<TypeParam> queue;
    queue.schedule(eager, tick{1});
    queue.schedule(other, tick{3});
    int runs = 0;
    for (std::uint64_t now = 1; now <= 3; ++now) {
        const firings seen = fire(queue, now, no_limit, [&](entry& fired) {
            if (fired.id == 1 && ++runs < 1000) queue.schedule(fired, queue.cursor());
        });
        EXPECT_LE(seen.size(), 2U);
    }
    EXPECT_EQ(runs, 3) << "once in each pass";
    EXPECT_FALSE(other.armed());
}

TYPED_TEST(field_cases, cancelled_far_timers_leave_nothing_behind) {
    struct heavy : timer_hook {
        std::shared_ptr<int> captured;
    };
    const auto captured = std::make_shared<int>(7);
    model<TypeParam, 256, 4> queue;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) {
        heavy h;
        h.captured = captured;
        queue.schedule(h, tick{86'400'000 + i});
        ASSERT_TRUE(queue.cancel(h));
    }
    EXPECT_EQ(captured.use_count(), 1) << "freed with its owner, not when its slot comes round";
    EXPECT_TRUE(queue.check_invariants()) << "bounds the capacity of every slot by what is live";
    EXPECT_EQ(queue.next_wakeup(), std::nullopt);
    EXPECT_EQ(queue.advance(tick{200'000'000}, 0, [](timer_hook&) {}).moved, 0U);
}

TYPED_TEST(field_cases, arming_twice_before_it_fires_leaves_one_pending) {
    entry e(1);
    model<TypeParam> queue;
    queue.reschedule(e, tick{50});
    queue.reschedule(e, tick{60});
    queue.reschedule(e, tick{55});
    EXPECT_EQ(queue.size(), 1U);
    EXPECT_EQ(fire(queue, 100), (firings{{1, 55}}));
}

TYPED_TEST(field_cases, a_cancel_by_a_stale_owner_does_not_touch_the_next_timer_in_its_cell) {
    std::array<entry, 3> cells{entry(0), entry(1), entry(2)};
    model<TypeParam> queue;
    for (entry& e : cells) queue.schedule(e, tick{10});
    EXPECT_TRUE(queue.cancel(cells[0]));  // its cell goes to the last one
    EXPECT_FALSE(queue.cancel(cells[0]));
    EXPECT_EQ(queue.size(), 2U);
    EXPECT_EQ(fire(queue, 10).size(), 2U);
}

TYPED_TEST(field_cases, a_delay_of_the_whole_span_from_the_last_slot_stays_in_range) {
    constexpr std::uint64_t span = 60ULL * 60 * 60 * 60;
    for (const std::uint64_t start :
         {std::uint64_t{59}, std::uint64_t{3599}, span - 1, 7 * span - 1}) {
        for (const std::uint64_t delay : {span - 1, span, span + 1}) {
            entry e(1);
            model<TypeParam, 60, 4> queue(tick{start});
            queue.schedule(e, tick{start + delay});
            ASSERT_TRUE(queue.check_invariants());
            ASSERT_EQ(fire(queue, start + delay - 1), firings{});
            ASSERT_EQ(fire(queue, start + delay), (firings{{1, start + delay}}));
        }
    }
}

TYPED_TEST(field_cases, two_hours_five_minutes_are_moved_at_most_twice_and_fire_on_their_second) {
    for (const std::uint64_t start : {0U, 1U, 59U, 3599U, 215'999U}) {
        entry e(1);
        model<TypeParam, 60, 4> queue(tick{start});
        queue.schedule(e, tick{start + 7500});
        std::size_t moved = 0;
        std::uint64_t fired_at_second = 0;
        while (const auto next = queue.next_wakeup()) {
            const auto sink = [&](timer_hook&) { fired_at_second = queue.cursor().count; };
            moved += queue.advance(*next, 10, sink).moved;
        }
        EXPECT_LE(moved, 2U);
        EXPECT_EQ(fired_at_second, start + 7500);
    }
}

TYPED_TEST(field_cases, one_timer_a_year_away_costs_a_handful_of_wake_ups) {
    const std::uint64_t year = round_up(365 * 24h, 1ms);
    for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{123'456'789}}) {
        entry e(1);
        model<TypeParam, 256, 4> queue(tick{start});
        queue.schedule(e, tick{start + year});
        int spurious = 0;
        while (fire(queue, queue.next_wakeup()->count).empty()) ++spurious;
        EXPECT_LE(spurious, 4);
        EXPECT_EQ(queue.cursor(), tick{start + year});
        queue.schedule(e, tick{start + 2 * year});
        const advance_result leap = queue.advance(tick{start + 2 * year}, 10, [](timer_hook&) {});
        EXPECT_EQ(leap.fired, 1U) << "the whole year in one call of at most ten steps";
        EXPECT_TRUE(leap.drained);
    }
}

TYPED_TEST(field_cases, a_start_between_two_ticks_counts_as_the_tick_below) {
    manual_clock clock(1005ms);
    entry e(1);
    model<TypeParam, 20, 1> queue(elapsed(clock.now(), 20ms));
    EXPECT_EQ(queue.cursor(), tick{50});
    queue.schedule(e, due_after(clock.now(), 400ms, 20ms));  // a whole lap of the wheel
    clock.set(1404ms);
    EXPECT_EQ(fire(queue, elapsed(clock.now(), 20ms).count), firings{});
    clock.set(1420ms);
    EXPECT_EQ(fire(queue, elapsed(clock.now(), 20ms).count), (firings{{1, 71}}));
}

TYPED_TEST(field_cases, timers_freed_straight_after_their_cancel_are_not_touched_again) {
    model<TypeParam, 4, 3> queue;  // small, so that everything cascades often
    std::vector<std::unique_ptr<entry>> live;
    std::mt19937_64 random(4);
    for (std::uint64_t now = 0; now < 3000; ++now) {
        for (int i = 0; i < 8; ++i) {
            live.push_back(std::make_unique<entry>(static_cast<int>(now)));
            queue.schedule(*live.back(), tick{now + random() % 200});
        }
        for (int i = 0; i < 6; ++i) {
            std::swap(live[random() % live.size()], live.back());
            queue.cancel(*live.back());
            live.pop_back();
        }
        fire(queue, now);
        std::erase_if(live, [](const std::unique_ptr<entry>& e) { return !e->armed(); });
        ASSERT_EQ(queue.size(), live.size());
    }
    queue.clear();
}

}  // namespace
}  // namespace foliot::test
