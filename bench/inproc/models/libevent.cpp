// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <sys/time.h>
#include <memory>
#include <new>
#include <stdexcept>

namespace bench {

namespace {

/// libevent's event inside the caller's object (event_assign). Each thread has a base of its own,
/// without locks. The operations are done 256 at a time in a callback of its loop, where it has the
/// time at hand, as it has in any server's callbacks.
class libevent {
public:
    using object = caller_object<event>;
    static constexpr std::string_view name = "libevent";

    explicit libevent(unsigned) {}

    class seat {
    public:
        explicit seat(libevent&) : base_(make_base()), operations_(nullptr, event_free) {
            operations_.reset(event_new(base_.get(), -1, EV_PERSIST, call, this));
            if (!operations_) throw std::runtime_error("event_new");
        }

        object* make(void* where, std::uint32_t id) {
            auto* const o = new (where) object(id);
            evtimer_assign(&o->timer, base_.get(), fired, o);
            return o;
        }
        void unmake(object& o) { evtimer_del(&o.timer); }

        void schedule(object& o, std::chrono::milliseconds delay) {
            const timeval timeout{delay.count() / 1000, delay.count() % 1000 * 1000};
            evtimer_add(&o.timer, &timeout);
        }
        bool replace(object& o, std::chrono::milliseconds delay) {
            const bool deleted = evtimer_del(&o.timer) == 0;
            schedule(o, delay);
            return deleted;
        }
        bool refresh(object& o, std::chrono::milliseconds delay) {
            schedule(o, delay);  // moves a pending one
            return true;
        }

        std::optional<std::chrono::steady_clock::time_point> due(const object& o) const {
            timeval wall{};
            if (evtimer_pending(&o.timer, &wall) == 0) return std::nullopt;
            return steady(wall);
        }

        template <class F>
        void turn(F&& f) {
            function_ = &f;
            call_function_ = [](void* to) { (*static_cast<std::remove_reference_t<F>*>(to))(); };
            event_active(operations_.get(), EV_TIMEOUT, 0);
            event_base_loop(base_.get(), EVLOOP_NONBLOCK);
        }
        void wait() { event_base_loop(base_.get(), EVLOOP_ONCE); }

    private:
        using base_ptr = std::unique_ptr<event_base, void (*)(event_base*)>;

        static base_ptr make_base() {
            const std::unique_ptr<event_config, void (*)(event_config*)> config(event_config_new(),
                                                                                event_config_free);
            event_config_set_flag(config.get(), EVENT_BASE_FLAG_NOLOCK);
            base_ptr base(event_base_new_with_config(config.get()), event_base_free);
            if (!base) throw std::runtime_error("event_base_new");
            return base;
        }
        // libevent tells dues by the wall clock.
        static std::chrono::steady_clock::time_point steady(const timeval& wall) {
            using clock = std::chrono::steady_clock;
            while (true) {
                const auto before = clock::now();
                timeval now{};
                gettimeofday(&now, nullptr);
                if (clock::now() - before > std::chrono::milliseconds(1)) continue;
                return before + std::chrono::seconds(wall.tv_sec - now.tv_sec) +
                       std::chrono::microseconds(wall.tv_usec - now.tv_usec);
            }
        }
        static void fired(evutil_socket_t, short, void* o) { static_cast<object*>(o)->fired(); }
        static void call(evutil_socket_t, short, void* to) {
            const auto* const self = static_cast<seat*>(to);
            self->call_function_(self->function_);
        }

        base_ptr base_;
        std::unique_ptr<event, void (*)(event*)> operations_;
        void* function_ = nullptr;
        void (*call_function_)(void*) = nullptr;
    };
};

}  // namespace

std::unique_ptr<contender> make_libevent() { return std::make_unique<model_contender<libevent>>(); }

}  // namespace bench
