// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/shard.hpp>
#include <foliot/time/detail/contract.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <ratio>
#include <stdexcept>
#include <utility>

namespace foliot {

namespace detail {

/// Any duration as nanoseconds, rounded up; what does not fit is the longest there is.
template <class Rep, class Period>
[[nodiscard]] constexpr std::chrono::nanoseconds to_nanoseconds(
    std::chrono::duration<Rep, Period> d) {
    using std::chrono::nanoseconds;
    using factor = std::ratio_divide<Period, std::nano>;
    if constexpr (std::signed_integral<Rep> && factor::den == 1) {
        constexpr nanoseconds::rep most = nanoseconds::max().count() / factor::num;
        if (d.count() > most) return nanoseconds::max();
        if (d.count() < -most) return nanoseconds::min();
        return nanoseconds{static_cast<nanoseconds::rep>(d.count()) * factor::num};
    } else {
        using wide = std::chrono::duration<long double>;
        if (!(wide(d) < wide(nanoseconds::max()))) return nanoseconds::max();  // no number: never
        if (wide(d) <= wide(nanoseconds::min())) return nanoseconds::min();
        return std::chrono::ceil<nanoseconds>(d);
    }
}

/// `now` and a delay after it; a negative delay is none.
template <class Rep, class Period>
[[nodiscard]] constexpr std::chrono::nanoseconds deadline_after(
    std::chrono::nanoseconds now, std::chrono::duration<Rep, Period> delay) {
    const auto wait = std::max(to_nanoseconds(delay), std::chrono::nanoseconds{0});
    return saturating_sum(now, wait);
}

}  // namespace detail

// Names one timer of a timer_service: a copyable value of 16 bytes. It never touches another timer:
// once its own is gone it is told so, also when the memory is used again. The default one names none.
//
// Time:    O(1), and one mutex, the shard's.
// Threads: any thread may call any of its functions, on copies or on the same one.
// Memory:  none of its own. Dropping it does not cancel: see scoped_timer.
// Errors:  reschedule may throw std::bad_alloc and then has changed nothing. It must not be used
//          after the service is destroyed.
class timer {
public:
    timer() noexcept = default;

    /// The timer whose callback runs on this thread; if that polls and runs another, the inner one. One
    /// that names none, elsewhere.
    [[nodiscard]] static timer current() noexcept { return timer(detail::shard::current()); }

    /// Whether it names a timer, pending or not.
    explicit operator bool() const noexcept { return node_ != nullptr; }

    /// `cancelled`: the callback will never run (again), and is destroyed. `running`: it runs at
    /// this moment; a periodic timer ends with that. `gone`: it has run, or was cancelled before.
    ///
    /// The answer is decided while the shard is locked, and so is the start of the callback, which is
    /// looked at again after the timer has left its slot and waited for a worker. So of a cancel and
    /// a start one comes first: either the callback does not run, or cancel says `running` or `gone`.
    cancel_result cancel() const {
        if (node_ == nullptr) return cancel_result::gone;
        return home().cancel(*node_, generation_);
    }

    /// As cancel; if the callback runs, returns `running` once it has returned. Whatever it says, the
    /// callback is destroyed then, with what it holds. Called from that very callback, or from its
    /// destructor, it does not wait.
    cancel_result cancel_and_wait() const {
        if (node_ == nullptr) return cancel_result::gone;
        return home().cancel_and_wait(*node_, generation_);
    }

    /// Moves it to `delay` from now, earlier or later. A periodic timer has its grid there from then
    /// on. `moved`: that was in time, and it fires then only. `running`, `gone`: nothing was changed.
    template <class Rep, class Period>
    reschedule_result reschedule(std::chrono::duration<Rep, Period> delay) const {
        if (node_ == nullptr) return reschedule_result::gone;
        detail::shard& h = home();
        return h.reschedule(*node_, generation_, detail::deadline_after(h.now(), delay));
    }

    /// Moves it to that time of its clock. Throws std::invalid_argument if that is the other one.
    template <class Clock, class Duration>
        requires(std::same_as<Clock, std::chrono::steady_clock> ||
                 std::same_as<Clock, std::chrono::system_clock>)
    reschedule_result reschedule(std::chrono::time_point<Clock, Duration> when) const {
        if (node_ == nullptr) return reschedule_result::gone;
        detail::shard& h = home();
        if (h.by_wall() != std::same_as<Clock, std::chrono::system_clock>) {
            throw std::invalid_argument("reschedule: the timer goes by the other clock");
        }
        const auto deadline = detail::to_nanoseconds(when.time_since_epoch());
        return h.reschedule(*node_, generation_, std::max(deadline, std::chrono::nanoseconds{0}));
    }

    /// When it is to fire, or was if it is due or runs; nullopt if it is gone. Since the epoch of its
    /// clock: the steady one, or the wall clock for timers made with a system_clock::time_point.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> deadline() const {
        if (node_ == nullptr) return std::nullopt;
        return home().deadline(*node_, generation_);
    }

    friend bool operator==(const timer&, const timer&) = default;

private:
    template <timer_queue Queue>
    friend class basic_timer_service;

    explicit timer(detail::shard::made m) noexcept : node_(m.node), generation_(m.generation) {}

    // Its node is fetched while the shard is found and locked and the clock is read.
    [[nodiscard]] detail::shard& home() const noexcept {
        __builtin_prefetch(node_, 1);
        return detail::timer_nodes::home_of(*node_);
    }

    detail::timer_node* node_ = nullptr;
    std::uint64_t generation_ = 0;
};

/// A timer that is cancelled when this goes away: its callback does not start after that. It may
/// still be running (wait: cancel_and_wait).
class scoped_timer {
public:
    scoped_timer() noexcept = default;
    scoped_timer(timer t) noexcept : timer_(t) {}  // NOLINT(google-explicit-constructor)
    scoped_timer(scoped_timer&& other) noexcept : timer_(other.release()) {}
    scoped_timer& operator=(scoped_timer&& other) {
        if (this != &other) {
            timer_.cancel();
            timer_ = other.release();
        }
        return *this;
    }
    scoped_timer(const scoped_timer&) = delete;
    scoped_timer& operator=(const scoped_timer&) = delete;
    ~scoped_timer() { timer_.cancel(); }

    [[nodiscard]] timer get() const noexcept { return timer_; }
    const timer* operator->() const noexcept { return &timer_; }

    /// Gives it up without a cancel.
    timer release() noexcept { return std::exchange(timer_, timer{}); }

private:
    timer timer_;
};

}  // namespace foliot
