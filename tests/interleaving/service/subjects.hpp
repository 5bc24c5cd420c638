// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/clock.hpp>
#include <foliot/service/detail/shard.hpp>
#include <foliot/service/timer_service.hpp>
#include <foliot/wheel/deadline_heap.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace foliot {

/// A shard without a service, on the queue that costs least to make. Who calls pass() is its driver
/// and its worker.
class shard_subject {
public:
    struct token {
        detail::shard::made made{};
    };

    explicit shard_subject(const service_clock& clock, std::size_t limit = 256) : limit_(limit) {
        around_.clock = &clock;
        around_.wall = false;
        around_.tick = std::chrono::milliseconds(1);
        around_.owner = owner_;
        around_.room = &room_;
        around_.on_earlier = [](detail::shard&, std::chrono::nanoseconds) {};
        shard_ = std::make_unique<detail::queue_shard<deadline_heap>>(around_);
    }

    std::optional<token> make(std::chrono::nanoseconds deadline, std::chrono::nanoseconds period,
                              missed policy, const timer_options& options, task& callback) {
        const auto made = shard_->make(deadline, period, policy, options, callback);
        if (made.node == nullptr) return std::nullopt;
        return token{made};
    }
    cancel_result cancel(const token& t) { return shard_->cancel(*t.made.node, t.made.generation); }
    cancel_result cancel_and_wait(const token& t) {
        return shard_->cancel_and_wait(*t.made.node, t.made.generation);
    }
    reschedule_result reschedule(const token& t, std::chrono::nanoseconds deadline) {
        return shard_->reschedule(*t.made.node, t.made.generation, deadline);
    }
    std::optional<std::chrono::nanoseconds> deadline(const token& t) {
        return shard_->deadline(*t.made.node, t.made.generation);
    }
    group_result cancel_group(std::uint64_t group) { return shard_->cancel_group(group, limit_); }

    void pass() {
        std::vector<job> jobs;
        while (!shard_->collect(limit_, jobs) || !jobs.empty()) {
            for (const job& j : jobs) j();
            jobs.clear();
        }
    }
    void stop() {
        shard_->close();
        if (!detail::shard::inside_callback()) shard_->wait_until_quiet();
    }
    service_metrics metrics() {
        service_metrics m;
        shard_->add_to(m);
        return m;
    }
    void destroy() { shard_.reset(); }
    [[nodiscard]] bool destroyed() const { return shard_ == nullptr; }

    detail::shard& get() { return *shard_; }

private:
    std::shared_ptr<int> owner_ = std::make_shared<int>();
    detail::sync::atomic<std::size_t> room_ = 100;
    detail::shard::surroundings around_{};
    std::size_t limit_;
    std::unique_ptr<detail::shard> shard_;
};

/// A service. What is not said in `options` is what is simplest.
class service_subject {
public:
    using service = basic_timer_service<deadline_heap>;
    using token = timer;

    service_subject(const service_clock& clock, service_options options)
        : service_(std::make_unique<service>(with(clock, std::move(options)))) {}

    std::optional<token> make(std::chrono::nanoseconds deadline, std::chrono::nanoseconds period,
                              missed policy, const timer_options& options, task& callback) {
        try {
            if (period.count() > 0) {
                return service_->every(std::chrono::steady_clock::time_point(deadline), period,
                                       std::move(callback), policy, options);
            }
            return service_->at(std::chrono::steady_clock::time_point(deadline),
                                std::move(callback), options);
        } catch (const service_stopped&) {
            return std::nullopt;
        }
    }
    cancel_result cancel(const token& t) { return t.cancel(); }
    cancel_result cancel_and_wait(const token& t) { return t.cancel_and_wait(); }
    reschedule_result reschedule(const token& t, std::chrono::nanoseconds deadline) {
        return t.reschedule(std::chrono::steady_clock::time_point(deadline));
    }
    std::optional<std::chrono::nanoseconds> deadline(const token& t) { return t.deadline(); }
    group_result cancel_group(std::uint64_t group) { return service_->cancel_group(group); }
    void pass() {
        service_->poll();
        if (after_pass) after_pass();
    }
    void stop() { service_->stop(); }
    service_metrics metrics() { return service_->metrics(); }
    void destroy() { service_.reset(); }
    [[nodiscard]] bool destroyed() const { return service_ == nullptr; }

    service& get() { return *service_; }

    /// Of those who run callbacks elsewhere.
    std::function<void()> after_pass = {};

private:
    static service_options with(const service_clock& clock, service_options options) {
        options.clock = &clock;
        return options;
    }

    std::unique_ptr<service> service_;
};

}  // namespace foliot
