// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/scenario.hpp"
#include "service/small_executor.hpp"
#include "support/interleaving/explore.hpp"

#include <foliot/service/delayed_operations.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace foliot {

/// One execution of a scenario of delayed operations, on a service that is polled: everything that
/// is done to them, and what must be true of it.
class delayed_world {
public:
    static constexpr unsigned max_operations = 2;

    explicit delayed_world(service_options options = polled(), std::size_t purge_threshold = 1000)
        : threshold_(purge_threshold) {
        options.clock = &clock_;
        service_.emplace(options);
        delayed_operations_options o;
        o.parts = 1;
        o.purge_threshold = purge_threshold;
        o.retry_after = 1ms;
        waiting_.emplace(*service_, o);
        for (auto& op : operations_) op = std::make_shared<operation>(*this);
    }

    // ---- what threads do ----------------------------------------------------------------------

    /// Under keys 1 and 2, for 5 ms.
    void watch(unsigned i) {
        given_[i] = true;
        if (waiting_->try_complete_else_watch(operations_[i], {1, 2}, 5ms)) ++counted_;
    }
    /// Its condition holds from now on, and who says so is heard.
    void meet_and_check(unsigned i, int key) {
        operations_[i]->met = true;
        counted_ += waiting_->check_and_complete(key);
    }
    void check(int key) { counted_ += waiting_->check_and_complete(key); }
    void cancel(int key) {
        for (const auto& op : waiting_->cancel_for_key(key)) {
            for (unsigned i = 0; i < max_operations; ++i) {
                if (op == operations_[i]) withdrawn_[i] = true;
            }
        }
    }
    void force(unsigned i) {
        forced_[i] = true;
        if (operations_[i]->force_complete()) ++counted_;
    }
    void expire() {
        interleaving::advance(5ms);
        pass();
    }
    void pass() {
        service_->poll();
        if (room) room->run();
    }
    void purge() { waiting_->purge(); }
    void stop() { service_->stop(); }

    // ---- the end ------------------------------------------------------------------------------

    /// After all threads. What does not expire, as the service was stopped, may be open.
    void settle(bool expires = true) {
        for (unsigned i = 0; i < max_operations; ++i) {
            const operation& op = *operations_[i];
            interleaving::check(!given_[i] || !op.met || withdrawn_[i] || op.completed(),
                                "a check that came after the condition was met is lost");
            interleaving::check(!withdrawn_[i] || forced_[i] || !op.completed(),
                                "what was withdrawn was completed by others");
        }
        interleaving::check(lists_are_short(), "entries of what is over are kept");
        for (int n = 0; n < 4; ++n) {
            interleaving::advance(1h);
            pass();
        }
        count_completions(expires);
        interleaving::check(waiting_->delayed() == 0, "delayed() counts what is over");
        if (!expires) drop_the_open();
        waiting_->purge();
        interleaving::check(waiting_->watched() == 0, "watched() counts what is over");
        service_->stop();
        interleaving::check(service_->metrics().failures == 0, "a callback has thrown something");
        waiting_.reset();
        service_.reset();
        for (auto& op : operations_) {
            interleaving::check(op.use_count() == 1, "an operation is kept");
            op.reset();
        }
    }

    std::shared_ptr<small_executor> room;

private:
    // Its parts need no lock: that tries do not meet is promised.
    class operation final : public delayed_operation {
    public:
        explicit operation(delayed_world& w) : world_(w) {}

        interleaving::atomic<bool> met = false;
        int completions = 0;
        int expirations = 0;

    protected:
        bool try_complete() override {
            enter();
            const bool done = met && force_complete();
            inside_ = false;
            return done;
        }
        void on_complete() override { ++completions; }
        void on_expiration() override {
            enter();
            ++expirations;
            interleaving::check(completions == 1, "it expired without being completed");
            interleaving::check(world_.clock_.steady() >= world_.begin_ + 5ms, "it expired early");
            inside_ = false;
        }

    private:
        void enter() {
            interleaving::check(!inside_, "two threads are inside of an operation");
            inside_ = true;
        }
        delayed_world& world_;
        bool inside_ = false;
    };

    void count_completions(bool expires) {
        std::size_t completions = 0;
        std::size_t expirations = 0;
        for (unsigned i = 0; i < max_operations; ++i) {
            const operation& op = *operations_[i];
            completions += static_cast<std::size_t>(op.completions);
            expirations += static_cast<std::size_t>(op.expirations);
            interleaving::check(op.completions <= 1, "it was completed twice");
            interleaving::check((op.completions == 1) == op.completed(), "completed() is wrong");
            interleaving::check(!given_[i] || !expires || withdrawn_[i] || op.completed(),
                                "it was neither completed nor withdrawn, and did not expire");
        }
        interleaving::check(completions == counted_ + expirations,
                            "not each completion is told to one caller");
    }

    // No more entries of operations that are over than of open ones, or than the threshold.
    [[nodiscard]] bool lists_are_short() const {
        std::size_t open = 0;
        for (unsigned i = 0; i < max_operations; ++i) {
            if (given_[i] && !withdrawn_[i] && !operations_[i]->completed()) open += 2;
        }
        return waiting_->watched() <= open + std::max(open, threshold_);
    }

    void drop_the_open() {
        for (const int key : {1, 2}) static_cast<void>(waiting_->cancel_for_key(key));
    }

    explored_clock clock_;
    const nanoseconds begin_ = interleaving::execution::now().time();
    const std::size_t threshold_;
    std::optional<service_subject::service> service_;
    std::optional<delayed_operations<int, std::hash<int>, deadline_heap>> waiting_;
    std::array<std::shared_ptr<operation>, max_operations> operations_;
    std::array<bool, max_operations> given_{};
    std::array<bool, max_operations> withdrawn_{};
    std::array<bool, max_operations> forced_{};
    std::size_t counted_ = 0;  // completions that callers were told of
};

}  // namespace foliot
