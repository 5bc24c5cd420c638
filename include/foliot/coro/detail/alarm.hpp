// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/timer_service.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

namespace foliot::detail {

/// A timer of which something hears for certain, once: on_ring() when the time is over, on_lost()
/// when it cannot ring any more because the service has stopped; neither after silence(). If the
/// service rejects it for want of room, it is set anew; if that fails too, it rings there and then.
///
/// What derives from it has these two, and may be gone when they return. `Owner` points to that: a
/// plain pointer, if it is silenced and its timer waited for before it goes away, or a shared_ptr.
template <timer_queue Queue, class Owner>
class alarm {
public:
    alarm(const alarm&) = delete;
    alarm& operator=(const alarm&) = delete;

    /// Once. Throws what basic_timer_service::after throws: then it is not set. Nothing is heard of
    /// it before it has done all that it does here: this may be gone then.
    void set(Owner owner, std::chrono::nanoseconds delay) {
        {
            const std::lock_guard held(mutex_);
            phase_ = phase::being_set;
        }
        make(std::move(owner), delay);
    }

    /// Rings now. From any thread, also before it is set.
    void hurry() noexcept {
        const std::lock_guard held(mutex_);
        hurried_ = true;
        if (phase_ == phase::set) to_now(timer_);
    }

    /// Returns the timer, which is to be cancelled, without a lock.
    [[nodiscard]] timer silence() noexcept {
        const std::lock_guard held(mutex_);
        if (phase_ >= phase::rang) return {};
        phase_ = phase::silenced;
        return timer_;
    }

protected:
    explicit alarm(basic_timer_service<Queue>& timers) noexcept : timers_(timers) {}
    ~alarm() = default;

    // What became of it. Only after on_ring(), on_lost() or silence().
    [[nodiscard]] bool rang() const noexcept { return phase_ == phase::rang; }
    [[nodiscard]] bool in_full() const noexcept { return rang() && !hurried_; }

private:
    enum class phase : std::uint8_t {
        idle,
        being_set,
        missed,  // it rang, or was dropped, while it was being set: to be made again
        set,
        rang,
        lost,
        silenced,
    };

    // The timer's callback.
    class bell {
    public:
        explicit bell(Owner owner) noexcept : owner_(std::move(owner)) {}
        bell(bell&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)) {}
        bell(const bell&) = delete;
        bell& operator=(const bell&) = delete;
        ~bell() {
            if (owner_ != nullptr) alarm::dropped(std::move(owner_));
        }
        void operator()() { alarm::rings(std::exchange(owner_, nullptr)); }

    private:
        Owner owner_;
    };

    // Leaves the alarm set, or it was silenced meanwhile. Who hears of a timer that is not yet
    // noted here leaves it to this: so the owner does not go away under it.
    void make(Owner owner, std::chrono::nanoseconds delay) {
        while (true) {
            const timer made = timers_.after(delay, bell(owner));
            {
                const std::lock_guard held(mutex_);
                if (phase_ == phase::being_set) {
                    timer_ = made;
                    if (hurried_) to_now(made);
                    phase_ = phase::set;
                    return;
                }
                if (phase_ == phase::missed) {
                    phase_ = phase::being_set;
                    delay = {};
                    continue;
                }
            }
            made.cancel();
            return;
        }
    }

    static void rings(Owner owner) {
        if (owner->passes_to(phase::rang)) owner->on_ring();
    }

    // Rejected, or the service stops; or nobody is there any more to hear it.
    static void dropped(Owner owner) noexcept {
        constexpr auto retry = std::chrono::milliseconds{10};
        alarm& self = *owner;
        if (!self.passes_to(phase::being_set)) return;
        phase end = phase::lost;
        try {
            if (!self.timers_.stopping()) return self.make(owner, retry);
        } catch (const service_stopped&) {
        } catch (...) {  // no room for another timer. Only what was due is rejected
            end = phase::rang;
        }
        if (!self.ends_as(end)) return;
        if (end == phase::rang) {
            owner->on_ring();
        } else {
            owner->on_lost();
        }
    }

    bool passes_to(phase next) noexcept {
        const std::lock_guard held(mutex_);
        if (phase_ == phase::being_set) phase_ = phase::missed;
        if (phase_ != phase::set) return false;
        phase_ = next;
        return true;
    }
    bool ends_as(phase end) noexcept {
        const std::lock_guard held(mutex_);
        if (phase_ == phase::silenced) return false;
        phase_ = end;
        return true;
    }

    static void to_now(const timer& t) noexcept {
        try {
            t.reschedule(std::chrono::nanoseconds{0});
        } catch (const std::bad_alloc&) {  // it rings at its time
        }
    }

    basic_timer_service<Queue>& timers_;
    std::mutex mutex_;
    timer timer_;
    phase phase_ = phase::idle;
    bool hurried_ = false;
};

}  // namespace foliot::detail
