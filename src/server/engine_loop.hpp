// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.hpp"
#include "server/readiness.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace foliot::server {

/// Commands that were handed in together, and where their answers go. `finished` is called once, on
/// the loop's thread, when all are there (in the order of the commands); it must be quick and must
/// not throw. After `abandon` it may never be called.
class open_call {
public:
    using completion = std::function<void(std::vector<engine::reply>)>;
    explicit open_call(completion finished) : finished_(std::move(finished)) {}

private:
    friend class engine_loop;
    completion finished_;
    engine::request_id first_ = 0;        // guarded by the loop's mutex until it is drained
    std::vector<engine::reply> replies_;  // loop thread
    std::size_t missing_ = 0;             // loop thread
};

/// The thread that owns the engine. It sleeps until there is input or the engine wants to be woken,
/// takes all input there is, *then* reads the clocks, makes one step, and hands out the results.
///
/// Threads: every public function from any thread, but start and join from one.
/// Memory:  the inbox holds what connections and workers hand in; their number bounds it.
/// Errors:  none; an engine that throws (no memory) ends the process, which recovers at its start.
/// Order:   inputs are stepped in the order in which they were handed in.
class engine_loop {
public:
    using io_runner = std::function<void(engine::io)>;

    engine_loop(const engine::options& o, io_runner run_io);
    ~engine_loop();

    void start();

    /// Hand in commands. After the engine has stopped they are answered `stopping`.
    void submit(const std::shared_ptr<open_call>& call, std::vector<engine::command> commands);
    /// The client of this call is gone.
    void abandon(const std::shared_ptr<open_call>& call);
    void io_finished(engine::io_done result);
    /// Run `task` on the loop's thread before its next step (tests hang the loop with it).
    void post_task(std::function<void()> task);

    /// Begin the engine's graceful stop.
    void request_stop();
    /// Whether the engine reported `stopped` within `timeout`.
    bool wait_stopped(std::chrono::nanoseconds timeout);
    /// End the thread, whatever the engine is doing; open calls are answered with failures.
    void join();

    /// Since the last step ended. The loop steps at least every half second while it is well.
    [[nodiscard]] std::chrono::nanoseconds since_step() const;

    struct snapshot {
        engine::stats engine;
        std::chrono::nanoseconds backlog_stuck{};
    };
    /// The engine's gauges and counters, at most ~100 ms old while the loop is well (older with
    /// very many queues: a snapshot may take a twentieth of the loop's time at most).
    [[nodiscard]] std::shared_ptr<const snapshot> stats() const;

private:
    struct submission {
        std::shared_ptr<open_call> call;
        std::vector<engine::command> commands;
    };
    using item = std::variant<submission, std::shared_ptr<open_call>, engine::io_done, engine::stop,
                              std::function<void()>>;

    void push(item what);
    void run();
    bool wait_for_work(std::optional<std::chrono::nanoseconds> wake_at);
    void take(item what);
    void take_submission(submission s);
    void take_abandon(const std::shared_ptr<open_call>& call);
    void dispatch(engine::outputs& out);
    void deliver(engine::answer& a);
    void refuse(open_call& call);
    void give_up(open_call& call);
    void publish_stats(std::chrono::nanoseconds now);

    const io_runner run_io_;
    std::thread thread_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<item> inbox_;              // guarded by mutex_
    engine::request_id next_request_ = 1;  // guarded by mutex_
    bool quitting_ = false;                // guarded by mutex_
    bool joined_ = false;                  // guarded by mutex_: nobody drains the inbox any more
    bool engine_stopped_ = false;          // guarded by mutex_
    std::condition_variable stopped_;

    // Of the loop's thread alone.
    engine::engine engine_;
    std::vector<item> taken_;
    std::vector<engine::input> inputs_;
    std::map<engine::request_id, std::shared_ptr<open_call>> open_;  // by first request
    bool refuse_ = false;
    bool dirty_ = true;  // stepped since stats were published
    std::chrono::nanoseconds published_at_{-1};
    std::chrono::nanoseconds publish_interval_{};
    backlog_watch backlog_;

    std::atomic<std::int64_t> last_step_ns_;
    mutable std::mutex stats_mutex_;
    std::shared_ptr<const snapshot> stats_;  // guarded by stats_mutex_
};

}  // namespace foliot::server
