// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
// With a timerfd Asio looks at its timers when the kernel's clock says so, and never at ours;
// without one, at every poll. This is the only file of the program that includes Asio.
#include <boost/asio/detail/config.hpp>
#undef BOOST_ASIO_HAS_TIMERFD

#include "../model_contender.hpp"
#include "all.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <new>

namespace bench {

namespace {

/// The clock that the workloads move.
struct virtual_clock {
    using duration = std::chrono::milliseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<virtual_clock>;
    [[maybe_unused]] static constexpr bool is_steady = true;
    static time_point now() { return time_point(duration(ms)); }
    static inline rep ms = 0;
};

// The context's own executor: a call through any_io_executor less.
using waitable_timer =
    boost::asio::basic_waitable_timer<virtual_clock, boost::asio::wait_traits<virtual_clock>,
                                      boost::asio::io_context::executor_type>;

struct asio_hook {
    waitable_timer timer;
    bool pending = false;
};

/// Boost.Asio's timer inside the caller's object, which is 128 bytes then. expires_at cancels the
/// wait before; its handler is called with operation_aborted at the next poll, every 64 operations.
class asio_timers {
public:
    using object = caller_object<asio_hook>;
    static constexpr std::string_view name = "asio";
    static constexpr std::size_t hook_bytes = sizeof(asio_hook);
    static constexpr std::uint64_t largest_n = a_million;

    explicit asio_timers(std::uint64_t start) : context_(1), work_(context_.get_executor()) {
        virtual_clock::ms = static_cast<virtual_clock::rep>(start);
    }

    object* make(void* where, std::uint64_t id) {
        return new (where) object{{waitable_timer(context_.get_executor())}, id};
    }
    void unmake(object& o) { o.~object(); }

    void schedule(object& o, std::uint64_t due) {
        o.timer.expires_at(at(due));
        o.pending = true;
        o.timer.async_wait([this, &o](const boost::system::error_code& error) {
            if (!error) fired(o);
        });
    }
    void replace(object& o, std::uint64_t due) { schedule(o, due); }
    void push_later(object& o, std::uint64_t due) { schedule(o, due); }
    void settle() { context_.poll(); }

    std::optional<std::uint64_t> due(const object& o) const {
        if (!o.pending) return std::nullopt;
        return static_cast<std::uint64_t>(o.timer.expiry().time_since_epoch().count());
    }
    void clear() {}

    template <class Sink>
    work advance(std::uint64_t now, Sink&& sink) {
        virtual_clock::ms = static_cast<virtual_clock::rep>(now);
        done_ = {};
        sink_ = const_cast<void*>(static_cast<const void*>(&sink));
        call_sink_ = [](void* to, object& o) {
            (*static_cast<std::remove_reference_t<Sink>*>(to))(o);
        };
        context_.poll();
        return done_;
    }

private:
    static virtual_clock::time_point at(std::uint64_t due) {
        return virtual_clock::time_point(
            virtual_clock::duration(static_cast<virtual_clock::rep>(due)));
    }

    void fired(object& o) {
        o.pending = false;
        ++done_.fired;
        call_sink_(sink_, o);
    }

    boost::asio::io_context context_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    work done_;
    void* sink_ = nullptr;
    void (*call_sink_)(void*, object&) = nullptr;
};

}  // namespace

std::unique_ptr<contender> make_asio() { return std::make_unique<model_contender<asio_timers>>(); }

}  // namespace bench
