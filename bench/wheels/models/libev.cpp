// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"

#include <ev.h>
#include <cmath>
#include <memory>
#include <new>
#include <stdexcept>

namespace bench {

namespace {

struct ev_hook {
    ev_timer timer;
};

/// libev's watcher inside the caller's object: 64 bytes. Its clock cannot be set, so the loop does
/// not run and its time stands still; the workload's clock is in the time-outs.
class ev_timers {
public:
    using object = caller_object<ev_hook>;
    static constexpr std::string_view name = "libev";
    static constexpr std::size_t hook_bytes = sizeof(ev_hook);
    static constexpr std::uint64_t largest_n = a_million;

    explicit ev_timers(std::uint64_t start)
        : loop_(ev_loop_new(EVFLAG_AUTO | EVFLAG_NOENV), ev_loop_destroy), start_(start) {
        if (!loop_) throw std::runtime_error("ev_loop_new");
    }

    object* make(void* where, std::uint64_t id) {
        auto* const o = new (where) object{{}, id};
        ev_timer* const timer = &o->timer;
        ev_timer_init(timer, nothing, 0., 0.);
        return o;
    }
    void unmake(object& o) { ev_timer_stop(loop_.get(), &o.timer); }

    void schedule(object& o, std::uint64_t due) {
        ev_timer* const timer = &o.timer;
        ev_timer_set(timer, seconds(due), 0.);
        ev_timer_start(loop_.get(), timer);
    }
    void replace(object& o, std::uint64_t due) {
        ev_timer_stop(loop_.get(), &o.timer);
        schedule(o, due);
    }
    void push_later(object& o, std::uint64_t due) {
        o.timer.repeat = seconds(due);
        ev_timer_again(loop_.get(), &o.timer);
    }

    std::optional<std::uint64_t> due(object& o) const {
        ev_timer* const timer = &o.timer;
        if (!ev_is_active(timer)) return std::nullopt;
        return start_ + static_cast<std::uint64_t>(
                            std::llround(ev_timer_remaining(loop_.get(), timer) * 1000));
    }
    void clear() {}

private:
    static void nothing(struct ev_loop*, ev_timer*, int) {}
    double seconds(std::uint64_t due) const { return static_cast<double>(due - start_) / 1000; }

    std::unique_ptr<struct ev_loop, void (*)(struct ev_loop*)> loop_;
    std::uint64_t start_;
};

}  // namespace

std::unique_ptr<contender> make_libev() { return std::make_unique<model_contender<ev_timers>>(); }

}  // namespace bench
