// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/executor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace foliot::detail {

// The jobs that wait in an executor: a queue for each class, first in, first out. The highest class
// comes first, but every eighth job is one of a lower class, each in its turn, so that none starves.
// Not thread-safe.
//
// Time:    O(1) a job.
// Memory:  40 bytes for each job.
class job_queues {
public:
    [[nodiscard]] std::size_t size(priority urgency) const noexcept {
        return of(urgency).kept.size() + of(urgency).discardable.size();
    }
    [[nodiscard]] bool empty() const noexcept {
        return std::all_of(classes_.begin(), classes_.end(), [](const waiting_class& c) {
            return c.kept.empty() && c.discardable.empty();
        });
    }
    [[nodiscard]] std::array<std::size_t, priorities> sizes() const noexcept {
        std::array<std::size_t, priorities> all{};
        for (std::size_t i = 0; i < priorities; ++i) all[i] = size(static_cast<priority>(i));
        return all;
    }

    void add(const job& j) {
        waiting_class& c = of(j.urgency());
        (j.discardable() ? c.discardable : c.kept).push_back({j, added_});
        ++added_;
    }

    /// Whose turn it is.
    [[nodiscard]] std::optional<job> take() {
        std::size_t first = 0;
        if (taken_ % others_every == others_every - 1) {
            first = 1 + taken_ / others_every % (priorities - 1);
        }
        const auto has_jobs = [&](std::size_t i) { return size(static_cast<priority>(i)) > 0; };
        if (!has_jobs(first)) {
            first = 0;
            while (first < priorities && !has_jobs(first)) ++first;
        }
        if (first == priorities) return std::nullopt;
        ++taken_;
        waiting_class& c = classes_[first];
        const bool second =
            c.kept.empty() ||
            (!c.discardable.empty() && c.discardable.front().number < c.kept.front().number);
        return pop(second ? c.discardable : c.kept);
    }

    /// The oldest discardable one of the class.
    [[nodiscard]] std::optional<job> evict(priority urgency) {
        waiting_class& c = of(urgency);
        if (c.discardable.empty()) return std::nullopt;
        return pop(c.discardable);
    }

    void swap(job_queues& other) noexcept { classes_.swap(other.classes_); }

    void drop_all() const noexcept {
        for (const waiting_class& c : classes_) {
            for (const numbered& n : c.kept) n.what.drop();
            for (const numbered& n : c.discardable) n.what.drop();
        }
    }

private:
    static constexpr std::uint64_t others_every = 8;

    struct numbered {
        job what;
        std::uint64_t number;  // as they came
    };
    // Those that may be dropped stand apart, so that one is found at once.
    struct waiting_class {
        std::deque<numbered> kept;
        std::deque<numbered> discardable;

        friend void swap(waiting_class& a, waiting_class& b) noexcept {
            a.kept.swap(b.kept);
            a.discardable.swap(b.discardable);
        }
    };

    [[nodiscard]] waiting_class& of(priority urgency) noexcept {
        return classes_[static_cast<std::size_t>(urgency)];
    }
    [[nodiscard]] const waiting_class& of(priority urgency) const noexcept {
        return classes_[static_cast<std::size_t>(urgency)];
    }
    static job pop(std::deque<numbered>& queue) {
        const job j = queue.front().what;
        queue.pop_front();
        return j;
    }

    std::array<waiting_class, priorities> classes_;
    std::uint64_t added_ = 0;
    std::uint64_t taken_ = 0;
};

}  // namespace foliot::detail
