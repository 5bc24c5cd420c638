// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../model.hpp"
#include "mutex_timers.hpp"
#include "threaded_seat.hpp"

#include <new>

namespace bench {

/// A queue with a mutex as a model: a caller's object has the id in it.
template <template <class Node> class Store>
class mutex_model {
public:
    using timers = mutex_timers<Store>;
    using object = caller_object<typename timers::id>;

    explicit mutex_model(unsigned) {}

    class seat : public threaded_seat {
    public:
        explicit seat(mutex_model& m) : timers_(m.timers_) {}

        object* make(void* where, std::uint32_t id) { return new (where) object(id); }
        void unmake(object& o) {
            timers_.cancel(o.timer);
            o.~object();
        }

        void schedule(object& o, std::chrono::milliseconds delay) {
            o.timer = timers_.after(delay, [&o] { o.fired(); });
        }
        bool replace(object& o, std::chrono::milliseconds delay) {
            const bool cancelled = timers_.cancel(o.timer);
            schedule(o, delay);
            return cancelled;
        }
        bool refresh(object& o, std::chrono::milliseconds delay) {
            return timers_.reschedule(o.timer, delay);
        }
        std::optional<std::chrono::steady_clock::time_point> due(const object& o) const {
            const auto due = timers_.due(o.timer);
            if (!due) return std::nullopt;
            return std::chrono::steady_clock::time_point(*due);
        }

    private:
        timers& timers_;
    };

private:
    timers timers_;
};

}  // namespace bench
