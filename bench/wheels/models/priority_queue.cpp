// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <queue>
#include <vector>

namespace bench {

namespace {

struct heap_hook {
    std::uint64_t due = 0;
    bool pending = false;
};

/// std::priority_queue with lazy cancel, as servers have it: a cancel marks the object, and its
/// entry is skipped when it comes to the top. When most entries are dead, they are swept out. An
/// entry is live if its object is pending until the entry's own due.
class lazy_heap {
public:
    using object = caller_object<heap_hook>;
    static constexpr std::string_view name = "priority_queue";
    static constexpr std::size_t hook_bytes = sizeof(heap_hook);
    static constexpr std::uint64_t largest_n = no_limit;

    explicit lazy_heap(std::uint64_t) {}

    object* make(void* where, std::uint64_t id) { return new (where) object{{}, id}; }
    void unmake(object&) {}

    void schedule(object& o, std::uint64_t due) {
        o.due = due;
        o.pending = true;
        ++live_;
        heap_.push({due, &o});
    }
    void cancel(object& o) {
        o.pending = false;
        --live_;
        if (heap_.size() - live_ > live_) sweep();
    }
    void replace(object& o, std::uint64_t due) {
        cancel(o);
        schedule(o, due);
    }
    void push_later(object& o, std::uint64_t due) { replace(o, due); }

    std::optional<std::uint64_t> due(const object& o) const {
        if (!o.pending) return std::nullopt;
        return o.due;
    }
    void clear() {
        heap_.c.clear();
        live_ = 0;
    }

    template <class Sink>
    work advance(std::uint64_t now, Sink&& sink) {
        work done;
        while (!heap_.empty() && heap_.top().due <= now) {
            const entry first = heap_.top();
            heap_.pop();
            if (!alive(first)) continue;
            first.of->pending = false;
            --live_;
            ++done.fired;
            sink(*first.of);
        }
        return done;
    }

    std::optional<std::uint64_t> next_wakeup() {
        while (!heap_.empty() && !alive(heap_.top())) heap_.pop();
        if (heap_.empty()) return std::nullopt;
        return heap_.top().due;
    }

private:
    struct entry {
        std::uint64_t due;
        object* of;
        bool operator>(const entry& other) const { return due > other.due; }
    };
    struct open_heap : std::priority_queue<entry, std::vector<entry>, std::greater<>> {
        using priority_queue::c;
    };

    static bool alive(const entry& e) { return e.of->pending && e.of->due == e.due; }

    void sweep() {
        std::erase_if(heap_.c, [](const entry& e) { return !alive(e); });
        std::make_heap(heap_.c.begin(), heap_.c.end(), std::greater<>());
    }

    open_heap heap_;
    std::size_t live_ = 0;
};

}  // namespace

std::unique_ptr<contender> make_priority_queue() {
    return std::make_unique<model_contender<lazy_heap>>();
}

}  // namespace bench
