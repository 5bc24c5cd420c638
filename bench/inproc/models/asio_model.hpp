// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../model.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <new>

namespace bench {

/// A program on Asio, with any type of timer that has the face of Asio's. The threads share an
/// io_context, and each polls it every 256 operations: that is where handlers run, of aborted waits
/// too. A caller's object has the timer in it, which is used again and again.
template <class Timer>
class asio_model {
public:
    using object = caller_object<Timer>;

    explicit asio_model(unsigned threads)
        : context_(static_cast<int>(threads)), work_(context_.get_executor()) {}

    class seat {
    public:
        explicit seat(asio_model& m) : context_(m.context_) {}

        object* make(void* where, std::uint32_t id) { return new (where) object(id, context_); }
        void unmake(object& o) { o.~object(); }

        void schedule(object& o, std::chrono::milliseconds delay) {
            o.timer.expires_after(delay);
            wait_for(o);
        }
        bool replace(object& o, std::chrono::milliseconds delay) {
            const bool cancelled = o.timer.cancel() == 1;
            schedule(o, delay);
            return cancelled;
        }
        bool refresh(object& o, std::chrono::milliseconds delay) {
            const bool pending = o.timer.expires_after(delay) == 1;
            wait_for(o);
            return pending;
        }

        std::optional<std::chrono::steady_clock::time_point> due(const object& o) const {
            return o.timer.expiry();
        }

        template <class F>
        void turn(F&& f) {
            f();
            context_.poll();
        }
        void wait() { context_.run_one_for(std::chrono::milliseconds(1)); }

    private:
        void wait_for(object& o) {
            o.timer.async_wait([&o](const boost::system::error_code& error) {
                if (!error) o.fired();
            });
        }

        boost::asio::io_context& context_;
    };

private:
    boost::asio::io_context context_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
};

}  // namespace bench
