// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/service_core.hpp>
#include <foliot/service/metrics.hpp>
#include <foliot/service/options.hpp>
#include <foliot/service/task.hpp>
#include <foliot/service/timer.hpp>
#include <foliot/wheel/hierarchical_wheel.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace foliot {

/// A timer was to be made after stop().
class service_stopped : public std::runtime_error {
public:
    service_stopped() : std::runtime_error("the timer service has stopped") {}
};

class reusable_timer;

// Timers for a process: any thread makes, cancels and moves them, callbacks run on a few worker
// threads, or wherever an executor puts them.
//
//     foliot::timer_service timers;
//     foliot::timer t = timers.after(30s, [] { puts("nobody answered"); });
//     timers.every(1min, [] { flush(); });
//     if (t.cancel() == foliot::cancel_result::cancelled) puts("somebody did");
//
// **The life of a timer.** It waits in the timer queue of a shard. When it is due, the driver takes
// it out and hands a job to the executor; a worker looks once more whether it was cancelled, and runs
// the callback. The driver runs no callback (unless there are no workers), and sleeps until the next
// timer: with none pending it is not woken at all.
//
// **Never early**: a callback starts at or after its deadline by the clock that it waits for. How
// late it may be: less than a tick, the wake-up of two threads, and what is ahead of it.
//
// **When there is too much** the executor's queues are full, and `service_options::when_full` says
// what happens; each priority has a queue of its own. After a pause (a stopped process, a machine that
// was too busy) what is overdue is handed over in passes that are bounded by count and time.
//
// Time:    after, at, every, cancel, reschedule: O(1) and one mutex of a shard, which the driver holds
//          for `lock_limit` timers at most (256: some 10 us; service_metrics::scan shows it).
// Threads: any thread may call everything; callbacks may too, also stop() and the destructor (then
//          no other thread may be inside a call). A thread keeps to one shard for the timers it makes;
//          whoever cancels takes that shard's mutex, so the answer is exact from any thread.
//          All state is guarded by mutexes, and what a thread did before it made, moved or cancelled a
//          timer happens before the callback. Lock order: a pass, then one shard, or the driver's sleep;
//          never two shards, and none while foreign code (callbacks, hooks, executors) runs.
// Memory:  192 bytes a timer and those of the queue, kept for the next one; callables of up to 48
//          bytes lie inside.
// Errors:  the constructor throws std::invalid_argument that names the option. after, at and every
//          throw service_stopped, too_many_timers, and std::bad_alloc and then have made nothing.
//          What a callback throws is counted and told to `on_failure`.
// Order:   none is promised. The driver hands over by ticks within a shard.
template <timer_queue Queue>
class basic_timer_service {
public:
    /// The queues are made as Queue(start, of_queue...), for queues that have options.
    template <class... Arguments>
        requires std::constructible_from<Queue, tick, const Arguments&...>
    explicit basic_timer_service(service_options options = {}, const Arguments&... of_queue)
        : core_(std::make_shared<detail::service_core>(
              std::move(options), [&](const detail::shard::surroundings& around) {
                  return std::make_unique<detail::queue_shard<Queue>>(around, of_queue...);
              })) {
        detail::service_core::start(core_);
    }
    basic_timer_service(const basic_timer_service&) = delete;
    basic_timer_service& operator=(const basic_timer_service&) = delete;

    /// Stops.
    ~basic_timer_service() { stop(); }

    /// Calls `callback` once, `delay` from now; a delay that is not positive means at once.
    template <class Rep, class Period>
    timer after(std::chrono::duration<Rep, Period> delay, task callback,
                timer_options options = {}) {
        detail::shard& shard = core_->shard_of_this_thread();
        return make(shard, detail::deadline_after(shard.now(), delay), {}, missed::skip, options,
                    callback);
    }

    /// Calls it once, at a time of the steady clock.
    template <class Duration>
    timer at(std::chrono::time_point<std::chrono::steady_clock, Duration> when, task callback,
             timer_options options = {}) {
        return make(core_->shard_of_this_thread(), detail::to_nanoseconds(when.time_since_epoch()),
                    {}, missed::skip, options, callback);
    }

    /// Calls it once, when the wall clock says so: it follows when that is set. A step is noticed
    /// within `service_options::wall_check`.
    template <class Duration>
    timer at(std::chrono::time_point<std::chrono::system_clock, Duration> when, task callback,
             timer_options options = {}) {
        return make(core_->wall_shard(), detail::to_nanoseconds(when.time_since_epoch()), {},
                    missed::skip, options, callback);
    }

    /// Calls it again and again, each `period` after the time before, the first time a period from
    /// now. Calls do not overlap; when one took too long, `policy` says what becomes of the others.
    /// A time that is rejected or shed is lost, and the timer goes on. Throws std::invalid_argument if
    /// the period is not positive.
    template <class Rep, class Period>
    timer every(std::chrono::duration<Rep, Period> period, task callback,
                missed policy = missed::skip, timer_options options = {}) {
        const auto step = checked(period);
        detail::shard& shard = core_->shard_of_this_thread();
        return make(shard, detail::deadline_after(shard.now(), step), step, policy, options,
                    callback);
    }

    /// The same, the first time at `first`: by the steady clock, or by the wall clock (each minute on
    /// the minute), whose steps it then follows.
    template <class Clock, class Duration, class Rep, class Period>
        requires(std::same_as<Clock, std::chrono::steady_clock> ||
                 std::same_as<Clock, std::chrono::system_clock>)
    timer every(std::chrono::time_point<Clock, Duration> first,
                std::chrono::duration<Rep, Period> period, task callback,
                missed policy = missed::skip, timer_options options = {}) {
        constexpr bool by_wall = std::same_as<Clock, std::chrono::system_clock>;
        const auto step = checked(period);
        return make(by_wall ? core_->wall_shard() : core_->shard_of_this_thread(),
                    detail::to_nanoseconds(first.time_since_epoch()), step, policy, options,
                    callback);
    }

    /// To be awaited by a coroutine: co_await timers.sleep(5s). The same as foliot::sleep(timers, 5s),
    /// and declared there: it needs <foliot/coro/sleep.hpp>.
    template <class Rep, class Period, class... Token>
    [[nodiscard]] auto sleep(std::chrono::duration<Rep, Period> delay, Token... token) {
        return sleep_on(*this, delay, std::move(token)...);
    }

    /// Cancels all timers made with timer_options::group = `group` that there are when it begins, as
    /// timer::cancel would: of a connection that is closed, of a tenant. O(shards + members); a shard
    /// is locked for `lock_limit` of them at a time. 0 names no group.
    group_result cancel_group(std::uint64_t group) { return core_->cancel_group(group); }

    /// Hands over what is due, as one pass of the driver would, and says how many that were. For
    /// services without a driver; harmless beside one. A pass has limits: next_wakeup() says whether there
    /// is more. While another pass is under way, also that of a callback that it runs, it does nothing.
    std::size_t poll() {
        const auto alive = core_;
        return alive->poll();
    }

    /// When to poll next, by the steady clock since its epoch; nullopt while nothing is pending.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_wakeup() {
        return core_->next_wakeup();
    }

    /// For loops that wait for descriptors (poll, epoll): a timerfd that is readable while poll() is to
    /// be called, which sets it anew; do not read it. The service owns it. Only with the machine's
    /// clock, and meant for services without a driver. Throws std::system_error.
    [[nodiscard]] int wakeup_fd() { return core_->wakeup_fd(); }

    /// Cancels what is pending or due, waits for callbacks that run (not for one that calls it), and
    /// says what was left undone. Timers of this service are gone after that. Later calls do nothing.
    stop_report stop() noexcept {
        const auto alive = core_;
        return alive->stop();
    }

    /// Whether a stop has begun.
    [[nodiscard]] bool stopping() const noexcept { return core_->stopping(); }

    [[nodiscard]] service_metrics metrics() const { return core_->metrics(); }

private:
    template <class Rep, class Period>
    static std::chrono::nanoseconds checked(std::chrono::duration<Rep, Period> period) {
        const auto step = detail::to_nanoseconds(period);
        if (step.count() <= 0) throw std::invalid_argument("every: the period must be positive");
        return step;
    }

    static timer make(detail::shard& shard, std::chrono::nanoseconds deadline,
                      std::chrono::nanoseconds period, missed policy, const timer_options& options,
                      task& callback) {
        detail::require(static_cast<bool>(callback), "a timer without a callback");
        const auto made = shard.make(deadline, period, policy, options, callback);
        if (made.node == nullptr) throw service_stopped();
        return timer(made);
    }

    friend class reusable_timer;

    std::shared_ptr<detail::service_core> core_;
};

/// The one to take: see docs/guide/choosing.md for others.
using timer_service = basic_timer_service<hierarchical_wheel<>>;

}  // namespace foliot
