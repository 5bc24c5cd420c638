// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/delayed_house.hpp>
#include <foliot/service/timer_service.hpp>
#include <foliot/time/detail/contract.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace foliot {

/// Something that completes once: when its condition is met, or else when its timeout is over.
///
/// try_complete, and a completion by timeout, never run at the same time for one operation, so its
/// own members need no lock unless others call force_complete or read them.
class delayed_operation {
public:
    delayed_operation() = default;
    delayed_operation(const delayed_operation&) = delete;
    delayed_operation& operator=(const delayed_operation&) = delete;
    virtual ~delayed_operation() = default;

    /// Completes it, if nobody has: ends the wait for its timeout and calls on_complete. True for
    /// the one caller who did. Anybody who holds the operation may call it, also after
    /// cancel_for_key, or when delayed_operations is gone.
    bool force_complete() {
        if (life_.exchange(life::completed) == life::completed) return false;
        retire();
        ++detail::completions_here;
        on_complete();
        return true;
    }

    /// Whether that was done; on_complete may still be running.
    [[nodiscard]] bool completed() const noexcept { return life_.load() == life::completed; }

protected:
    /// Looks whether the condition holds; if so, returns force_complete(), else false. It should only
    /// look: what acts belongs into on_complete.
    virtual bool try_complete() = 0;
    /// What is to be done then. Exactly once.
    virtual void on_complete() = 0;
    /// After on_complete, if it was the timeout.
    virtual void on_expiration() {}

private:
    template <class Key, class Hash, timer_queue Queue>
    friend class delayed_operations;

    enum class life : std::uint8_t { open, withdrawn, completed };
    // The wait for the timeout. It counts as delayed between idle and over.
    //
    //     idle -> starting -> armed -> over        lost: the service dropped the timer before its
    //       ^        |  lost    |                  maker knew it
    //       +--------+----------+
    enum class wait : std::uint8_t { idle, starting, lost, armed, over };
    static constexpr std::uint32_t over_bit = 1U << 31;

    [[nodiscard]] bool over() const noexcept { return life_.load() != life::open; }

    /// To be watched by `house` from now on.
    void join(std::shared_ptr<detail::delayed_house> house) {
        detail::require(house_.load() == nullptr, "a delayed_operation was given away twice");
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

    void expire() {
        expired_.store(true);
        static_cast<void>(attempt());
    }

    // ---- tries, one at a time ---------------------------------------------------------------

    /// Tries to complete it. A thread that finds another one inside does not wait: it leaves word,
    /// and the one inside looks again before it leaves. True if a look of this call completed it.
    [[nodiscard]] bool attempt() {
        const auto me = std::this_thread::get_id();
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
            inside_.store(std::thread::id{}, std::memory_order_relaxed);
            answered = asked_.fetch_sub(answered, std::memory_order_acq_rel) - answered;
        }
        if (failure) std::rethrow_exception(failure);
        return done;
    }

    void look(bool& done, std::exception_ptr& failure) noexcept {
        std::uint64_t before = 0;
        do {
            asked_inside_ = false;
            before = detail::completions_here;
            try {
                done = look_once() || done;
            } catch (...) {
                if (!failure) failure = std::current_exception();
            }
            // What its own thread asks for meanwhile counts if something was completed: else a
            // try_complete that checks its own key would never end.
        } while (asked_inside_ && detail::completions_here != before);
    }

    [[nodiscard]] bool look_once() {
        if (over()) return false;
        if (expired_.load()) {
            if (force_complete()) on_expiration();
            return false;
        }
        const bool done = try_complete();
        detail::require(!done || completed(), "try_complete is true, but nobody has completed it");
        return done;
    }

    // ---- entries in watcher lists -----------------------------------------------------------

    void entered() noexcept {
        detail::delayed_house& house = *house_.load();
        ++house.watched;
        if ((entries_.fetch_add(1) & over_bit) != 0) ++house.over;
    }
    void left() noexcept {
        detail::delayed_house& house = *house_.load();
        if ((entries_.fetch_sub(1) & over_bit) != 0) --house.over;
        --house.watched;
    }

    void retire() noexcept {
        const std::uint32_t entries = entries_.fetch_or(over_bit);
        detail::delayed_house* const house = house_.load();  // there, if it is watched
        if (entries != 0 && (entries & over_bit) == 0) house->over += entries;
        const wait was = wait_.exchange(wait::over);
        if (was != wait::idle && was != wait::over) --house->delayed;
        if (was == wait::armed) timer_.cancel();
        if (house != nullptr) house->sweep_if_needed();
    }

    // ---- the timeout ------------------------------------------------------------------------

    [[nodiscard]] bool change(wait from, wait to) noexcept {
        if (from == wait::idle) ++house_.load()->delayed;
        const bool changed = wait_.compare_exchange_strong(from, to);
        const bool counted = changed ? to == wait::idle : from == wait::over && to == wait::starting;
        if (counted) --house_.load()->delayed;
        return changed;
    }

    std::atomic<life> life_{life::open};
    std::atomic<wait> wait_{wait::idle};
    std::atomic<bool> expired_{false};
    bool asked_inside_ = false;             // of the thread inside
    std::atomic<std::uint32_t> asked_{0};   // tries asked for and not answered yet
    std::atomic<std::uint32_t> entries_{0}; // in watcher lists; and over_bit
    std::atomic<std::thread::id> inside_{};
    std::atomic<detail::delayed_house*> house_{nullptr};
    std::shared_ptr<detail::delayed_house> owner_;
    timer timer_;  // written while starting; used by who takes it from armed to over
};
