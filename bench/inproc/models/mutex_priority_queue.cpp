// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"
#include "mutex_model.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace bench {

/// std::priority_queue with lazy cancel, as servers have it: the entry of a cancelled timer is
/// skipped when it comes to the top. When most entries are dead, they are swept out. An entry is
/// live while its node is of the same generation and due at the same time.
template <class Node>
class lazy_heap {
public:
    using time = std::chrono::nanoseconds;
    struct hook {
        time until{};
    };

    static time due(const Node& n) { return n.until; }

    void schedule(Node& n, time due) {
        n.until = due;
        ++live_;
        heap_.push({due, &n, n.generation});
    }
    void cancel(Node& n) {
        n.until = none;
        --live_;
        if (heap_.size() - live_ > live_) sweep();
    }
    void reschedule(Node& n, time due) {
        cancel(n);
        schedule(n, due);
    }

    std::optional<time> wakeup() {
        while (!heap_.empty() && !alive(heap_.top())) heap_.pop();
        if (heap_.empty()) return std::nullopt;
        return heap_.top().due;
    }

    template <class Sink>
    void take_due(time now, std::size_t limit, Sink sink) {
        while (limit > 0 && !heap_.empty() && heap_.top().due <= now) {
            const entry first = heap_.top();
            heap_.pop();
            if (!alive(first)) continue;
            --live_;
            --limit;
            sink(*first.of);
        }
    }

private:
    struct entry {
        time due;
        Node* of;
        std::uint64_t generation;
        bool operator>(const entry& other) const { return due > other.due; }
    };
    struct open_heap : std::priority_queue<entry, std::vector<entry>, std::greater<>> {
        using std::priority_queue<entry, std::vector<entry>, std::greater<>>::c;
    };

    static constexpr time none{-1};

    static bool alive(const entry& e) {
        return e.of->generation == e.generation && e.of->until == e.due;
    }

    void sweep() {
        std::erase_if(heap_.c, [](const entry& e) { return !alive(e); });
        std::make_heap(heap_.c.begin(), heap_.c.end(), std::greater<>());
    }

    open_heap heap_;
    std::size_t live_ = 0;
};

namespace {
struct mutex_priority_queue : mutex_model<lazy_heap> {
    using mutex_model::mutex_model;
    static constexpr std::string_view name = "mutex_priority_queue";
};
}  // namespace

std::unique_ptr<contender> make_mutex_priority_queue() {
    return std::make_unique<model_contender<mutex_priority_queue>>();
}

}  // namespace bench
