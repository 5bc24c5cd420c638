// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/worker_pool.hpp>

#include <foliot/service/detail/sync.hpp>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

namespace foliot {

namespace sync = detail::sync;

namespace {

constexpr std::uint64_t others_every = 8;

// The jobs of a class that wait, in order; those that may be dropped stand apart, so that one is found
// at once.
class class_queue {
public:
    bool refused = false;  // since it last had room

    [[nodiscard]] std::size_t size() const { return kept_.size() + discardable_.size(); }
    void add(const job& j) {
        (j.discardable() ? discardable_ : kept_).push_back({j, added_});
        ++added_;
    }
    job take() {
        const bool second = kept_.empty() || (!discardable_.empty() &&
                                              discardable_.front().number < kept_.front().number);
        return pop(second ? discardable_ : kept_);
    }
    std::optional<job> evict() {
        if (discardable_.empty()) return std::nullopt;
        return pop(discardable_);
    }
    template <class F>
    void for_each(F&& f) const {
        for (const auto* queue : {&kept_, &discardable_}) {
            for (const numbered& n : *queue) f(n.what);
        }
    }

private:
    struct numbered {
        job what;
        std::uint64_t number;
    };
    static job pop(std::deque<numbered>& queue) {
        const job j = queue.front().what;
        queue.pop_front();
        return j;
    }

    std::deque<numbered> kept_;
    std::deque<numbered> discardable_;
    std::uint64_t added_ = 0;
};

std::size_t index(priority p) { return static_cast<std::size_t>(p); }

}  // namespace

// The threads hold it too, so that one which destroys the pool can return.
struct worker_pool::shared {
    explicit shared(worker_pool_options o) : options(std::move(o)) {}

    const worker_pool_options options;
    mutable sync::mutex mutex;
    sync::condition_variable work;
    sync::condition_variable quiet;
    std::array<class_queue, priorities> queues;
    std::uint64_t taken = 0;
    std::size_t running = 0;
    std::size_t idle = 0;
    bool stopping = false;
    static thread_local const shared* mine;  // whose worker this thread is
    std::vector<sync::thread> threads;

    // Now and then the turn of a lower class, each in its turn.
    [[nodiscard]] class_queue* next_queue() {
        std::size_t first = 0;
        if (taken % others_every == others_every - 1) {
            first = 1 + taken / others_every % (priorities - 1);
        }
        if (queues[first].size() > 0) return &queues[first];
        for (auto& queue : queues) {
            if (queue.size() > 0) return &queue;
        }
        return nullptr;
    }

    // The next job, or nothing once the pool stops. Says whether a queue that was full has room.
    std::optional<job> take(std::unique_lock<sync::mutex>& lock, bool& has_room) {
        class_queue* queue = nullptr;
        ++idle;
        work.wait(lock, [&] { return stopping || (queue = next_queue()) != nullptr; });
        --idle;
        if (stopping) return std::nullopt;
        ++taken;
        const job j = queue->take();
        // Told when half of it is free, so that it pays to come.
        has_room = queue->refused && queue->size() <= options.queue_limit / 2;
        if (has_room) queue->refused = false;
        return j;
    }

    void run() {
        mine = this;
        std::unique_lock lock(mutex);
        bool has_room = false;
        while (const auto j = take(lock, has_room)) {
            ++running;
            lock.unlock();
            if (has_room && options.on_room) options.on_room();
            (*j)();
            lock.lock();
            --running;
            if (stopping) quiet.notify_all();
        }
    }

    // Under the lock.
    [[nodiscard]] bool add(const job& j) {
        class_queue& queue = queues[index(j.urgency())];
        if (stopping) return false;
        if (queue.size() >= options.queue_limit) {
            queue.refused = true;
            return false;
        }
        queue.add(j);
        return true;
    }
};

thread_local const worker_pool::shared* worker_pool::shared::mine = nullptr;

worker_pool::worker_pool(worker_pool_options options) {
    if (options.workers < 1) throw std::invalid_argument("worker_pool_options.workers is 0");
    if (options.queue_limit < 1)
        throw std::invalid_argument("worker_pool_options.queue_limit is 0");
    shared_ = std::make_shared<shared>(std::move(options));
    try {
        for (std::size_t i = 0; i < shared_->options.workers; ++i) {
            shared_->threads.emplace_back([s = shared_] { s->run(); });
        }
    } catch (...) {
        stop();
        throw;
    }
}

worker_pool::~worker_pool() { stop(); }

bool worker_pool::try_submit(const job& j) { return try_submit_some({&j, 1}) == 1; }

std::size_t worker_pool::try_submit_some(std::span<const job> jobs) {
    shared& s = *shared_;
    std::size_t added = 0;
    std::size_t to_wake = 0;
    {
        const std::lock_guard lock(s.mutex);
        try {
            while (added < jobs.size() && s.add(jobs[added])) ++added;
        } catch (...) {  // no memory for more
            if (added == 0) throw;
        }
        to_wake = std::min(s.idle, added);
    }
    for (std::size_t i = 0; i < to_wake; ++i) s.work.notify_one();
    return added;
}

std::optional<job> worker_pool::evict(priority urgency) {
    const std::lock_guard lock(shared_->mutex);
    return shared_->queues[index(urgency)].evict();
}

std::array<std::size_t, priorities> worker_pool::waiting() const {
    const std::lock_guard lock(shared_->mutex);
    std::array<std::size_t, priorities> lengths{};
    for (std::size_t i = 0; i < priorities; ++i) lengths[i] = shared_->queues[i].size();
    return lengths;
}

void worker_pool::stop() noexcept {
    std::array<class_queue, priorities> left;
    std::vector<sync::thread> threads;
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->stopping = true;
        std::swap(left, shared_->queues);
        threads.swap(shared_->threads);
    }
    shared_->work.notify_all();
    for (const auto& queue : left) queue.for_each([](const job& j) { j.drop(); });
    const bool inside = shared::mine == shared_.get();
    for (sync::thread& thread : threads) {
        if (thread.get_id() == sync::this_thread::get_id()) {
            thread.detach();
        } else {
            thread.join();
        }
    }
    if (inside) return;
    // One that stopped the pool itself is not among them.
    std::unique_lock held(shared_->mutex);
    shared_->quiet.wait(held, [&] { return shared_->running == 0; });
}

}  // namespace foliot
