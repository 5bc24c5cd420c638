// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/worker_pool.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace foliot {

namespace {

constexpr std::uint64_t lowest_first_every = 8;

std::size_t index(priority p) { return static_cast<std::size_t>(p); }

}  // namespace

// The threads hold it too, so that one which destroys the pool can return.
struct worker_pool::shared {
    explicit shared(worker_pool_options o) : options(std::move(o)) {}

    const worker_pool_options options;
    mutable std::mutex mutex;
    std::condition_variable work;
    std::condition_variable quiet;
    std::array<std::deque<job>, priorities> queues;
    std::array<std::size_t, priorities> discardable{};
    std::array<bool, priorities> refused{};
    std::uint64_t taken = 0;
    bool stopping = false;
    std::vector<std::thread> threads;

    [[nodiscard]] std::deque<job>* next_queue() {
        const bool lowest_first = taken % lowest_first_every == lowest_first_every - 1;
        for (std::size_t i = 0; i < priorities; ++i) {
            auto& queue = queues[lowest_first ? priorities - 1 - i : i];
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
        has_room = std::exchange(refused[index(j.urgency())], false);
        return j;
    }

    void run() {
        bool has_room = false;
        while (const auto j = take(has_room)) {
            if (has_room && options.on_room) options.on_room();
            (*j)();
        }
    }
};

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
    for (std::size_t i = priorities; i-- > index(urgency);) {
        auto& queue = shared_->queues[i];
        if (shared_->discardable[i] == 0) continue;
        for (auto at = queue.begin(); at != queue.end(); ++at) {
            if (!at->discardable()) continue;
            const job j = *at;
            queue.erase(at);
            --shared_->discardable[i];
            return j;
        }
    }
    return std::nullopt;
}

std::array<std::size_t, priorities> worker_pool::waiting() const {
    const std::lock_guard lock(shared_->mutex);
    std::array<std::size_t, priorities> lengths{};
    for (std::size_t i = 0; i < priorities; ++i) lengths[i] = shared_->queues[i].size();
    return lengths;
}

void worker_pool::stop() noexcept {
    std::array<std::deque<job>, priorities> left;
    std::vector<std::thread> threads;
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
    for (std::thread& thread : threads) {
        if (thread.get_id() == std::this_thread::get_id()) {
            thread.detach();
        } else {
            thread.join();
        }
    }
}

}  // namespace foliot
