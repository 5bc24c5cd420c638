// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../model.hpp"

#include <foliot/wheel/timer_queue.hpp>

#include <limits>
#include <memory>
#include <new>

namespace bench {

/// Any of Foliot's queues as a model: a name and a type are all there is to say.
template <foliot::timer_queue Queue>
class foliot_model {
public:
    using object = caller_object<foliot::timer_hook>;
    static constexpr std::size_t hook_bytes = sizeof(foliot::timer_hook);
    static constexpr std::uint64_t largest_n = no_limit;

    explicit foliot_model(std::uint64_t start)
        : queue_(std::make_unique<Queue>(foliot::tick{start})) {}

    object* make(void* where, std::uint64_t id) { return new (where) object{{}, id}; }
    void unmake(object& o) { std::destroy_at(&o); }

    void schedule(object& o, std::uint64_t due) { queue_->schedule(o, foliot::tick{due}); }
    void replace(object& o, std::uint64_t due) {
        queue_->cancel(o);
        queue_->schedule(o, foliot::tick{due});
    }
    void push_later(object& o, std::uint64_t due) { queue_->reschedule(o, foliot::tick{due}); }

    std::optional<std::uint64_t> due(const object& o) const {
        if (!o.armed()) return std::nullopt;
        return o.due().count;
    }
    void clear() { queue_->clear(); }

    template <class Sink>
    work advance(std::uint64_t now, Sink&& sink) {
        const auto on_due = [&](foliot::timer_hook& h) { sink(static_cast<object&>(h)); };
        work done;
        bool drained = false;
        while (!drained) {
            const foliot::advance_result result = queue_->advance(foliot::tick{now}, all, on_due);
            done.fired += result.fired;
            done.moved += result.moved;
            drained = result.drained;
        }
        return done;
    }

    std::optional<std::uint64_t> next_wakeup() const {
        const auto wakeup = queue_->next_wakeup();
        if (!wakeup) return std::nullopt;
        return wakeup->count;
    }

private:
    static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    std::unique_ptr<Queue> queue_;
};

}  // namespace bench
