// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.hpp"
#include "server/histogram.hpp"
#include "server/log.hpp"
#include "store/due_store.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace foliot::server {

/// Carries out the engine's store requests on two threads: one for commits and acquires, in the
/// order given; one for loads and look-ups, so that a slow load delays no commit.
///
/// Threads: `run`, `health` and the histogram from any; `start` and `stop` from one.
/// Memory:  the engine bounds what is outstanding (one commit, a few loads).
/// Errors:  a store's error is its request's result; an exception becomes `unavailable`.
class store_workers {
public:
    using completion = std::function<void(engine::io_done)>;

    /// `done` is called on a worker thread, once for each request.
    store_workers(store::due_store& store, completion done, logger& log);
    ~store_workers();

    void start();
    void run(engine::io request);

    /// Finish what is queued, give the shard up, join. Waits for a store that hangs.
    void stop();

    struct health_report {
        bool failing = false;                      ///< the last commit or acquire failed
        std::chrono::nanoseconds longest_call{0};  ///< of the calls running now
        std::string last_error;
        std::string read_error;  ///< of a read that failed within the last seconds
    };
    [[nodiscard]] health_report health() const;
    [[nodiscard]] const duration_histogram& commit_latency() const { return commit_latency_; }

private:
    class worker {
    public:
        void start(std::function<void(engine::io)> carry_out);
        void push(engine::io request);
        void finish();
        [[nodiscard]] std::chrono::nanoseconds busy_for(std::chrono::nanoseconds now) const;

    private:
        void work(const std::function<void(engine::io)>& carry_out);

        std::mutex mutex_;
        std::condition_variable changed_;
        std::deque<engine::io> queue_;                // guarded by mutex_
        bool finishing_ = false;                      // guarded by mutex_
        std::atomic<std::int64_t> busy_since_ns_{0};  // 0: idle
        std::thread thread_;
    };

    void carry_out(engine::io request);
    engine::store_reply call(engine::store_request& request);
    engine::store_reply guarded_call(engine::store_request& request);
    void note(const engine::store_request& request, const engine::store_reply& reply);
    void release();

    store::due_store& store_;
    const completion done_;
    logger& log_;
    worker committer_;
    worker loader_;
    duration_histogram commit_latency_;
    std::optional<store::epoch> held_;  // committer thread; stop() after it was joined

    mutable std::mutex health_mutex_;
    bool failing_ = false;                      // guarded by health_mutex_
    std::string last_error_;                    // guarded by health_mutex_
    std::chrono::nanoseconds last_logged_{-1};  // guarded by health_mutex_
    std::uint64_t unlogged_errors_ = 0;         // guarded by health_mutex_
    std::string read_error_;                    // guarded by health_mutex_
    std::chrono::nanoseconds read_failed_{-1};  // guarded by health_mutex_
};

}  // namespace foliot::server
