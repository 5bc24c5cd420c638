// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/asio/asio_timer.hpp>
#include <foliot/asio/detail/tracked.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace foliot::detail {

inline bool has_code(const std::exception_ptr& error, boost::asio::error::basic_errors code) {
    if (error == nullptr) return false;
    try {
        std::rethrow_exception(error);
    } catch (const boost::system::system_error& e) {
        return e.code() == code;
    } catch (...) {
        return false;
    }
}

/// Makes of an operation that was aborted one that was timed out.
inline void tell_timeout(boost::system::error_code& result) {
    if (result == boost::asio::error::operation_aborted) result = boost::asio::error::timed_out;
}
inline void tell_timeout(std::exception_ptr& result) {
    if (!has_code(result, boost::asio::error::operation_aborted)) return;
    const boost::system::error_code code = boost::asio::error::timed_out;
    result = std::make_exception_ptr(boost::system::system_error(code));
}

/// An operation and the timer that cancels it. Everything but the start runs on `serial`, one at a
/// time, which is over the executor of the handler; so the handler can be called from there.
template <class Handler, class Serial, class IoExecutor, class... Results>
class timeout_state
    : public std::enable_shared_from_this<timeout_state<Handler, Serial, IoExecutor, Results...>> {
    static_assert(sizeof...(Results) > 0,
                  "the first result of the operation must be an error_code or an exception_ptr");
    using self = std::shared_ptr<timeout_state>;

public:
    timeout_state(Serial serial, const IoExecutor& io, Handler handler)
        : serial_(std::move(serial)),
          timer_(io),
          work_(boost::asio::get_associated_executor(handler, io)),
          handler_(std::move(handler)) {}

    template <class Initiation, class... Args>
    static void start(Serial serial, const IoExecutor& io, Handler handler,
                      std::chrono::nanoseconds timeout, Initiation initiation, Args&&... args) {
        const auto s = std::make_shared<timeout_state>(std::move(serial), io, std::move(handler));
        s->follow_slot();
        s->timer_.expires_after(timeout);
        // The operation first: if it throws, nothing was begun.
        std::move(initiation)(operation_end{s}, std::forward<Args>(args)...);
        boost::asio::dispatch(s->serial_, [s] { s->begin_wait(); });
    }

private:
    // The handler of the operation.
    struct operation_end {
        using executor_type = Serial;
        using cancellation_slot_type = boost::asio::cancellation_slot;
        using allocator_type = boost::asio::associated_allocator_t<Handler>;

        [[nodiscard]] executor_type get_executor() const noexcept { return state->serial_; }
        [[nodiscard]] cancellation_slot_type get_cancellation_slot() const noexcept {
            return state->signal_.slot();
        }
        [[nodiscard]] allocator_type get_allocator() const noexcept { return state->allocator_; }
        void operator()(Results... results) { state->ended(std::move(results)...); }

        self state;
    };

    void follow_slot() {
        auto slot = boost::asio::get_associated_cancellation_slot(*handler_);
        if (!slot.is_connected()) return;
        slot.assign([weak = this->weak_from_this()](boost::asio::cancellation_type_t type) {
            if (const self s = weak.lock()) {
                boost::asio::dispatch(s->serial_, [s, type] { s->signal_.emit(type); });
            }
        });
    }

    void begin_wait() {
        if (ended_) return;
        timer_.async_wait(boost::asio::bind_executor(
            serial_, [s = this->shared_from_this()](const boost::system::error_code& ec) {
                if (ec || s->ended_) return;
                s->timed_out_ = true;
                s->signal_.emit(boost::asio::cancellation_type::terminal);
            }));
    }

    template <class First, class... Rest>
    void ended(First first, Rest... rest) {
        ended_ = true;
        timer_.cancel();
        if (timed_out_) tell_timeout(first);
        const auto work = std::move(work_);
        Handler handler(std::move(*handler_));
        handler_.reset();
        std::move(handler)(std::move(first), std::move(rest)...);
    }

    Serial serial_;
    boost::asio::cancellation_signal signal_;
    basic_asio_timer<IoExecutor> timer_;
    tracked_executor<boost::asio::associated_executor_t<Handler, IoExecutor>> work_;
    std::optional<Handler> handler_;
    boost::asio::associated_allocator_t<Handler> allocator_ =
        boost::asio::get_associated_allocator(*handler_);
    bool timed_out_ = false;
    bool ended_ = false;
};

}  // namespace foliot::detail
