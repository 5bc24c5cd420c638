// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/timer_service.hpp>

#include "../model_contender.hpp"
#include "all.hpp"
#include "service_seat.hpp"

#include <new>

namespace bench {

namespace {

/// Foliot's service as it comes: a driver's thread, two workers, four shards. A caller's object has
/// the foliot::timer in it.
class service {
public:
    using object = caller_object<foliot::timer>;
    static constexpr std::string_view name = "timer_service";

    explicit service(unsigned) {}

    class seat : public service_seat {
    public:
        explicit seat(service& s) : service_seat(s.timers_) {}

        object* make(void* where, std::uint32_t id) { return new (where) object(id); }
        void unmake(object& o) {
            o.timer.cancel();
            o.~object();
        }

        void schedule(object& o, std::chrono::milliseconds delay) {
            o.timer = timers_.after(delay, [&o] { o.fired(); });
        }
        bool replace(object& o, std::chrono::milliseconds delay) {
            const bool cancelled = o.timer.cancel() == foliot::cancel_result::cancelled;
            schedule(o, delay);
            return cancelled;
        }
        bool refresh(object& o, std::chrono::milliseconds delay) {
            return o.timer.reschedule(delay) == foliot::reschedule_result::moved;
        }
    };

private:
    foliot::timer_service timers_;
};

}  // namespace

std::unique_ptr<contender> make_timer_service() {
    return std::make_unique<model_contender<service>>();
}

}  // namespace bench
