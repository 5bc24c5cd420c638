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

std::size_t index(priority p) { return static_cast<std::size_t>(p); }

}  // namespace

// The threads hold it too, so that one which destroys the pool can return.
struct worker_pool::shared {
    explicit shared(worker_pool_options o) : options(std::move(o)) {}

    const worker_pool_options options;
    mutable sync::mutex mutex;
    sync::condition_variable work;
    sync::condition_variable quiet;
    std::array<std::deque<job>, priorities> queues;
    std::array<std::size_t, priorities> discardable{};
    std::array<bool, priorities> refused{};
    std::uint64_t taken = 0;
    std::size_t running = 0;
    bool stopping = false;
    static thread_local const shared* mine;  // whose worker this thread is
    std::vector<sync::thread> threads;

    // Now and then the turn of a lower class, each in its turn.
    [[nodiscard]] std::deque<job>* next_queue() {
        std::size_t first = 0;
        if (taken % others_every == others_every - 1) {
            first = 1 + taken / others_every % (priorities - 1);
        }
        if (!queues[first].empty()) return &queues[first];
        for (auto& queue : queues) {
            if (!queue.empty()) return &queue;
        }
        return nullptr;
    }

    // The next job, or nothing once the pool stops. Says whether a queue that was full has room.
    std::optional<job> take(bool& has_room) {
        std::unique_lock lock(mutex);
        std::deque<job>* queue = nullptr;
        work.wait(lock, [&] { return stopping || (queue = next_queue()) != nullptr; });
        if (stopping) return std::nullopt;
        ++taken;
        const job j = queue->front();
        queue->pop_front();
        if (j.discardable()) --discardable[index(j.urgency())];
        // Told when half of it is free, so that it pays to come.
        has_room = refused[index(j.urgency())] && queue->size() <= options.queue_limit / 2;
        if (has_room) refused[index(j.urgency())] = false;
        ++running;
        return j;
    }

    void run() {
        mine = this;
        bool has_room = false;
        while (const auto j = take(has_room)) {
            if (has_room && options.on_room) options.on_room();
            (*j)();
            const std::lock_guard held(mutex);
            --running;
            quiet.notify_all();
        }
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

bool worker_pool::try_submit(const job& j) {
    shared& s = *shared_;
    {
        const std::lock_guard lock(s.mutex);
        auto& queue = s.queues[index(j.urgency())];
        if (s.stopping) return false;
        if (queue.size() >= s.options.queue_limit) {
            s.refused[index(j.urgency())] = true;
            return false;
        }
        queue.push_back(j);
        if (j.discardable()) ++s.discardable[index(j.urgency())];
    }
    s.work.notify_one();
    return true;
}

std::optional<job> worker_pool::evict(priority urgency) {
    const std::lock_guard lock(shared_->mutex);
    auto& queue = shared_->queues[index(urgency)];
    if (shared_->discardable[index(urgency)] == 0) return std::nullopt;
    const auto at =
        std::find_if(queue.begin(), queue.end(), [](const job& j) { return j.discardable(); });
    const job j = *at;
    queue.erase(at);
    --shared_->discardable[index(urgency)];
    return j;
}

std::array<std::size_t, priorities> worker_pool::waiting() const {
    const std::lock_guard lock(shared_->mutex);
    std::array<std::size_t, priorities> lengths{};
    for (std::size_t i = 0; i < priorities; ++i) lengths[i] = shared_->queues[i].size();
    return lengths;
}

void worker_pool::stop() noexcept {
    std::array<std::deque<job>, priorities> left;
    std::vector<sync::thread> threads;
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->stopping = true;
        left.swap(shared_->queues);
        threads.swap(shared_->threads);
    }
    shared_->work.notify_all();
    for (const auto& queue : left) {
        for (const job& j : queue) j.drop();
    }
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
