// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/asio/detail/tracked.hpp>
#include <foliot/service/timer_service.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

// async_sleep(timers, 5s, token): an asynchronous operation of Asio's kind that a timer_service
// ends.
//
//     boost::asio::awaitable<void> retry(foliot::timer_service& timers) {
//         while (!try_once()) co_await foliot::async_sleep(timers, 1s, boost::asio::use_awaitable);
//     }
//
// For programs that have a timer_service anyway, for its limits, priorities or metrics. Else take
// asio_timer.hpp, which needs no thread besides those of the context.
//
// Time:    as timer_service::after, an allocation and a post.
// Threads: the handler is called by its associated executor, whose context stays at work until
//          then.
// Memory:  about 200 bytes on the heap while it sleeps.
// Errors:  the handler gets operation_aborted when it was cancelled by its slot (terminal, partial
//          or total), or when the service was stopped, before or meanwhile, or shed the timer;
//          not_enough_memory; no_buffer_space if the service has too many timers.
// Order:   none.
namespace foliot {

namespace detail {

template <class Handler>
class asio_sleeper : public std::enable_shared_from_this<asio_sleeper<Handler>> {
    using executor = boost::asio::associated_executor_t<Handler>;

public:
    explicit asio_sleeper(Handler& handler)
        : work_(boost::asio::get_associated_executor(handler)), handler_(std::move(handler)) {}

    template <timer_queue Queue>
    void start(basic_timer_service<Queue>& timers, std::chrono::nanoseconds delay) {
        boost::system::error_code refused;
        try {
            begun(timers.after(delay, wake_up(this->shared_from_this())));
            return;
        } catch (const service_stopped&) {
            refused = boost::asio::error::operation_aborted;
        } catch (const too_many_timers&) {
            refused = boost::asio::error::no_buffer_space;
        } catch (const std::bad_alloc&) {
            refused = boost::asio::error::no_memory;
        }
        finish(refused);
    }

    // The callback is destroyed by that, and says so.
    void cancel() {
        timer t;
        {
            const std::lock_guard held(mutex_);
            t = timer_;
        }
        t.cancel();
    }

private:
    // The timer's callback. If the service drops it, the handler is told, rather than left for
    // ever.
    class wake_up {
    public:
        explicit wake_up(std::shared_ptr<asio_sleeper> s) noexcept : sleeper_(std::move(s)) {}
        wake_up(wake_up&&) noexcept = default;
        wake_up(const wake_up&) = delete;
        wake_up& operator=(const wake_up&) = delete;
        ~wake_up() {
            if (sleeper_ != nullptr) sleeper_->dropped();
        }
        void operator()() { std::exchange(sleeper_, nullptr)->finish({}); }

    private:
        std::shared_ptr<asio_sleeper> sleeper_;
    };

    // The timer is made. It may have fired by now, or have been dropped.
    void begun(timer t) {
        {
            const std::lock_guard held(mutex_);
            timer_ = t;
            if (!dropped_) return;
        }
        finish(boost::asio::error::operation_aborted);
    }
    void dropped() {
        {
            const std::lock_guard held(mutex_);
            dropped_ = true;
            if (!timer_) return;  // begun() will see it, or start() says why
        }
        finish(boost::asio::error::operation_aborted);
    }

    void finish(boost::system::error_code ec) {
        struct call {
            using allocator_type = boost::asio::associated_allocator_t<Handler>;
            [[nodiscard]] allocator_type get_allocator() const noexcept {
                return boost::asio::get_associated_allocator(handler);
            }
            void operator()() { std::move(handler)(ec); }
            Handler handler;
            const boost::system::error_code ec;
        };
        std::optional<Handler> handler;
        std::optional<tracked_executor<executor>> work;
        {
            const std::lock_guard held(mutex_);
            if (!handler_) return;
            handler.emplace(std::move(*handler_));
            handler_.reset();
            work.emplace(std::move(work_));
        }
        boost::asio::post(work->get(), call{std::move(*handler), ec});
    }

    std::mutex mutex_;
    timer timer_;
    bool dropped_ = false;
    tracked_executor<executor> work_;
    std::optional<Handler> handler_;
};

template <timer_queue Queue>
struct sleep_initiation {
    basic_timer_service<Queue>* timers;
    std::chrono::nanoseconds delay;

    template <class Handler>
    void operator()(Handler&& handler) const {
        using sleeper = asio_sleeper<std::decay_t<Handler>>;
        std::decay_t<Handler> own(std::forward<Handler>(handler));
        const auto slot = boost::asio::get_associated_cancellation_slot(own);
        const auto started = std::make_shared<sleeper>(own);
        if (slot.is_connected()) {
            auto its_slot = slot;
            its_slot.assign(
                [weak = std::weak_ptr<sleeper>(started)](boost::asio::cancellation_type_t type) {
                    using ct = boost::asio::cancellation_type;
                    if ((type & (ct::terminal | ct::partial | ct::total)) == ct::none) return;
                    if (const auto s = weak.lock()) s->cancel();
                });
        }
        started->start(*timers, delay);
    }
};

}  // namespace detail

/// Completes with `void(error_code)` when `delay` is over; at once, but not before this returns, if
/// it is not positive.
template <timer_queue Queue, class Rep, class Period,
          BOOST_ASIO_COMPLETION_TOKEN_FOR(void(boost::system::error_code)) Token>
auto async_sleep(basic_timer_service<Queue>& timers, std::chrono::duration<Rep, Period> delay,
                 Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        detail::sleep_initiation<Queue>{&timers, detail::to_nanoseconds(delay)}, token);
}

}  // namespace foliot
