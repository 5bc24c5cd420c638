// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/time/conversion.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

namespace foliot {
namespace {

using namespace std::chrono_literals;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr tick never = tick::max();

TEST(conversion, a_delay_is_rounded_up_to_whole_ticks) {
    EXPECT_EQ(round_up(0ms, 1ms), 0U);
    EXPECT_EQ(round_up(1ns, 1ms), 1U);
    EXPECT_EQ(round_up(1ms, 1ms), 1U);
    EXPECT_EQ(round_up(1ms + 1ns, 1ms), 2U);
    EXPECT_EQ(round_up(199ms, 100ms), 2U);
    EXPECT_EQ(round_up(99ms, 100ms), 1U);
    EXPECT_EQ(round_up(2h, 1s), 7200U);
}

TEST(conversion, a_reading_of_the_clock_is_rounded_down) {
    EXPECT_EQ(elapsed(0ns, 1ms), tick{0});
    EXPECT_EQ(elapsed(999'999ns, 1ms), tick{0});
    EXPECT_EQ(elapsed(1ms, 1ms), tick{1});
    EXPECT_EQ(elapsed(1005ms, 20ms), tick{50});
}

TEST(conversion, fractions_of_clock_and_delay_are_added_before_rounding_up) {
    EXPECT_EQ(due_after(900us, 1ms, 1ms), tick{2});
    EXPECT_EQ(due_after(900us, 100us, 1ms), tick{1});
    EXPECT_EQ(due_after(900us, 101us, 1ms), tick{2});
    EXPECT_EQ(due_after(1ms, 0ms, 1ms), tick{1});
}

TEST(conversion, a_timer_is_never_early_whatever_the_fractions) {
    for (const nanoseconds length : {nanoseconds(1'000'000), nanoseconds(7), nanoseconds(1)}) {
        for (nanoseconds now = 0ns; now < 3 * length; now += length / 7 + 1ns) {
            for (nanoseconds delay = 0ns; delay < 3 * length; delay += length / 5 + 1ns) {
                const tick due = due_after(now, delay, length);
                const nanoseconds begins = length * static_cast<std::int64_t>(due.count);
                ASSERT_GE(begins, now + delay);
                ASSERT_LT(begins - (now + delay), length) << "a tick later than it need be";
                if (now + delay == 0ns) continue;
                ASSERT_LT(elapsed(now + delay - 1ns, length), due)
                    << "a wheel would fire before the deadline";
            }
        }
    }
}

TEST(conversion, nothing_before_the_origin_and_no_negative_delay) {
    EXPECT_EQ(round_up(-1ms, 1ms), 0U);
    EXPECT_EQ(round_up(nanoseconds::min(), 1ms), 0U);
    EXPECT_EQ(elapsed(-5ms, 1ms), tick{0});
    EXPECT_EQ(due_at(-5ms, 1ms), tick{0});
    EXPECT_EQ(due_after(5ms, -3ms, 1ms), tick{5}) << "a negative delay is no delay";
}

TEST(conversion, what_does_not_fit_is_never) {
    EXPECT_EQ(due_after(hours::max(), 1h, 1ms), never);
    EXPECT_EQ(due_at(hours::max(), 1ns), never);
    EXPECT_EQ(round_up(hours::max(), 1ms), never.count);
    using picoseconds = std::chrono::duration<int, std::pico>;
    EXPECT_EQ(due_after(hours::max(), hours::max(), picoseconds(1)), never);
    using unsigned_ms = std::chrono::duration<std::uint64_t, std::milli>;
    EXPECT_EQ(due_after(unsigned_ms::max(), unsigned_ms::max(), 1ms), never);
    EXPECT_EQ(due_after(unsigned_ms::max() - unsigned_ms(1), unsigned_ms(1), 1ms), never);
}

TEST(conversion, large_times_that_fit_are_exact) {
    EXPECT_EQ(due_after(100'000'000ms, milliseconds(5'000'000'000'000'000'000), 1ms),
              tick{5'000'000'000'100'000'000});
    EXPECT_EQ(round_up(milliseconds::max(), 1ms), 0x7fff'ffff'ffff'ffffU);
    EXPECT_EQ(due_after(nanoseconds::max(), nanoseconds::max(), 1ns), tick{0xffff'ffff'ffff'fffeU});
}

TEST(conversion, tick_lengths_that_are_no_power_of_ten_are_exact) {
    using third_of_a_second = std::chrono::duration<int, std::ratio<1, 3>>;
    EXPECT_EQ(round_up(1s, third_of_a_second(1)), 3U);
    EXPECT_EQ(round_up(334ms, third_of_a_second(1)), 2U);
    EXPECT_EQ(round_up(1ms, third_of_a_second(1)), 1U);
}

TEST(conversion, takes_time_points_by_their_epoch) {
    using point = std::chrono::sys_time<nanoseconds>;
    EXPECT_EQ(elapsed(point(1999us), 1ms), tick{1});
    EXPECT_EQ(due_at(point(1001us), 1ms), tick{2});
    EXPECT_EQ(due_after(point(900us), 1ms, 1ms), tick{2});
}

TEST(conversion, is_usable_at_compile_time) {
    static_assert(due_after(900us, 1ms, 1ms) == tick{2});
    static_assert(saturating_add(tick{5}, never.count) == never);
    static_assert(saturating_add(tick{5}, never.count - 5) == never);
    static_assert(saturating_add(tick{5}, 7) == tick{12});
}

TEST(conversion_death, a_tick_length_must_be_positive) {
    EXPECT_DEATH((void)round_up(1ms, 0ms), "tick length must be positive");
    EXPECT_DEATH((void)elapsed(1ms, -1ms), "tick length must be positive");
}

}  // namespace
}  // namespace foliot
