// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

// The one conversion between time and ticks. Whoever turns a delay, a deadline or a clock reading
// into ticks calls these, so that "never early" is decided in one place:
//
//   what a timer waits for rounds *up*     round_up, due_at, due_after
//   what a clock says      rounds *down*   elapsed
//
// A wheel advanced to elapsed(reading) therefore fires a hook scheduled at due_after(then, delay)
// only when reading >= then + delay. The price is lateness of less than one tick (plus that of the
// caller's wake-up). Example: tick 1 ms, the clock reads 0.9 ms, delay 1 ms: due is tick 2, not 1.
//
// Time:    O(1), constexpr; exact 128-bit arithmetic, no floating point.
// Threads: pure functions.
// Memory:  none.
// Errors:  a tick length that is not positive ends the process. Nothing overflows: what does not
//          fit is tick::max(), "never". A negative delay is 0; a time before the origin is tick 0.
// Order:   monotonic in every argument but the tick length.
//
// Times are durations since an origin that the caller picks, or time points (their clock's epoch).
// `tick_length` is any duration: std::chrono::milliseconds(1), or 100ms for a coarse wheel.
namespace foliot {

/// A duration with an integral count, so that its conversion is exact.
template <class D>
concept exact_duration =
    std::integral<typename D::rep> &&
    std::same_as<D, std::chrono::duration<typename D::rep, typename D::period>>;

namespace detail {

__extension__ using uint128 = unsigned __int128;
inline constexpr uint128 uint128_max = ~uint128{0};

template <exact_duration D>
constexpr std::uint64_t count_or_zero(D d) {
    return d.count() < 0 ? 0 : static_cast<std::uint64_t>(d.count());
}

// The smallest tick that is not before `count` steps of Period. Saturates.
template <class Period, exact_duration Length>
constexpr tick ticks(uint128 count, Length tick_length, bool up) {
    require(tick_length.count() > 0, "a tick length must be positive");
    using scale = std::ratio_divide<Period, typename Length::period>;
    if (count > uint128_max / scale::num) return tick::max();
    const uint128 scaled = count * scale::num;
    const uint128 divisor = uint128{scale::den} * count_or_zero(tick_length);
    const auto divide = [up](auto dividend, auto by) {
        const auto whole = dividend / by;
        return whole + (up && whole * by != dividend ? 1U : 0U);
    };
    // Most fit into 64 bits, for which there is an instruction. Then the quotient does not reach
    // 2^64 either: it is that large only if nothing is divided, and then it is not rounded up.
    if ((scaled | divisor) >> 64 == 0) {
        return tick{
            divide(static_cast<std::uint64_t>(scaled), static_cast<std::uint64_t>(divisor))};
    }
    const uint128 quotient = divide(scaled, divisor);
    return quotient > tick::max().count ? tick::max() : tick{static_cast<std::uint64_t>(quotient)};
}

}  // namespace detail

/// How many whole ticks cover `delay`; 0 if it is not positive.
template <exact_duration Delay, exact_duration Length>
[[nodiscard]] constexpr std::uint64_t round_up(Delay delay, Length tick_length) {
    return detail::ticks<typename Delay::period>(detail::count_or_zero(delay), tick_length, true)
        .count;
}

/// The last tick that has begun when the clock reads `now`: advance a wheel to this.
template <exact_duration Now, exact_duration Length>
[[nodiscard]] constexpr tick elapsed(Now now, Length tick_length) {
    return detail::ticks<typename Now::period>(detail::count_or_zero(now), tick_length, false);
}

/// The first tick that begins at or after `deadline`.
template <exact_duration Deadline, exact_duration Length>
[[nodiscard]] constexpr tick due_at(Deadline deadline, Length tick_length) {
    return tick{round_up(deadline, tick_length)};
}

/// The first tick that begins at or after `now + delay`. The fractions of both count: they are
/// added before rounding, so the result is the earliest that is never early.
template <exact_duration Now, exact_duration Delay, exact_duration Length>
[[nodiscard]] constexpr tick due_after(Now now, Delay delay, Length tick_length) {
    using period = typename std::common_type_t<Now, Delay>::period;
    using now_scale = std::ratio_divide<typename Now::period, period>;
    using delay_scale = std::ratio_divide<typename Delay::period, period>;
    static_assert(now_scale::den == 1 && delay_scale::den == 1);
    // Each product is below 2^127 (a count is below 2^64, a ratio below 2^63), so the sum fits.
    const detail::uint128 sum = detail::uint128{detail::count_or_zero(now)} * now_scale::num +
                                detail::uint128{detail::count_or_zero(delay)} * delay_scale::num;
    return detail::ticks<period>(sum, tick_length, true);
}

template <class Clock, exact_duration D, exact_duration Length>
[[nodiscard]] constexpr tick elapsed(std::chrono::time_point<Clock, D> now, Length tick_length) {
    return elapsed(now.time_since_epoch(), tick_length);
}

template <class Clock, exact_duration D, exact_duration Length>
[[nodiscard]] constexpr tick due_at(std::chrono::time_point<Clock, D> deadline,
                                    Length tick_length) {
    return due_at(deadline.time_since_epoch(), tick_length);
}

template <class Clock, exact_duration D, exact_duration Delay, exact_duration Length>
[[nodiscard]] constexpr tick due_after(std::chrono::time_point<Clock, D> now, Delay delay,
                                       Length tick_length) {
    return due_after(now.time_since_epoch(), delay, tick_length);
}

}  // namespace foliot
