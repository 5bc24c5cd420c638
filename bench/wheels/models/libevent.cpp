// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <memory>
#include <new>
#include <stdexcept>

namespace bench {

namespace {

struct event_hook {
    event timer;
};

/// libevent's event inside the caller's object (event_assign), which is 192 bytes then. Its clock
/// cannot be set. So a turn is one callback of its loop, where it has the time at hand as it has in
/// any server's callbacks, and time stands still; the workload's clock is in the time-outs.
class event_timers {
public:
    using object = caller_object<event_hook>;
    static constexpr std::string_view name = "libevent";
    static constexpr std::size_t hook_bytes = sizeof(event_hook);
    static constexpr std::uint64_t largest_n = a_million;

    /// Calls f in a callback of a fresh loop.
    template <class F>
    static void inside(F&& f) {
        const std::unique_ptr<event_config, void (*)(event_config*)> config(event_config_new(),
                                                                            event_config_free);
        event_config_set_flag(config.get(), EVENT_BASE_FLAG_NOLOCK);
        const std::unique_ptr<event_base, void (*)(event_base*)> base(
            event_base_new_with_config(config.get()), event_base_free);
        if (!base) throw std::runtime_error("event_base_new");
        base_ = base.get();
        const auto call = [](evutil_socket_t, short, void* to) {
            (*static_cast<std::remove_reference_t<F>*>(to))();
            event_base_loopbreak(base_);
        };
        event_base_once(base_, -1, EV_TIMEOUT, call, &f, nullptr);
        event_base_loop(base_, EVLOOP_ONCE);
    }

    explicit event_timers(std::uint64_t start) : start_(start) {
        event mark;
        evtimer_assign(&mark, base_, nothing, nullptr);
        const timeval at_once{0, 0};
        evtimer_add(&mark, &at_once);
        zero_us_ = microseconds(mark.ev_timeout);
        evtimer_del(&mark);
    }

    object* make(void* where, std::uint64_t id) {
        auto* const o = new (where) object{{}, id};
        evtimer_assign(&o->timer, base_, nothing, nullptr);
        return o;
    }
    void unmake(object& o) { evtimer_del(&o.timer); }

    void schedule(object& o, std::uint64_t due) {
        const auto delay = static_cast<long>(due - start_);
        const timeval timeout{delay / 1000, delay % 1000 * 1000};
        evtimer_add(&o.timer, &timeout);
    }
    void replace(object& o, std::uint64_t due) {
        evtimer_del(&o.timer);
        schedule(o, due);
    }
    void push_later(object& o, std::uint64_t due) { schedule(o, due); }  // moves a pending one

    std::optional<std::uint64_t> due(const object& o) const {
        if (evtimer_pending(&o.timer, nullptr) == 0) return std::nullopt;
        return start_ + (microseconds(o.timer.ev_timeout) - zero_us_) / 1000;
    }
    void clear() {}

private:
    static void nothing(evutil_socket_t, short, void*) {}
    static std::uint64_t microseconds(const timeval& t) {
        return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000 +
               static_cast<std::uint64_t>(t.tv_usec);
    }

    static inline event_base* base_ = nullptr;
    std::uint64_t start_;
    std::uint64_t zero_us_ = 0;
};

}  // namespace

std::unique_ptr<contender> make_libevent() {
    return std::make_unique<model_contender<event_timers>>();
}

}  // namespace bench
