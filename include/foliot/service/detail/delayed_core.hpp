// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/delayed_house.hpp>
#include <foliot/service/detail/sync.hpp>
#include <foliot/service/timer_service.hpp>
#include <foliot/time/detail/contract.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace foliot {

template <class Key, class Hash, timer_queue Queue>
class delayed_operations;

namespace detail {

template <class Key, class Hash, class Operation>
class delayed_table;
template <timer_queue Queue>
class delayed_expiry;

/// What delayed_operation does not show: its life, who tries it, its entries and its timer. All of
/// it is atomic, so it has no lock that user code could be called under.
class delayed_core {
public:
    delayed_core() = default;
    delayed_core(const delayed_core&) = delete;
    delayed_core& operator=(const delayed_core&) = delete;
    virtual ~delayed_core() = default;

    bool force_complete() {
        if (!to_completed()) return false;
        retire();
        ++completions_here;
        on_complete();
        return true;
    }

    [[nodiscard]] bool completed() const noexcept { return life_.load() == life::completed; }

protected:
    virtual bool try_complete() = 0;
    virtual void on_complete() = 0;
    virtual void on_expiration() = 0;

private:
    template <class Key, class Hash, timer_queue Queue>
    friend class foliot::delayed_operations;
    template <class Key, class Hash, class Operation>
    friend class delayed_table;
    template <timer_queue Queue>
    friend class delayed_expiry;

    enum class life : std::uint8_t { open, withdrawn, completed };
    // The wait for the timeout: idle -> starting -> armed -> over. It is delayed in between, and
    // over from any of them. lost: the service dropped the timer while it was starting. When it
    // drops an armed one that starts again, or is idle if the service has stopped.
    enum class wait : std::uint8_t { idle, starting, lost, armed, over };
    static constexpr std::uint32_t over_bit = 1U << 31;

    [[nodiscard]] bool over() const noexcept { return life_.load() != life::open; }

    /// To be watched by `house` from now on.
    void join(std::shared_ptr<delayed_house> house) {
        require(house_.load() == nullptr, "a delayed_operation was given away twice");
        owner_ = std::move(house);
        house_.store(owner_.get());
    }

    /// No more tries, no timeout. True if it was neither completed nor withdrawn.
    bool withdraw() noexcept {
        life expected = life::open;
        if (!life_.compare_exchange_strong(expected, life::withdrawn)) return false;
        retire();
        return true;
    }

    /// A try that a cancel_for_key overtakes must not complete what that has returned; whoever got
    /// it may.
    [[nodiscard]] bool to_completed() noexcept {
        if (inside_.load(std::memory_order_relaxed) != sync::this_thread::get_id()) {
            return life_.exchange(life::completed) != life::completed;
        }
        life expected = life::open;
        return life_.compare_exchange_strong(expected, life::completed);
    }

    void expire() {
        expired_.store(true);
        static_cast<void>(attempt());
    }

    // ---- tries, one at a time ---------------------------------------------------------------

    /// Tries to complete it. A thread that finds another one inside does not wait: it leaves word,
    /// and the one inside looks again before it leaves. True if a look of this call completed it.
    [[nodiscard]] bool attempt() {
        const auto me = sync::this_thread::get_id();
        if (inside_.load(std::memory_order_relaxed) == me) {
            asked_inside_ = true;
            return false;
        }
        // Release: the thread inside sees what the condition depends on as this one left it.
        if (asked_.fetch_add(1, std::memory_order_acq_rel) > 0) return false;
        bool done = false;
        std::exception_ptr failure;
        for (std::uint32_t answered = 1; answered > 0;) {
            inside_.store(me, std::memory_order_relaxed);
            look(done, failure);
            inside_.store(sync::thread::id{}, std::memory_order_relaxed);
            answered = asked_.fetch_sub(answered, std::memory_order_acq_rel) - answered;
        }
        if (failure) std::rethrow_exception(failure);
        return done;
    }

    void look(bool& done, std::exception_ptr& failure) noexcept {
        rounds_from_within rounds;
        do {
            asked_inside_ = false;
            rounds.begin();
            try {
                done = look_once() || done;
            } catch (...) {
                if (!failure) failure = std::current_exception();
            }
        } while (rounds.goes_on(asked_inside_));
    }

    [[nodiscard]] bool look_once() {
        if (over()) return false;
        if (expired_.load()) {
            if (force_complete()) on_expiration();
            return false;
        }
        const bool done = try_complete();
        require(!done || completed(), "try_complete is true, but nobody has completed it");
        return done;
    }

    // ---- entries in watcher lists -----------------------------------------------------------

    void entered() noexcept {
        delayed_house& house = *house_.load();
        ++house.watched;
        if ((entries_.fetch_add(1) & over_bit) != 0) ++house.over;
    }
    void left() noexcept {
        delayed_house& house = *house_.load();
        --house.watched;  // first, so that who looks in between rather sweeps than not
        if ((entries_.fetch_sub(1) & over_bit) != 0) --house.over;
    }

    void retire() noexcept {
        // Another thread may be about to watch it: it has a house if it has entries, or waits.
        const std::uint32_t entries = entries_.fetch_or(over_bit);
        if (entries != 0 && (entries & over_bit) == 0) house_.load()->over += entries;
        const wait was = wait_.exchange(wait::over);
        delayed_house* const house = house_.load();
        if (was != wait::idle && was != wait::over) --house->delayed;
        if (was == wait::armed) timer_.cancel();
        if (house != nullptr) house->sweep_if_needed();
    }

    // ---- the wait for the timeout -----------------------------------------------------------

    /// False if it is over, and needs none. From then on it is delayed.
    [[nodiscard]] bool begin_wait() noexcept {
        ++house_.load()->delayed;
        if (change(wait::idle, wait::starting)) return true;
        --house_.load()->delayed;
        return false;
    }
    void give_up_wait() noexcept {
        if (change(wait::starting, wait::idle) || change(wait::lost, wait::idle)) {
            --house_.load()->delayed;
        }
    }
    [[nodiscard]] bool change(wait from, wait to) noexcept {
        return wait_.compare_exchange_strong(from, to);
    }

    sync::atomic<life> life_{life::open};
    sync::atomic<wait> wait_{wait::idle};
    sync::atomic<bool> expired_{false};
    bool asked_inside_ = false;               // of the thread inside
    sync::atomic<std::uint32_t> asked_{0};    // tries asked for and not answered yet
    sync::atomic<std::uint32_t> entries_{0};  // in watcher lists; and over_bit
    sync::atomic<sync::thread::id> inside_{};
    sync::atomic<delayed_house*> house_{nullptr};
    std::shared_ptr<delayed_house> owner_;
    timer timer_;  // written while starting; used by who takes it from armed to over
};

/// What the service calls when the timeout of an operation is over. If it is destroyed without a
/// call, and the operation still waits, the service had no room for it, or stops.
template <timer_queue Queue>
class delayed_expiry {
public:
    using service = basic_timer_service<Queue>;
    using operation_ptr = std::shared_ptr<delayed_core>;

    delayed_expiry(delayed_expiry&&) noexcept = default;
    delayed_expiry& operator=(delayed_expiry&&) = delete;
    ~delayed_expiry() {
        if (op_ == nullptr || op_->change(wait::starting, wait::lost)) return;
        if (!op_->change(wait::armed, wait::starting)) return;
        try {
            start(op_, *timers_, retry_, retry_);
        } catch (...) {  // no memory: it does not expire
        }
    }
    void operator()() { std::exchange(op_, nullptr)->expire(); }

    /// Makes the timer of an operation whose wait is starting; none if the service has stopped.
    static void start(const operation_ptr& op, service& timers, std::chrono::nanoseconds delay,
                      std::chrono::nanoseconds retry) {
        while (true) {
            timer made;
            try {
                made = timers.after(delay, delayed_expiry(op, timers, retry));
            } catch (const service_stopped&) {
                return op->give_up_wait();
            } catch (...) {
                op->give_up_wait();
                throw;
            }
            op->timer_ = made;
            if (op->change(wait::starting, wait::armed)) return;
            if (!op->change(wait::lost, wait::starting)) {  // it is over
                made.cancel();
                return;
            }
            delay = retry;
        }
    }

private:
    using wait = delayed_core::wait;

    delayed_expiry(operation_ptr op, service& timers, std::chrono::nanoseconds retry) noexcept
        : op_(std::move(op)), timers_(&timers), retry_(retry) {}

    operation_ptr op_;
    service* timers_;
    std::chrono::nanoseconds retry_;
};

}  // namespace detail
}  // namespace foliot
