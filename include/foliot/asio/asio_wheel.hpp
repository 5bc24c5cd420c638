// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/asio/detail/context_calls.hpp>
#include <foliot/asio/detail/ready_waits.hpp>
#include <foliot/asio/detail/short_lock.hpp>
#include <foliot/asio/detail/timer_core.hpp>
#include <foliot/service/clock.hpp>
#include <foliot/time/conversion.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/hierarchical_wheel.hpp>

#include <boost/asio/execution_context.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

namespace foliot {

// What all asio_timers of an execution context share: a timing wheel under a lock, and how the
// context comes to look at it. Made with the first timer; users meet it only to choose the tick:
//
//     boost::asio::io_context io;
//     boost::asio::make_service<foliot::asio_wheel>(io, 100us);  // before the first timer
//
// A finer tick makes timers less late. It wakes the context more often when many are pending.
//
// Time:    the lock is held for one timer, or for 1024 of them when they are due: what is more
//          waits until their handlers were called.
// Threads: as an io_context.
// Memory:  about 100 KB for a context; 64 bytes for each handler that waits to be called, or for
//          all large ones of a timer; 8.8 bytes for each timer, see wheel/hierarchical_wheel.hpp.
// Errors:  the constructor throws std::invalid_argument if the tick is not positive.
// Order:   see asio_timer.hpp.
class asio_wheel final : public boost::asio::execution_context::service {
public:
    static inline boost::asio::execution_context::id id;
    static constexpr std::chrono::nanoseconds default_tick = std::chrono::milliseconds{1};

    explicit asio_wheel(boost::asio::execution_context& context,
                        std::chrono::nanoseconds tick_length = default_tick)
        : service(context),
          tick_length_(checked(tick_length)),
          last_tick_(static_cast<std::uint64_t>(std::chrono::nanoseconds::max() / tick_length_)),
          calls_(context, *this) {
        fired_.reserve(portion);
    }

    [[nodiscard]] std::chrono::nanoseconds tick_length() const noexcept { return tick_length_; }

    /// Timers that have waits.
    [[nodiscard]] std::size_t waiting() const {
        const std::lock_guard held(mutex_);
        return waiting_;
    }

private:
    template <class>
    friend class basic_asio_timer;
    friend struct detail::cancel_link;
    friend class detail::context_calls<asio_wheel>;
    using core = detail::timer_core;
    using lock = std::unique_lock<detail::short_lock>;

    // As many waits as that count as few: then things are done as Asio does them, handler by
    // handler.
    static constexpr std::size_t few = detail::context_calls<asio_wheel>::most_called;
    // Handlers that one call of the context's calls, if they are many.
    static constexpr std::size_t at_once = 16;
    // Timers that are taken out of the wheel while the mutex is held.
    static constexpr std::size_t portion = 1024;

    static std::chrono::nanoseconds checked(std::chrono::nanoseconds tick_length) {
        if (tick_length.count() > 0) return tick_length;
        throw std::invalid_argument("asio_wheel: the tick must be positive");
    }

    // ---- what timers call
    // ------------------------------------------------------------------------

    [[nodiscard]] bool wants_native() const noexcept {
        return wants_native_.load(std::memory_order_relaxed);
    }
    void use(const std::optional<boost::asio::io_context::executor_type>& native) {
        if (!native) return;
        const std::lock_guard held(mutex_);
        calls_.use(*native);
        wants_native_.store(false, std::memory_order_relaxed);
    }

    // Adds a wait, which put() puts into the timer. False: the context is shut down.
    template <class Put>
    bool wait(core& t, Put&& put) {
        const std::lock_guard held(mutex_);
        if (shut_down_) [[unlikely]]
            return false;
        if (!t.waits()) {
            const tick due = due_of(t);
            t.armed() ? wheel_.reschedule(t, due) : wheel_.schedule(t, due);
            if (calls_.called() == 0 && time_of(due) < calls_.first()) calls_.arm(time_of(due));
            ++waiting_;
        }
        put();
        return true;
    }

    std::size_t cancel(core& t) {
        const std::lock_guard held(mutex_);
        ready_.reserve(2);
        const std::size_t ended = end_waits(t, true);
        if (ended != 0) waits_ended(t);
        return ended;
    }

    std::size_t cancel_one(core& t) {
        const std::lock_guard held(mutex_);
        if (!t.waits()) return 0;
        ready_.reserve(1);
        if (t.first) {
            ready_.push(t.first, true);
        } else {
            push_alone(t.others.front());
        }
        t.waits() ? see_to_ready(ready_.size()) : one_less(t);
        return 1;
    }

    void cancel(detail::cancel_link& link) {
        const std::lock_guard held(mutex_);
        detail::wait_op* const op = link.op.load(std::memory_order_relaxed);
        if (op == nullptr || op->home == nullptr) return;
        ready_.reserve(1);
        core& t = *op->home;
        push_alone(*op);
        t.waits() ? see_to_ready(ready_.size()) : one_less(t);
    }

    void forget(detail::cancel_link& link) {
        const std::lock_guard held(mutex_);
        detail::wait_op* const op = link.op.load(std::memory_order_relaxed);
        if (op != nullptr) op->link = nullptr;
    }

    // The timer goes away, or to another wheel. It may be in this one though nothing waits.
    void leave(core& t) {
        const std::lock_guard held(mutex_);
        ready_.reserve(2);
        if (end_waits(t, true) != 0) waits_ended(t);
        wheel_.cancel(t);
    }

    // `to` is not armed, and both are timers of this.
    void move(core& to, core& from) {
        const std::lock_guard held(mutex_);
        to.expiry = from.expiry;
        if (from.waits()) {
            wheel_.schedule(to, from.due());
            if (from.first) to.first.take(from.first);
            to.more = std::exchange(from.more, false);
            to.others = std::exchange(from.others, {});
            to.others.for_each([&](detail::wait_op& op) { op.home = &to; });
        }
        wheel_.cancel(from);
    }

    // ---- under the lock
    // --------------------------------------------------------------------------

    [[nodiscard]] tick due_of(const core& t) const noexcept {
        return t.past ? tick{} : due_at(t.expiry, tick_length_);
    }
    [[nodiscard]] std::chrono::nanoseconds time_of(tick t) const noexcept {
        return tick_length_ * static_cast<std::int64_t>(std::min(t.count, last_tick_));
    }

    // Makes all waits of a timer ready, and says how many. There must be room for two entries.
    [[gnu::always_inline]] std::size_t end_waits(core& t, bool aborted) noexcept {
        std::size_t ended = 0;
        if (t.first) {
            ready_.push(t.first, aborted);
            ended = 1;
        }
        if (t.more) [[unlikely]]
            ended += end_others(t, aborted);
        if (ended != 0) --waiting_;
        return ended;
    }
    [[gnu::noinline]] std::size_t end_others(core& t, bool aborted) noexcept {
        std::size_t ended = 0;
        t.others.for_each([&](detail::wait_op& op) {
            detach(op);
            ++ended;
        });
        t.more = false;
        ready_.push(std::exchange(t.others, {}), ended, aborted);
        return ended;
    }

    // Aborts one of the others.
    void push_alone(detail::wait_op& op) noexcept {
        core& t = *op.home;
        t.others.remove(op);
        t.more = !t.others.empty();
        detach(op);
        detail::op_circle alone;
        alone.push(op);
        ready_.push(alone, 1, true);
    }

    static void detach(detail::wait_op& op) noexcept {
        op.home = nullptr;
        if (op.link == nullptr) return;
        std::exchange(op.link, nullptr)->op.store(nullptr, std::memory_order_release);
    }

    // Nothing waits for `t` any more. If there are many timers it stays in the wheel: most are
    // armed again, later, which is one write then; and else it fires for nobody.
    void waits_ended(core& t) {
        if (wheel_.size() <= few) [[unlikely]]
            forget_few(t);
        see_to_ready(ready_.size());
    }
    // If there are few, the call that was to come for it comes for what has ended.
    [[gnu::noinline]] void forget_few(core& t) {
        wheel_.cancel(t);
        if (!shut_down_) calls_.call_armed_for(time_of(t.due()));
    }
    void one_less(core& t) {
        --waiting_;
        waits_ended(t);
    }

    // The context must come to call what is ready: for each handler, if they are few. No more calls
    // wait for their time than there are waits: a context without waits must not be kept, and when
    // the last wait is cancelled its call is what comes.
    [[gnu::always_inline]] void see_to_ready(std::size_t ready, bool goes_on = false) {
        if (calls_.armed() > waiting_ || calls_.called() < few) [[unlikely]]
            call(ready, goes_on);
    }
    [[gnu::noinline]] void call(std::size_t ready, bool goes_on) {
        if (shut_down_) return;
        while (calls_.armed() > waiting_) calls_.call_last();
        while (calls_.called() < std::min(ready, few)) calls_.call(goes_on);
    }

    // The context must come when the next timer is due. A call that is on its way would see to
    // that.
    [[gnu::noinline]] void see_to_next() {
        if (waiting_ == 0) return;
        const std::chrono::nanoseconds next = time_of(next_due());
        if (next < calls_.first()) calls_.arm(next);
    }

    // The wheel's own answer may be early, to move timers within it. With few timers nobody is
    // woken for that.
    [[nodiscard]] tick next_due() const {
        if (wheel_.size() > few) return wheel_.next_wakeup().value_or(tick::max());
        tick first = tick::max();
        wheel_.for_each([&](timer_hook& hook) {
            if (static_cast<core&>(hook).waits()) first = std::min(first, hook.due());
        });
        return first;
    }

    // ---- on a thread of the context
    // --------------------------------------------------------------

    // A call of the context's has come: makes what is due ready, and calls handlers that are.
    void run(unsigned call) {
        lock held(mutex_);
        const bool look = calls_.ended(call);
        if (shut_down_) return;
        if (look) collect_or_throw();
        // The ready ones are shared with the calls that are on their way: one for each if they are
        // few.
        const std::size_t ready = ready_.size();
        const std::size_t calls = std::max(calls_.called(), std::min(ready, few)) + 1;
        std::size_t left = std::min(ready / calls + 1, at_once);
        for (; !ready_.empty(); held.lock()) {
            // Before the handler, so that other threads go on with the next, and so that nothing is
            // missed if it throws.
            see_to_all(ready_.size() - 1);
            detail::ready_waits::taken next;
            ready_.pop(next);
            held.unlock();
            next.complete();
            if (--left == 0) return;
        }
        see_to_all(0);
    }

    [[gnu::always_inline]] void see_to_all(std::size_t ready) {
        see_to_ready(ready, true);
        if (calls_.called() == 0) [[unlikely]]
            see_to_next();
    }

    // Without memory nothing is taken out of the wheel, and this is tried again.
    void collect_or_throw() {
        try {
            collect();
        } catch (...) {
            see_to_all(ready_.size());
            throw;
        }
    }
    // Makes ready what is due, by its expiry: within a tick the wheel has no order.
    void collect() {
        if (wheel_.empty() || ready_.size() >= portion) return;
        const std::chrono::nanoseconds now = clock_.steady();
        calls_.looked(now);
        ready_.reserve(2 * std::min(portion, waiting_));
        struct at_the_end {
            asio_wheel& w;
            ~at_the_end() { w.take_fired(); }
        } const taken{*this};
        const tick reached = elapsed(now, tick_length_);
        static_cast<void>(wheel_.advance(reached, portion, [this](timer_hook& hook) {
            auto& t = static_cast<core&>(hook);
            if (t.waits()) fired_.push_back({t.expiry, fired_.size(), &t});
        }));
    }
    void take_fired() noexcept {
        if (!std::is_sorted(fired_.begin(), fired_.end())) std::sort(fired_.begin(), fired_.end());
        for (const fired& f : fired_) end_waits(*f.timer, false);
        fired_.clear();
    }

    // Destroys the handlers. Their destructors may use timers.
    void shutdown() override {
        lock held(mutex_);
        shut_down_ = true;
        while (!wheel_.empty() || !ready_.empty()) {
            ready_.reserve(2 * few);
            static_cast<void>(wheel_.advance(tick::max(), few, [this](timer_hook& hook) {
                end_waits(static_cast<core&>(hook), true);
            }));
            while (!ready_.empty()) {
                detail::ready_waits::taken next;
                ready_.pop(next);
                held.unlock();
                next.destroy();
                held.lock();
            }
        }
    }

    struct fired {
        std::chrono::nanoseconds expiry;
        std::size_t number;
        core* timer;
        friend bool operator<(const fired& a, const fired& b) noexcept {
            return a.expiry != b.expiry ? a.expiry < b.expiry : a.number < b.number;
        }
    };

    const service_clock& clock_ = machine_clock();
    const std::chrono::nanoseconds tick_length_;
    const std::uint64_t last_tick_;  // that the clock can tell
    mutable detail::short_lock mutex_;
    hierarchical_wheel<> wheel_;
    detail::ready_waits ready_;
    detail::context_calls<asio_wheel> calls_;
    std::vector<fired> fired_;
    std::size_t waiting_ = 0;
    bool shut_down_ = false;
    std::atomic<bool> wants_native_ = true;
};

inline detail::cancel_link::~cancel_link() {
    if (op.load(std::memory_order_acquire) != nullptr) wheel.forget(*this);
}

}  // namespace foliot
