// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/wait_traits.hpp>

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace foliot::detail {

/// Runs what it is given at once, on the thread that comes with it: that of the context's own
/// timers, whichever executor their users have.
class here_executor {
public:
    explicit here_executor(boost::asio::execution_context& context) noexcept : context_(&context) {}

    [[nodiscard]] boost::asio::execution_context& query(
        boost::asio::execution::context_t) const noexcept {
        return *context_;
    }
    template <class F>
    void execute(F&& f) const {
        std::forward<F>(f)();
    }
    friend bool operator==(const here_executor&, const here_executor&) noexcept = default;

private:
    boost::asio::execution_context* context_;
};

/// How a wheel comes to run on a thread of its context: `Owner::run(slot)` is called there, at a
/// time or as soon as may be. As a rule one of Asio's own timers waits at a time, for the wheel's
/// first timer. When an earlier one comes, another is armed beside it and none is moved: the
/// context counts whatever ends as a handler that it ran, and its user may count along.
///
/// The owner's lock guards it. run() must begin with ended(). Nothing allocates, but Asio may for
/// its own lists.
template <class Owner>
class context_calls {
public:
    using time = std::chrono::nanoseconds;  // of the steady clock, since its epoch
    static constexpr std::size_t most_armed = 8;
    static constexpr std::size_t most_called = 16;
    static constexpr std::uint32_t most_not_looked = 64;

    context_calls(boost::asio::execution_context& context, Owner& owner) : owner_(owner) {
        for (unsigned i = 0; i < most_armed + most_called; ++i) {
            slots_.emplace_back(here_executor(context));
        }
    }

    /// Tells it the executor of the context, by which a call costs least.
    void use(const boost::asio::io_context::executor_type& native) {
        if (!native_) native_.emplace(native);
    }

    /// How many calls wait for their time, and how many are on their way.
    [[nodiscard]] std::size_t armed() const noexcept { return armed_; }
    [[nodiscard]] std::size_t called() const noexcept { return called_; }
    /// When the first one comes; never if there is none.
    [[nodiscard]] time first() const noexcept { return first_; }

    /// One comes at `at`; or one that waits comes now, if there are too many.
    void arm(time at) {
        if (armed_ == most_armed) return call_last();
        const unsigned number = idle();
        wait(number, at);
        take(number, state::armed);
        ++armed_;
        if (at < first_) first_ = at;
    }

    /// One more comes now, but no more than most_called do so at a time. `goes_on`: it goes on with
    /// what was found when the owner looked last.
    void call(bool goes_on) {
        const unsigned number = idle();
        if (native_) {
            boost::asio::post(*native_, end{this, number});
        } else {
            wait(number, time::max());
            slots_[number].real.cancel();
        }
        take(number, state::called);
        if (goes_on) --slots_[number].round;
        ++called_;
    }

    /// If one waits for `at` it comes now.
    void call_armed_for(time at) {
        for (slot& s : slots_) {
            if (s.what == state::armed && s.at == at) return call_armed(s);
        }
    }
    /// The last one of those that wait comes now. The others cover what was covered.
    void call_last() {
        slot* last = nullptr;
        for (slot& s : slots_) {
            if (s.what == state::armed && (last == nullptr || s.at > last->at)) last = &s;
        }
        if (last != nullptr) call_armed(*last);
    }

    /// The first thing that run() does. True: the context has looked for timers of its own that are
    /// due since this was last true, so it is time to look for others. That is so if the call's
    /// time has come, or if the call was made since: the context looks once between two rounds of
    /// what it runs, and who is called in one round comes in the next. Now and then it is true
    /// anyway, so that calls without end do not keep timers from being looked for.
    bool ended(unsigned number) noexcept {
        slot& s = slots_[number];
        idle_ |= 1U << number;
        const bool was_armed = std::exchange(s.what, state::idle) == state::armed;
        --(was_armed ? armed_ : called_);
        if (was_armed) find_first();
        if (!was_armed && s.round != round_ && ++not_looked_ != most_not_looked) return false;
        not_looked_ = 0;
        ++round_;
        return true;
    }

    /// The owner looked, and it was `now`: calls whose time has come by then are on their way.
    void looked(time now) noexcept {
        if (first_ > now) return;
        for (slot& s : slots_) {
            if (s.what != state::armed || s.at > now) continue;
            s.what = state::called;
            --armed_;
            ++called_;
        }
        find_first();
    }

private:
    enum class state : std::uint8_t { idle, armed, called };
    using timer =
        boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                          boost::asio::wait_traits<std::chrono::steady_clock>,
                                          here_executor>;

    struct slot {
        explicit slot(const here_executor& ex) : real(ex) {}
        timer real;
        time at{};
        state what = state::idle;
        std::uint32_t round = 0;  // in which it was called
        // Of the wait or the post. Asio gives it back before it calls the handler.
        alignas(std::max_align_t) std::byte memory[240];
    };

    template <class T>
    struct slot_allocator {
        using value_type = T;
        explicit slot_allocator(std::byte* memory_) noexcept : memory(memory_) {}
        template <class U>
        slot_allocator(
            const slot_allocator<U>& other) noexcept  // NOLINT(google-explicit-constructor)
            : memory(other.memory) {}
        T* allocate(std::size_t n) {
            static_assert(alignof(T) <= alignof(std::max_align_t));
            if (n * sizeof(T) > sizeof(slot::memory)) return std::allocator<T>().allocate(n);
            return static_cast<T*>(static_cast<void*>(memory));
        }
        void deallocate(T* p, std::size_t n) noexcept {
            if (n * sizeof(T) > sizeof(slot::memory)) std::allocator<T>().deallocate(p, n);
        }
        friend bool operator==(const slot_allocator&, const slot_allocator&) = default;
        std::byte* memory;
    };

    struct end {
        using allocator_type = slot_allocator<std::byte>;
        context_calls* calls;
        unsigned number;
        [[nodiscard]] allocator_type get_allocator() const noexcept {
            return allocator_type(calls->slots_[number].memory);
        }
        void operator()() const { calls->owner_.run(number); }
        void operator()(const boost::system::error_code&) const { calls->owner_.run(number); }
    };

    [[nodiscard]] unsigned idle() const noexcept {
        return static_cast<unsigned>(std::countr_zero(idle_));
    }
    void take(unsigned number, state what) noexcept {
        idle_ &= ~(1U << number);
        slots_[number].what = what;
        slots_[number].round = round_;
    }

    void wait(unsigned number, time at) {
        slot& s = slots_[number];
        s.real.expires_at(std::chrono::steady_clock::time_point(at));
        s.at = at;
        s.real.async_wait(end{this, number});
    }

    // If its time has come it is on its way already.
    void call_armed(slot& s) {
        s.real.cancel();
        s.what = state::called;
        s.round = round_;
        --armed_;
        ++called_;
        find_first();
    }

    void find_first() noexcept {
        first_ = time::max();
        for (const slot& s : slots_) {
            if (s.what == state::armed && s.at < first_) first_ = s.at;
        }
    }

    Owner& owner_;
    std::optional<boost::asio::io_context::executor_type> native_;
    std::uint32_t idle_ = (1U << (most_armed + most_called)) - 1;
    std::uint32_t round_ = 0;
    std::uint32_t not_looked_ = 0;
    std::size_t armed_ = 0;
    std::size_t called_ = 0;
    time first_ = time::max();
    std::deque<slot> slots_;  // which do not move
};

}  // namespace foliot::detail
