// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/service_core.hpp>
#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace foliot {

// A timer with one callback that is armed again and again: the idle time-out of a connection, a
// retransmission. A member of the object that it belongs to.
//
//     struct connection {
//         foliot::reusable_timer idle{timers, [this] { close(); }};
//         void on_message() { idle.after(30s); }
//     };
//
// It is idle when it is made, when it was cancelled, and when its callback runs; from that it may be
// armed again. Its callback never runs twice at a time.
//
// Time:    O(1) and one mutex of a shard, that of the thread which made it. To arm, move or cancel it
//          touches one cache line of its own, and makes and destroys nothing: what a token of
//          basic_timer_service costs is a second line, and the callback.
// Threads: any thread may call any function but the destructor, which nothing may run beside but the
//          callback. It waits for that, unless the callback itself destroys it.
// Memory:  192 bytes, at a multiple of 64, and those of the queue. It keeps the service's memory.
// Errors:  after and at throw service_stopped, and std::bad_alloc and then have changed nothing. What
//          the callback throws is told to service_options::on_failure. When it is rejected or shed it
//          is idle again.
class reusable_timer : private detail::timer_node {
public:
    template <timer_queue Queue>
    reusable_timer(basic_timer_service<Queue>& timers, task call, const timer_options& options = {})
        : timer_node(timers.core_->shard_of_this_thread()), core_(timers.core_) {
        detail::require(static_cast<bool>(call), "a timer without a callback");
        callback = std::move(call);
        urgency = options.urgency;
        discardable = options.discardable;
        group = options.group;
        of_group = group != 0;
        home.adopt(*this);
    }
    reusable_timer(const reusable_timer&) = delete;
    reusable_timer& operator=(const reusable_timer&) = delete;

    /// Cancels, and waits while the callback runs, unless that destroys it.
    ~reusable_timer() { home.abandon(*this); }

    /// Arms it for `delay` from now, or moves it there, earlier or later; a delay that is not positive
    /// means at once. While its callback runs: it is armed when that returns.
    template <class Rep, class Period>
    void after(std::chrono::duration<Rep, Period> delay) {
        // The node tells which clock it goes by: it is fetched while the machine's is read.
        __builtin_prefetch(static_cast<detail::timer_node*>(this), 1);
        const auto machine = detail::machine_steady();
        arm(detail::deadline_after(home.steady_given(machine), delay));
    }

    /// The same, for a time of the steady clock.
    template <class Duration>
    void at(std::chrono::time_point<std::chrono::steady_clock, Duration> when) {
        arm(std::max(detail::to_nanoseconds(when.time_since_epoch()), std::chrono::nanoseconds{0}));
    }

    /// `cancelled`: it is idle, and the callback does not run. `running`: that runs at this moment, and
    /// if it was armed anew meanwhile, it is not any more. `gone`: it was idle.
    cancel_result cancel() noexcept { return home.cancel_kept(*this); }

    /// As cancel; if the callback runs, returns `running` once it has returned. Called from that very
    /// callback, it does not wait.
    cancel_result cancel_and_wait() {
        const cancel_result result = home.cancel_kept(*this);
        if (result == cancel_result::running) home.wait_while_it_runs(*this);
        return result;
    }

    /// When it is to fire, or was if it is due or runs; nullopt if it is idle. By the steady clock,
    /// since its epoch.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> deadline() const {
        return home.deadline_of_kept(*this);
    }

private:
    void arm(std::chrono::nanoseconds when) {
        if (!home.arm_kept(*this, when)) throw service_stopped();
    }

    std::shared_ptr<detail::service_core> core_;
};

static_assert(sizeof(reusable_timer) == 3 * 64);

}  // namespace foliot
