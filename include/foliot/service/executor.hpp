// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace foliot {

/// How urgent a timer is. Each class has a queue of its own, so a full one delays no other.
enum class priority : std::uint8_t { high, normal, low };
inline constexpr std::size_t priorities = 3;

namespace detail {
struct job_access;
enum class job_fate : std::uint8_t { run, shed, reject, stop };
}  // namespace detail

/// One callback that is due, as the service hands it to an executor: run it, or drop it, once. A
/// copyable value of 32 bytes. Neither throws, whatever the callback does.
class job {
public:
    void operator()() const noexcept { act_(timer_, ticket_, detail::job_fate::run); }
    /// Its timer counts as shed, and its callback is destroyed.
    void drop() const noexcept { act_(timer_, ticket_, detail::job_fate::shed); }

    [[nodiscard]] priority urgency() const noexcept { return priority_; }
    [[nodiscard]] bool discardable() const noexcept { return discardable_; }

private:
    friend struct detail::job_access;
    using action = void (*)(void* timer, std::uint64_t ticket, detail::job_fate fate) noexcept;

    job(action act, void* timer, std::uint64_t ticket, priority urgency, bool discardable) noexcept
        : act_(act),
          timer_(timer),
          ticket_(ticket),
          priority_(urgency),
          discardable_(discardable) {}

    action act_;
    void* timer_;
    std::uint64_t ticket_;
    priority priority_;
    bool discardable_;
};

namespace detail {
/// The service's side of a job.
struct job_access {
    static job make(job::action act, void* timer, std::uint64_t ticket, priority urgency,
                    bool discardable) noexcept {
        return {act, timer, ticket, urgency, discardable};
    }
    static void end(const job& j, job_fate fate) noexcept { j.act_(j.timer_, j.ticket_, fate); }
    /// Back into the queue, to be due again after `by`.
    static void put_off(const job& j, std::chrono::nanoseconds by) noexcept;
};
}  // namespace detail

/// Where due callbacks go. The service calls it from its driver, without any lock held.
///
/// worker_pool is the one that a service makes for itself. Derive from this to run callbacks
/// elsewhere: post the job to your loop, and keep a bound, since a service hands over whatever is
/// due. A job may run in try_submit itself; then it holds up what is due after it. Jobs of timers that
/// were cancelled or moved since take a place until they are run, and then do nothing. An executor
/// serves one service, which stops it. A service asks again every 5 ms while jobs wait for room.
class executor {
public:
    executor() = default;
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;
    virtual ~executor() = default;

    /// Takes the job. False: there is no room for its class now, and nothing is kept.
    [[nodiscard]] virtual bool try_submit(const job& j) = 0;

    /// Takes as many of them as it can, from the first on, and says how many. If it throws it has taken
    /// none.
    [[nodiscard]] virtual std::size_t try_submit_some(std::span<const job> jobs) {
        return !jobs.empty() && try_submit(jobs.front()) ? 1 : 0;
    }

    /// Gives back a discardable job that waits, so that there is room for one of class `urgency`: the
    /// service sheds it.
    [[nodiscard]] virtual std::optional<job> evict(priority urgency) {
        static_cast<void>(urgency);
        return std::nullopt;
    }

    /// How many jobs wait, by class.
    [[nodiscard]] virtual std::array<std::size_t, priorities> waiting() const { return {}; }

    /// Drops what waits, takes nothing more, and returns when nothing runs any more; not waited for
    /// are jobs that called it themselves.
    virtual void stop() noexcept {}
};

}  // namespace foliot
