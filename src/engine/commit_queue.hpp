// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.hpp"
#include "engine/entry.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace foliot::engine {

/// One commit in the making: what to write, whom to tell, and which entries it changes.
struct pending_commit {
    batch_number number = 0;
    store::batch what;
    std::vector<answer> answers;      ///< given when it is durable
    std::vector<entry*> touched;      ///< entries to settle when it is durable
    std::int64_t pending_delta = 0;   ///< rows in near + far of timers that have not ended
    std::int64_t retained_delta = 0;  ///< and of those that have
    std::int64_t dead_delta = 0;
    tick far_min[2]{tick::max(), tick::max()};  ///< by clock: the earliest far row it writes
    /// By clock: the low-water mark may rise to here with this commit, and not with an earlier one,
    /// since what stood below it is removed by the commits up to this one.
    tick low_water[2]{};
    std::chrono::nanoseconds sent_at{};  ///< steady time
    bool dirty_meta = false;
};

/// The commits of a shard in their order. The front one is in flight once sent; the rest gather.
///
/// Changes are made in memory when they are decided and told when they are durable. An answer that
/// shows uncommitted state goes with the commit that makes that state durable, so nobody ever sees
/// a thing that a crash could undo.
class commit_queue {
public:
    explicit commit_queue(std::size_t max_operations) : max_operations_(max_operations) {}

    /// A change begins: whatever it writes goes into one commit. Where the open one is full, a new
    /// one is opened here, and never in the middle, since half a change must not become durable.
    void begin_change() {
        full_ = !pending_.empty() && pending_.back().what.operations.size() >= max_operations_;
    }

    /// The commit that gathers now.
    pending_commit& open() {
        if (pending_.empty() || (pending_.size() == 1 && in_flight_) || full_) {
            pending_.emplace_back();
            pending_.back().number = ++last_number_;
            full_ = false;
        }
        return pending_.back();
    }

    /// Note that `e` changes with the open commit.
    pending_commit& touch(entry& e) {
        pending_commit& c = open();
        if (e.batch != c.number) c.touched.push_back(&e);
        e.batch = c.number;
        return c;
    }

    [[nodiscard]] bool durable(batch_number n) const {
        return pending_.empty() || n < pending_.front().number;
    }

    /// `a` is to be given when commit `n` is durable. Precondition: it is not yet.
    void answer_with(batch_number n, answer a) {
        pending_[static_cast<std::size_t>(n - pending_.front().number)].answers.push_back(
            std::move(a));
        ++waiting_;
    }

    /// The next commit to send, if none is in flight and there is something to write.
    pending_commit* next_to_send() {
        if (in_flight_ || pending_.empty()) return nullptr;
        const pending_commit& c = pending_.front();
        const bool anything =
            !c.what.operations.empty() || !c.answers.empty() || !c.touched.empty() || c.dirty_meta;
        return anything ? &pending_.front() : nullptr;
    }

    void sent(std::chrono::nanoseconds now) {
        in_flight_ = true;
        pending_.front().sent_at = now;
    }

    /// The one in flight is done: out of the queue.
    pending_commit finish() {
        pending_commit c = std::move(pending_.front());
        pending_.pop_front();
        in_flight_ = false;
        waiting_ -= c.answers.size();
        return c;
    }

    /// All answers that wait (they will be told that the store failed).
    std::vector<answer> take_answers() {
        std::vector<answer> all;
        for (auto& c : pending_) {
            std::move(c.answers.begin(), c.answers.end(), std::back_inserter(all));
            c.answers.clear();
        }
        waiting_ = 0;
        return all;
    }

    void drop_all() {
        pending_.clear();
        in_flight_ = full_ = false;
        waiting_ = 0;
    }

    [[nodiscard]] batch_number last_durable() const {
        return pending_.empty() ? last_number_ : pending_.front().number - 1;
    }
    [[nodiscard]] batch_number last_opened() const { return last_number_; }

    /// What waits to be sent.
    [[nodiscard]] std::size_t operations() const {
        std::size_t sum = 0;
        for (const auto& c : pending_) sum += c.what.operations.size();
        return sum;
    }

    [[nodiscard]] bool in_flight() const { return in_flight_; }
    [[nodiscard]] bool empty() const { return pending_.empty(); }
    [[nodiscard]] std::size_t waiting() const { return waiting_; }
    [[nodiscard]] std::chrono::nanoseconds sent_at() const { return pending_.front().sent_at; }

    /// The earliest due among far rows that are not durable yet; loads must stop short of it.
    [[nodiscard]] tick uncommitted_far_min(store::clock_kind clock) const {
        tick least = tick::max();
        for (const auto& c : pending_) {
            least = std::min(least, c.far_min[static_cast<std::size_t>(clock)]);
        }
        return least;
    }

private:
    std::deque<pending_commit> pending_;
    std::size_t max_operations_;
    std::size_t waiting_ = 0;
    batch_number last_number_ = 0;
    bool in_flight_ = false;
    bool full_ = false;  ///< the open commit takes no further change
};

}  // namespace foliot::engine
