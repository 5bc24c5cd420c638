// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/executor.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace foliot {

struct worker_pool_options {
    /// Threads that run callbacks, at least 1.
    std::size_t workers = 2;

    /// How many jobs of each class may wait, at least 1.
    std::size_t queue_limit = 16'384;

    /// Called without a lock when a queue that had refused a job is no more than half full.
    std::function<void()> on_room;
};

// Threads that run jobs: the highest class first, but every eighth job is one of a lower class, each in
// its turn, so that none starves.
//
// Time:    O(1) a job, and one mutex a call.
// Threads: any thread may call everything.
// Memory:  40 bytes for each job that waits.
// Errors:  std::invalid_argument for options out of their range; std::system_error if a thread cannot
//          be started, std::bad_alloc.
// Order:   first in, first out within a class, but several workers may overtake each other.
class worker_pool final : public executor {
public:
    explicit worker_pool(worker_pool_options options);
    /// Stops. From one of its own jobs too: that thread ends when the job returns.
    ~worker_pool() override;

    [[nodiscard]] bool try_submit(const job& j) override;
    [[nodiscard]] std::size_t try_submit_some(std::span<const job> jobs) override;
    [[nodiscard]] std::optional<job> evict(priority urgency) override;
    [[nodiscard]] std::array<std::size_t, priorities> waiting() const override;
    void stop() noexcept override;

private:
    struct shared;
    std::shared_ptr<shared> shared_;
};

}  // namespace foliot
