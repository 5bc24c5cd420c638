// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"

#include <uv.h>
#include <memory>
#include <new>
#include <stdexcept>

namespace bench {

namespace {

struct uv_hook {
    uv_timer_t timer;
};

/// libuv's handle inside the caller's object, as it is meant to be, which is 192 bytes then. Its
/// clock cannot be set, so the loop does not run and its time stands still; the workload's clock is
/// in the time-outs. That leaves out what fires, and costs libuv nothing.
class uv_timers {
public:
    using object = caller_object<uv_hook>;
    static constexpr std::string_view name = "libuv";
    static constexpr std::size_t hook_bytes = sizeof(uv_hook);
    static constexpr std::uint64_t largest_n = a_million;

    explicit uv_timers(std::uint64_t start) : start_(start) {
        if (uv_loop_init(&loop_) != 0) throw std::runtime_error("uv_loop_init");
    }
    ~uv_timers() {
        uv_run(&loop_, UV_RUN_DEFAULT);  // it finishes closing its handles
        uv_loop_close(&loop_);
    }
    uv_timers(const uv_timers&) = delete;
    uv_timers& operator=(const uv_timers&) = delete;

    object* make(void* where, std::uint64_t id) {
        auto* const o = new (where) object{{}, id};
        uv_timer_init(&loop_, &o->timer);
        return o;
    }
    void unmake(object& o) { uv_close(reinterpret_cast<uv_handle_t*>(&o.timer), nullptr); }

    void schedule(object& o, std::uint64_t due) {
        uv_timer_start(
            &o.timer, [](uv_timer_t*) {}, due - start_, 0);
    }
    void replace(object& o, std::uint64_t due) {
        uv_timer_stop(&o.timer);
        schedule(o, due);
    }
    void push_later(object& o, std::uint64_t due) { schedule(o, due); }  // stops it first

    std::optional<std::uint64_t> due(const object& o) const {
        if (!uv_is_active(reinterpret_cast<const uv_handle_t*>(&o.timer))) return std::nullopt;
        return start_ + uv_timer_get_due_in(&o.timer);
    }
    void clear() {}

private:
    uv_loop_t loop_;
    std::uint64_t start_;
};

}  // namespace

std::unique_ptr<contender> make_libuv() { return std::make_unique<model_contender<uv_timers>>(); }

}  // namespace bench
