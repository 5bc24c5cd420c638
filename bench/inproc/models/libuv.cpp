// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"

#include <uv.h>
#include <new>
#include <stdexcept>

namespace bench {

namespace {

/// libuv's handle inside the caller's object, as it is meant to be. Each thread has a loop of its
/// own, which runs once every 256 operations; timers count from the loop's own time, which is read
/// then.
class libuv {
public:
    using object = caller_object<uv_timer_t>;
    static constexpr std::string_view name = "libuv";

    explicit libuv(unsigned) {}

    class seat {
    public:
        explicit seat(libuv&) {
            if (uv_loop_init(&loop_) != 0) throw std::runtime_error("uv_loop_init");
        }
        ~seat() {
            uv_run(&loop_, UV_RUN_DEFAULT);  // it finishes closing its handles
            uv_loop_close(&loop_);
        }
        seat(const seat&) = delete;
        seat& operator=(const seat&) = delete;

        object* make(void* where, std::uint32_t id) {
            auto* const o = new (where) object(id);
            uv_timer_init(&loop_, &o->timer);
            o->timer.data = o;
            return o;
        }
        void unmake(object& o) { uv_close(handle(o), nullptr); }

        void schedule(object& o, std::chrono::milliseconds delay) {
            uv_timer_start(&o.timer, fired, static_cast<std::uint64_t>(delay.count()), 0);
        }
        bool replace(object& o, std::chrono::milliseconds delay) {
            const bool stopped = uv_timer_stop(&o.timer) == 0;
            schedule(o, delay);
            return stopped;
        }
        bool refresh(object& o, std::chrono::milliseconds delay) {
            schedule(o, delay);  // stops it first
            return true;
        }

        std::optional<std::chrono::steady_clock::time_point> due(object& o) const {
            if (uv_is_active(handle(o)) == 0) return std::nullopt;
            return std::chrono::steady_clock::time_point(
                std::chrono::milliseconds(uv_now(&loop_) + uv_timer_get_due_in(&o.timer)));
        }

        template <class F>
        void turn(F&& f) {
            f();
            uv_run(&loop_, UV_RUN_NOWAIT);
        }
        void wait() { uv_run(&loop_, UV_RUN_ONCE); }

    private:
        static uv_handle_t* handle(object& o) { return reinterpret_cast<uv_handle_t*>(&o.timer); }
        static void fired(uv_timer_t* timer) { static_cast<object*>(timer->data)->fired(); }

        uv_loop_t loop_;
    };
};

}  // namespace

std::unique_ptr<contender> make_libuv() { return std::make_unique<model_contender<libuv>>(); }

}  // namespace bench
