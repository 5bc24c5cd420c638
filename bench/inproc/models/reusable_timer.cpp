// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/reusable_timer.hpp>
#include <foliot/service/timer_service.hpp>

#include "../model_contender.hpp"
#include "all.hpp"
#include "service_seat.hpp"

#include <new>

namespace bench {

namespace {

/// The service as it comes; a caller's object has the timer itself in it, with its callback, as
/// those of Asio, libuv and libevent have.
class reusable {
public:
    using object = caller_object<foliot::reusable_timer>;
    static constexpr std::string_view name = "reusable_timer";

    explicit reusable(unsigned) {}

    class seat : public service_seat {
    public:
        explicit seat(reusable& s) : service_seat(s.timers_) {}

        object* make(void* where, std::uint32_t id) {
            return new (where)
                object(id, timers_, [o = static_cast<object*>(where)] { o->fired(); });
        }
        void unmake(object& o) { o.~object(); }

        void schedule(object& o, std::chrono::milliseconds delay) { o.timer.after(delay); }
        bool replace(object& o, std::chrono::milliseconds delay) {
            const bool cancelled = o.timer.cancel() == foliot::cancel_result::cancelled;
            o.timer.after(delay);
            return cancelled;
        }
        bool refresh(object& o, std::chrono::milliseconds delay) {
            o.timer.after(delay);
            return true;
        }
    };

private:
    foliot::timer_service timers_;
};

}  // namespace

std::unique_ptr<contender> make_reusable_timer() {
    return std::make_unique<model_contender<reusable>>();
}

}  // namespace bench
