// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace bench {

// What many programs have: one mutex around a queue, and a thread that waits for the first due and
// runs the callbacks. Any thread may call it. A cancel is exact: true means that the callback will
// never run, and it is destroyed before cancel returns, without the lock. Nodes are used again, and
// an id has a generation.
//
// Store is the queue: each node is a hook of its kind, and it has
//
//     void schedule(node&, time due);  void cancel(node&);  void reschedule(node&, time due);
//     static time due(const node&);
//     std::optional<time> wakeup();                      when to look again
//     void take_due(time now, std::size_t limit, sink);  sink(node&) for those due, taken out
template <template <class Node> class Store>
class mutex_timers {
public:
    using time = std::chrono::nanoseconds;  // of the steady clock
    using callback = std::function<void()>;

    struct node;
    using store = Store<node>;
    struct alignas(64) node : store::hook {
        std::uint64_t generation = 1;
        callback call;
    };
    struct id {
        node* of = nullptr;
        std::uint64_t generation = 0;
    };

    mutex_timers() : thread_([this] { dispatch(); }) {}
    mutex_timers(const mutex_timers&) = delete;
    mutex_timers& operator=(const mutex_timers&) = delete;
    ~mutex_timers() {
        {
            const std::lock_guard held(mutex_);
            stop_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

    id after(time delay, callback call) {
        const time due = now() + delay;
        std::unique_lock held(mutex_);
        node& n = take_node();
        n.call = std::move(call);
        store_.schedule(n, due);
        const id result{&n, n.generation};
        tell(due, held);
        return result;
    }

    /// False: it has begun to run, has run, or was cancelled.
    bool cancel(const id& i) {
        callback dead;
        const std::lock_guard held(mutex_);
        if (!is_pending(i)) return false;
        store_.cancel(*i.of);
        free_node(*i.of, dead);
        return true;
    }

    bool reschedule(const id& i, time delay) {
        const time due = now() + delay;
        std::unique_lock held(mutex_);
        if (!is_pending(i)) return false;
        store_.reschedule(*i.of, due);
        tell(due, held);
        return true;
    }

    std::optional<time> due(const id& i) {
        const std::lock_guard held(mutex_);
        if (!is_pending(i)) return std::nullopt;
        return store::due(*i.of);
    }

private:
    static constexpr std::size_t batch = 256;

    static time now() { return std::chrono::steady_clock::now().time_since_epoch(); }
    static bool is_pending(const id& i) {
        return i.of != nullptr && i.of->generation == i.generation;
    }

    node& take_node() {
        if (unused_.empty()) return nodes_.emplace_back();
        node& n = *unused_.back();
        unused_.pop_back();
        return n;
    }

    // The callback goes into `call`, which is empty.
    void free_node(node& n, callback& call) {
        call.swap(n.call);
        ++n.generation;
        unused_.push_back(&n);
    }

    void tell(time due, std::unique_lock<std::mutex>& held) {
        if (due >= sleeps_until_) return;
        sleeps_until_ = due;
        held.unlock();
        changed_.notify_one();
    }

    void dispatch() {
        std::vector<callback> due;
        std::unique_lock held(mutex_);
        while (!stop_) {
            store_.take_due(now(), batch, [&](node& n) { free_node(n, due.emplace_back()); });
            if (!due.empty()) {
                held.unlock();
                for (callback& call : due) call();
                due.clear();
                held.lock();
                continue;
            }
            const auto wakeup = store_.wakeup();
            sleeps_until_ = wakeup.value_or(time::max());
            if (wakeup) {
                changed_.wait_until(held, std::chrono::steady_clock::time_point(*wakeup));
            } else {
                changed_.wait(held);
            }
            sleeps_until_ = time::min();  // it looks at all of them before it sleeps again
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<node> nodes_;
    std::vector<node*> unused_;
    store store_;
    time sleeps_until_ = time::min();
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace bench
