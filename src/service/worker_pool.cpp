// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/worker_pool.hpp>

#include <foliot/service/detail/job_queues.hpp>
#include <foliot/service/detail/sync.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace foliot {

namespace sync = detail::sync;

namespace {

std::size_t index(priority p) { return static_cast<std::size_t>(p); }

}  // namespace

// The threads hold it too, so that one which destroys the pool can return.
struct worker_pool::shared {
    explicit shared(worker_pool_options o) : options(std::move(o)) {}

    const worker_pool_options options;
    mutable sync::mutex mutex;
    sync::condition_variable work;
    sync::condition_variable quiet;
    detail::job_queues queues;
    std::array<bool, priorities> refused{};  // since the class last had room
    std::size_t running = 0;
    std::size_t idle = 0;
    bool stopping = false;
    static thread_local const shared* mine;  // whose worker this thread is
    std::vector<sync::thread> threads;

    // The next job, or nothing once the pool stops. Says whether a queue that was full has room.
    std::optional<job> take(std::unique_lock<sync::mutex>& lock, bool& has_room) {
        ++idle;
        work.wait(lock, [&] { return stopping || !queues.empty(); });
        --idle;
        if (stopping) return std::nullopt;
        const auto j = queues.take();
        const priority urgency = j->urgency();
        // Told when half of it is free, so that it pays to come.
        has_room = refused[index(urgency)] && queues.size(urgency) <= options.queue_limit / 2;
        if (has_room) refused[index(urgency)] = false;
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
        if (stopping) return false;
        if (queues.size(j.urgency()) >= options.queue_limit) {
            refused[index(j.urgency())] = true;
            return false;
        }
        queues.add(j);
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
    return shared_->queues.evict(urgency);
}

std::array<std::size_t, priorities> worker_pool::waiting() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->queues.sizes();
}

void worker_pool::stop() noexcept {
    detail::job_queues left;
    std::vector<sync::thread> threads;
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->stopping = true;
        left.swap(shared_->queues);
        threads.swap(shared_->threads);
    }
    shared_->work.notify_all();
    left.drop_all();
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
