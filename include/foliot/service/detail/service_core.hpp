// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/detail/shard.hpp>
#include <foliot/service/detail/sync.hpp>
#include <foliot/service/executor.hpp>
#include <foliot/service/metrics.hpp>
#include <foliot/service/options.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace foliot {

/// What a service left undone when it stopped.
struct stop_report {
    std::uint64_t pending = 0;  ///< timers that waited for their deadline
    std::uint64_t due = 0;      ///< timers that waited for a worker
};

namespace detail {

/// A timer service without its queues' types: the shards, the driver, the way to the executor.
///
/// Locks: `pass_mutex_`, one pass at a time; under it one shard's, for a moment; `sleep_mutex_`, for
/// what the driver is told and what is published. While jobs are handed over only the first is held,
/// and nothing that a callback may call waits for it, but the end of a stop from outside.
class service_core {
public:
    using make_shard = std::function<std::unique_ptr<shard>(const shard::surroundings&)>;

    service_core(service_options options, const make_shard& make);
    service_core(const service_core&) = delete;
    service_core& operator=(const service_core&) = delete;
    ~service_core();

    /// Starts the threads.
    static void start(const std::shared_ptr<service_core>& core);

    [[nodiscard]] shard& shard_of_this_thread() noexcept;
    [[nodiscard]] shard& wall_shard() noexcept { return *shards_.back(); }

    [[nodiscard]] group_result cancel_group(std::uint64_t group);

    /// One pass: hands over what is due now, up to the limits. How many that were; 0 if another thread
    /// is in a pass.
    std::size_t poll();
    /// When to poll again, by the steady clock; nullopt while nothing is pending.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_wakeup();

    /// A descriptor that is readable from then on; see basic_timer_service::wakeup_fd.
    [[nodiscard]] int wakeup_fd();

    stop_report stop() noexcept;
    [[nodiscard]] bool stopping() const noexcept { return stop_begun_; }
    [[nodiscard]] service_metrics metrics() const;

private:
    struct waiting_job {
        job what;
        std::chrono::nanoseconds since;
    };
    using backlog = std::array<std::deque<waiting_job>, priorities>;
    using lock = std::unique_lock<sync::mutex>;

    void drive();
    [[nodiscard]] std::optional<std::chrono::nanoseconds> drive_once() noexcept;
    [[nodiscard]] std::size_t pass(lock& one_at_a_time, bool& cut);
    [[nodiscard]] bool collect(bool& cut);
    void hand_over_collected();
    void hand_over(const job& j);
    void hand_over_backlog();
    void wait_in_backlog(const job& j);
    void put_back(const job& j);
    void publish(bool cut);
    void drop_all(backlog& jobs) noexcept;
    [[nodiscard]] bool passes_here() const noexcept {
        return passing_.load(std::memory_order_relaxed) == sync::this_thread::get_id();
    }
    void wake() noexcept;
    void rearm_fd();
    void set_fd(std::optional<std::chrono::nanoseconds> at) noexcept;
    void earlier(std::chrono::nanoseconds at) noexcept;
    void sleep(std::optional<std::chrono::nanoseconds> until);
    [[nodiscard]] bool watch();
    void join_driver();

    const service_options options_;
    const service_clock* const clock_;
    sync::atomic<std::size_t> room_for_timers_;
    shard::surroundings by_steady_;
    shard::surroundings by_wall_;
    std::vector<std::unique_ptr<shard>> shards_;  // the last one goes by the wall clock
    std::shared_ptr<executor> executor_;

    sync::mutex pass_mutex_;
    sync::atomic<sync::thread::id> passing_{};  // the thread that is in a pass
    std::vector<job> jobs_;                     // collected, to be handed over from next_job_ on
    std::size_t next_job_ = 0;
    std::chrono::nanoseconds pass_begin_{};
    std::size_t handed_over_ = 0;   // in this pass
    std::size_t put_back_ = 0;      // into the queue, in this pass
    duration_histogram new_scans_;  // in this pass
    backlog backlog_;
    std::size_t drained_shards_ = 0;  // in this pass
    std::size_t first_shard_ = 0;     // of the next pass, so that none comes last always

    sync::atomic<bool> stop_begun_ = false;
    sync::mutex join_mutex_;
    sync::thread driver_;

    mutable sync::mutex sleep_mutex_;
    sync::condition_variable woken_;
    std::optional<std::chrono::nanoseconds> earliest_;  // told since the last sleep
    bool room_ = false;                                 // in the executor, since then
    std::optional<std::chrono::nanoseconds> backlog_until_;
    std::array<std::size_t, priorities> backlog_lengths_{};
    std::uint64_t wakeups_ = 0;
    duration_histogram scans_;
    std::uint64_t passes_ = 0;
    std::uint64_t cut_passes_ = 0;
    std::uint64_t late_wakeups_ = 0;
    std::uint64_t failed_passes_ = 0;

    int fd_ = -1;
    std::uint64_t fd_version_ = 0;                        // of the latest rearm_fd
    std::optional<std::chrono::nanoseconds> fd_at_;       // set to
    std::optional<std::chrono::nanoseconds> fd_earlier_;  // told since the latest rearm_fd began
};

}  // namespace detail
}  // namespace foliot
