// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/clock.hpp>
#include <foliot/service/executor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>

namespace foliot {

/// What happens to a callback that is due while the executor has no room for its class.
enum class overload : std::uint8_t {
    /// It waits in the driver until there is room, at most `block_time`, and is then rejected. When
    /// `backlog_limit` of its class wait so, it is deferred.
    block,
    /// It is not run; `on_rejected` is told.
    reject,
    /// One marked discardable that waits in its class is dropped instead; if there is none, itself if
    /// it is discardable; else it is rejected.
    shed,
    /// It goes back into the wheel, to come again after `defer_by`; when more than `backlog_limit` do
    /// so in a pass, the others after two, three, ... times that.
    defer,
};

/// What a periodic timer makes up for when it could not fire in time. Its grid stays in any case.
enum class missed : std::uint8_t {
    skip,  ///< nothing: it waits for the next time on its grid
    once,  ///< it fires at once, once for all that were missed
    all,   ///< it fires for each, one after the other
};

/// How a single timer is treated.
struct timer_options {
    priority urgency = priority::normal;
    bool discardable = false;  ///< may be dropped under overload::shed
    std::uint64_t group = 0;   ///< what cancel_group takes: a connection, a tenant; 0: none
};

struct service_options {
    /// The resolution: a timer fires in the first tick that begins at or after its deadline.
    std::chrono::nanoseconds tick = std::chrono::milliseconds{1};

    /// Read by everything; must outlive the service. Null: machine_clock().
    const service_clock* clock = nullptr;

    /// One thread that sleeps until the next timer and hands over what is due. False: call poll().
    bool driver = true;

    /// Threads that run callbacks. 0: the thread that hands over runs them, one after the other.
    /// Not used if there is an `executor`.
    std::size_t workers = 2;

    /// Where callbacks run instead; of this service alone, which stops it. It must run or drop each
    /// job before the service is gone.
    std::shared_ptr<foliot::executor> executor = {};

    /// How many due callbacks of each class may wait for a worker (1 to 2^24).
    std::size_t queue_limit = 16'384;

    /// How many timers may be there; making one more throws too_many_timers. Each shard keeps the places
    /// that it has taken, a sixteenth of what is left at a time at most, so a limit that is shared by
    /// many threads may be felt a little before it is reached. The default is none.
    std::size_t max_timers = std::numeric_limits<std::size_t>::max();

    /// Locked parts, 1 to 256; each thread that schedules keeps to one.
    std::size_t shards = 4;

    overload when_full = overload::block;
    std::chrono::nanoseconds block_time = std::chrono::seconds{1};
    std::size_t backlog_limit = 16'384;
    std::chrono::nanoseconds defer_by = std::chrono::milliseconds{10};

    /// A pass of the driver ends after so many callbacks or so long, and the next one begins: what is
    /// left over waits for it (both at least 1).
    std::size_t pass_limit = 65'536;
    std::chrono::nanoseconds pass_time = std::chrono::milliseconds{20};

    /// How many timers are handled, fired or moved, while a shard is locked (1 to 65536).
    std::size_t lock_limit = 256;

    /// How often the wall clock is looked at while a timer waits for it: how late a step of it is
    /// noticed.
    std::chrono::nanoseconds wall_check = std::chrono::seconds{1};

    /// From how long on a callback that runs counts as slow, and a wake-up of the driver as late. The
    /// driver looks after callbacks that are due or run, at this interval; 0: it does not.
    std::chrono::nanoseconds watchdog = std::chrono::seconds{1};

    /// Called without a lock from the thread that found it; they must not throw. A callback threw; one
    /// was rejected; one has been running for so long, and still runs (once for each run); the driver
    /// woke up so much too late.
    std::function<void(std::exception_ptr)> on_failure = {};
    std::function<void()> on_rejected = {};
    std::function<void(std::chrono::nanoseconds)> on_slow = {};
    std::function<void(std::chrono::nanoseconds)> on_late = {};
};

}  // namespace foliot
