// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/executor.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace foliot {

// Runs the callbacks of a timer_service where an Asio executor does: on the threads that run an
// io_context, in a thread_pool, on a strand.
//
//     boost::asio::io_context io;
//     foliot::service_options options;
//     options.executor = std::make_shared<foliot::asio_executor>(io.get_executor());
//     foliot::timer_service timers(options);
//     timers.after(5s, [&] { socket.close(); });  // on the thread that runs io
//
// Each job that is due is one handler that is posted; it takes the most urgent job that waits. The
// context returns from run() when it has nothing to do, also while timers are pending: to keep it
// there hold a work guard, or hand over an executor that is required to be
// outstanding_work.tracked.
//
// Pick it for programs that use a timer_service and Asio. For timers of an Asio program alone take
// asio_timer.hpp: no driver thread stands between the wheel and the context.
//
// Time:    try_submit O(1), one mutex and one post; evict O(jobs of the class).
// Threads: any thread may call everything. The context must be there until the service has stopped.
// Memory:  40 bytes for each job that waits, and a handler in the context.
// Errors:  std::invalid_argument if the limit is 0; what posting throws, and then nothing is taken.
// Order:   as worker_pool: by urgency, but every eighth job is one of a lower class.
class asio_executor final : public executor {
public:
    static constexpr std::size_t default_limit = 16'384;

    /// `limit` jobs of each class may wait.
    explicit asio_executor(boost::asio::any_io_executor ex, std::size_t limit = default_limit)
        : executor_(std::move(ex)), state_(std::make_shared<state>()) {
        if (limit == 0) throw std::invalid_argument("asio_executor: the limit is 0");
        state_->limit = limit;
    }
    /// Stops.
    ~asio_executor() override { stop(); }

    [[nodiscard]] bool try_submit(const job& j) override { return try_submit_some({&j, 1}) == 1; }

    [[nodiscard]] std::size_t try_submit_some(std::span<const job> jobs) override {
        std::size_t taken = 0;
        const std::lock_guard held(state_->mutex);
        try {
            while (taken < jobs.size() && add(jobs[taken])) ++taken;
        } catch (...) {
            if (taken == 0) throw;
        }
        return taken;
    }

    [[nodiscard]] std::optional<job> evict(priority urgency) override {
        const std::lock_guard held(state_->mutex);
        std::deque<job>& queue = state_->queues[index(urgency)];
        const auto found =
            std::find_if(queue.begin(), queue.end(), [](const job& j) { return j.discardable(); });
        if (found == queue.end()) return std::nullopt;
        const job evicted = *found;
        queue.erase(found);
        return evicted;
    }

    [[nodiscard]] std::array<std::size_t, priorities> waiting() const override {
        const std::lock_guard held(state_->mutex);
        std::array<std::size_t, priorities> lengths{};
        for (std::size_t i = 0; i < priorities; ++i) lengths[i] = state_->queues[i].size();
        return lengths;
    }

    void stop() noexcept override {
        const std::shared_ptr<state> s = state_;
        std::array<std::deque<job>, priorities> left;
        {
            const std::lock_guard held(s->mutex);
            s->stopped = true;
            std::swap(left, s->queues);
        }
        for (const auto& queue : left) {
            for (const job& j : queue) j.drop();
        }
        s->wait_until_quiet();
    }

private:
    static std::size_t index(priority p) noexcept { return static_cast<std::size_t>(p); }

    // A job that runs on this thread; they nest when a job runs the context.
    struct state;
    struct frame {
        const state* of;
        frame* outer;
        bool stops = false;
    };

    // The posted handlers hold it too: they may outlive the executor.
    struct state {
        std::mutex mutex;
        std::condition_variable quiet;
        std::array<std::deque<job>, priorities> queues;
        std::size_t limit = 0;
        std::uint64_t taken = 0;
        std::size_t running = 0;
        std::size_t stopping = 0;  // of those that run: called stop themselves
        bool stopped = false;

        static inline thread_local frame* innermost = nullptr;

        void run_one() {
            std::unique_lock held(mutex);
            std::deque<job>* const queue = next_queue();
            if (queue == nullptr) return;  // dropped or evicted meanwhile
            const job j = queue->front();
            queue->pop_front();
            ++taken;
            ++running;
            held.unlock();
            frame here{this, innermost};
            innermost = &here;
            j();
            innermost = here.outer;
            held.lock();
            --running;
            if (here.stops) --stopping;
            if (stopped) quiet.notify_all();
        }

        // Now and then the turn of a lower class, each in its turn.
        [[nodiscard]] std::deque<job>* next_queue() noexcept {
            std::size_t first = 0;
            if (taken % 8 == 7) first = 1 + taken / 8 % (priorities - 1);
            if (!queues[first].empty()) return &queues[first];
            for (auto& queue : queues) {
                if (!queue.empty()) return &queue;
            }
            return nullptr;
        }

        void wait_until_quiet() {
            std::unique_lock held(mutex);
            bool inside = false;
            for (frame* f = innermost; f != nullptr; f = f->outer) {
                if (f->of != this) continue;
                inside = true;
                if (!std::exchange(f->stops, true)) ++stopping;
            }
            if (inside) quiet.notify_all();
            quiet.wait(held, [&] { return running == (inside ? stopping : 0); });
        }
    };

    // Under the lock, so that the handler finds its job.
    bool add(const job& j) {
        std::deque<job>& queue = state_->queues[index(j.urgency())];
        if (state_->stopped || queue.size() >= state_->limit) return false;
        boost::asio::post(executor_, [s = state_] { s->run_one(); });
        queue.push_back(j);
        return true;
    }

    const boost::asio::any_io_executor executor_;
    const std::shared_ptr<state> state_;
};

}  // namespace foliot
