// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/job_queues.hpp>
#include <foliot/service/executor.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <array>
#include <condition_variable>
#include <cstddef>
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
// Time:    try_submit O(1), one mutex and one post; evict O(1).
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
        return state_->queues.evict(urgency);
    }

    [[nodiscard]] std::array<std::size_t, priorities> waiting() const override {
        const std::lock_guard held(state_->mutex);
        return state_->queues.sizes();
    }

    void stop() noexcept override {
        const std::shared_ptr<state> s = state_;
        detail::job_queues left;
        {
            const std::lock_guard held(s->mutex);
            s->stopped = true;
            left.swap(s->queues);
        }
        left.drop_all();
        s->wait_until_quiet();
    }

private:
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
        detail::job_queues queues;
        std::size_t limit = 0;
        std::size_t running = 0;
        std::size_t stopping = 0;  // of those that run: called stop themselves
        bool stopped = false;

        static inline thread_local frame* innermost = nullptr;

        void run_one() {
            std::unique_lock held(mutex);
            const auto j = queues.take();
            if (!j) return;  // dropped or evicted meanwhile
            ++running;
            held.unlock();
            frame here{this, innermost};
            innermost = &here;
            (*j)();
            innermost = here.outer;
            held.lock();
            --running;
            if (here.stops) --stopping;
            if (stopped) quiet.notify_all();
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
        if (state_->stopped || state_->queues.size(j.urgency()) >= state_->limit) return false;
        boost::asio::post(executor_, [s = state_] { s->run_one(); });
        state_->queues.add(j);
        return true;
    }

    const boost::asio::any_io_executor executor_;
    const std::shared_ptr<state> state_;
};

}  // namespace foliot
