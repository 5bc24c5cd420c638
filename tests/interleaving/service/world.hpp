// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/history.hpp"
#include "service/timer_model.hpp"
#include "support/interleaving/explore.hpp"

#include <foliot/service/metrics.hpp>
#include <foliot/service/options.hpp>
#include <foliot/service/task.hpp>
#include <foliot/service/timer_service.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace foliot {

static_assert(std::is_same_v<detail::sync::mutex, interleaving::mutex>,
              "the service is built with the mutexes of the standard library");

using std::chrono::nanoseconds;

/// The clock of the execution. Its wall clock runs beside the steady one.
class explored_clock final : public service_clock {
public:
    [[nodiscard]] nanoseconds steady() const noexcept override { return interleaving::now(); }
    [[nodiscard]] nanoseconds wall() const noexcept override {
        return interleaving::now() + std::chrono::hours(24);
    }
};

/// What a timer of a scenario is to be.
struct wanted {
    nanoseconds deadline;  // from the beginning of the execution
    nanoseconds period{};
    missed policy = missed::skip;
    timer_options options{};
    bool plain = false;            // its callback is bytes, and is not seen to be destroyed
    bool throws = false;           // its callback, at its end
    std::function<void()> body{};  // of its callback
    std::function<void()> when_destroyed{};
};

/// One execution of a scenario: its timers, everything that is done to them, and what must be true
/// of it. Subject: what is explored, a shard or a service (subjects.hpp).
template <class Subject>
class world {
public:
    template <class... Args>
    explicit world(Args&&... args) : subject_(clock_, std::forward<Args>(args)...) {}

    Subject& subject() { return subject_; }

    /// Each callback begins when it is due, and not later: where time passes only when all wait.
    void on_time() { on_time_ = true; }
    /// From now on wait_for() can be called.
    void count_ends() { gate_.emplace(); }

    // ---- what threads do ----------------------------------------------------------------------

    void make(unsigned i, wanted w) {
        cell& c = cells_[i];
        c.body = std::move(w.body);
        c.when_destroyed = std::move(w.when_destroyed);
        c.plain = w.plain;
        c.throws = w.throws;
        c.periodic = w.period.count() > 0;
        c.grouped = w.options.group != 0;
        const nanoseconds deadline = begin_ + w.deadline;
        const std::string call = "make " + name(i);
        c.made_from = history_.begins(call, {i});
        task t = w.plain ? task(plain_callback{this, i}) : task(callback(this, i));
        auto made = subject_.make(deadline, w.period, w.policy, w.options, t);
        const bool done = made.has_value();
        if (done) {
            c.token = std::move(*made);
            c.made = true;
            if (c.grouped) ++grouped_;
        } else {
            t.reset();
        }
        step s = of(done ? act::make : act::make_refused, i);
        s.time = deadline;
        s.set_at = interleaving::execution::now().time();
        s.period = w.period;
        history_.ends(c.made_from, call + (done ? "" : ": stopped"), {i}, {s});
    }

    void cancel(unsigned i) {
        const std::string call = "cancel " + name(i);
        const auto from = history_.begins(call, {i});
        step s = of(act::cancel, i);
        s.came_to = outcome_of(subject_.cancel(cells_[i].token));
        cancelled(i, s.came_to);
        history_.ends(from, call + " = " + text(s.came_to), {i}, {s});
    }

    void cancel_and_wait(unsigned i) {
        const std::string call = "cancel_and_wait " + name(i);
        const auto from = history_.begins(call, {i});
        step s = of(act::cancel, i);
        s.came_to = outcome_of(subject_.cancel_and_wait(cells_[i].token));
        cancelled(i, s.came_to);
        const bool from_within = inside_of(i);
        interleaving::check(!cells_[i].inside || from_within,
                            "cancel_and_wait has returned, and the callback runs");
        if (from_within) {
            history_.ends(from, call + " = " + text(s.came_to), {i}, {s});
        } else {
            interleaving::check(cells_[i].live == 0,
                                "cancel_and_wait has returned, and the callback is not destroyed");
            history_.ends(from, call + " = " + text(s.came_to), {i}, {s, of(act::await, i)});
        }
    }

    /// To a time from the beginning.
    void move(unsigned i, nanoseconds deadline) {
        const std::string call = "reschedule " + name(i);
        const auto from = history_.begins(call, {i});
        step s = of(act::move, i);
        s.time = begin_ + deadline;
        s.set_at = interleaving::execution::now().time();
        s.came_to = outcome_of(subject_.reschedule(cells_[i].token, s.time));
        history_.ends(from, call + " = " + text(s.came_to), {i}, {s});
    }

    void look(unsigned i) {
        const std::string call = "deadline " + name(i);
        const auto from = history_.begins(call, {i});
        const auto found = subject_.deadline(cells_[i].token);
        step s = of(act::look, i);
        s.came_to = found ? outcome::done : outcome::gone;
        s.time = found.value_or(nanoseconds{});
        history_.ends(from, call + (found ? " is set" : " = gone"), {i}, {s});
    }

    /// Of timers 0 and 1, which must have been made with the group 1.
    void cancel_group() {
        const auto from = history_.begins("cancel_group", {0, 1});
        step sum = of(act::group_sum, 0);
        sum.call = group_calls_++;
        const group_result r = subject_.cancel_group(1);
        sum.cancelled = static_cast<std::uint8_t>(r.cancelled);
        sum.running = static_cast<std::uint8_t>(r.running);
        cancelled_ += r.cancelled;
        step first = of(act::group, 0);
        step second = of(act::group, 1);
        first.call = second.call = sum.call;
        history_.ends(from,
                      "cancel_group = " + std::to_string(r.cancelled) + " cancelled, " +
                          std::to_string(r.running) + " running",
                      {0, 1}, {first, second, sum});
    }

    /// Hands over what is due.
    void pass() { subject_.pass(); }

    void stop() {
        const auto from = history_.begins("stop", {0, 1, 2});
        const bool outside = innermost() == nullptr;
        subject_.stop();
        stopped_ = true;
        if (outside) {
            for (const cell& c : cells_) {
                interleaving::check(!c.inside, "stop has returned, and a callback runs");
            }
            history_.ends(from, "stop", {0, 1, 2},
                          {of(act::close, 0), of(act::close, 1), of(act::close, 2),
                           of(act::rest, 0), of(act::rest, 1), of(act::rest, 2)});
        } else {
            history_.ends(from, "stop", {0, 1, 2},
                          {of(act::close, 0), of(act::close, 1), of(act::close, 2)});
        }
    }

    /// The counts add up at any time.
    void audit() {
        const service_metrics m = subject_.metrics();
        adds_up(m);
    }

    void advance(nanoseconds by) { interleaving::advance(by); }

    /// Returns when so many callbacks have ended or timers been cancelled.
    void wait_for(int ends) {
        std::unique_lock held(gate_->mutex);
        gate_->changed.wait(held, [&] { return gate_->ends >= ends; });
    }

    /// Returns when a callback has destroyed it.
    void wait_for_stop() {
        std::unique_lock held(gate_->mutex);
        gate_->changed.wait(held, [&] { return stopped_; });
    }

    /// By a callback: the service goes away beneath it.
    void destroy() {
        {
            const std::lock_guard held(gate_->mutex);
            stopped_ = true;
            gate_->changed.notify_all();
        }
        const auto from = history_.begins("destroy", {0, 1, 2});
        subject_.destroy();
        history_.ends(from, "destroyed", {0, 1, 2},
                      {of(act::close, 0), of(act::close, 1), of(act::close, 2)});
    }

    // ---- the end ------------------------------------------------------------------------------

    /// After all threads: fires what is left, if nobody else does; stops, and looks at everything.
    void settle(bool fires = true) {
        if (!stopped_ && fires) {
            for (int i = 0; i < 4; ++i) {
                interleaving::advance(std::chrono::hours(1));
                subject_.pass();
            }
        }
        if (!subject_.destroyed()) {
            subject_.stop();
            look_at(subject_.metrics());
            subject_.destroy();
        }
        look_at_the_end();
    }

    /// When the service is gone.
    void look_at_the_end() {
        for (const cell& c : cells_) {
            interleaving::check(!c.inside, "a callback runs at the end");
            interleaving::check(c.live == 0, "a callback was not destroyed");
        }
        timers_model begin;
        begin.members = grouped_;
        for (timer_model& t : begin.timers) t.on_time = on_time_;
        const auto over = [](const timers_model& end) {
            return std::all_of(end.timers.begin(), end.timers.end(), [](const timer_model& t) {
                return t.now != timer_model::phase::running &&
                       (t.now != timer_model::phase::pending || t.period.count() > 0);
            });
        };
        interleaving::check(history_.linearizable(begin, over),
                            "no order of the calls is one that timers can have, or one was lost");
    }

private:
    struct cell {
        typename Subject::token token{};
        bool made = false;
        bool periodic = false;
        bool grouped = false;
        bool plain = false;
        bool inside = false;  // its callback
        bool throws = false;
        bool cancelled = false;
        int runs = 0;
        int live = 0;  // callbacks that exist
        std::uint32_t made_from = 0;
        std::function<void()> body;
        std::function<void()> when_destroyed;
    };
    struct gate {
        interleaving::mutex mutex;
        interleaving::condition_variable changed;
        int ends = 0;
    };

    // The callback of timer i.
    class callback {
    public:
        callback(world* w, unsigned i) : world_(w), timer_(i) { ++cell_().live; }
        callback(callback&& other) noexcept : world_(other.world_), timer_(other.timer_) {
            ++cell_().live;
        }
        callback(const callback&) = delete;
        callback& operator=(const callback&) = delete;
        ~callback() {
            cell& c = cell_();
            if (c.live == 1 && c.when_destroyed) world_->destroys(timer_);
            --c.live;
        }
        void operator()() { world_->runs(timer_); }

    private:
        cell& cell_() { return world_->cells_[timer_]; }
        world* world_;
        unsigned timer_;
    };
    struct plain_callback {
        world* of;
        unsigned timer;
        void operator()() const { of->runs(timer); }
    };

    // The callbacks that a thread is inside of, or destroys.
    struct inside {
        unsigned timer;
        const inside* outer;
    };
    const inside*& innermost() { return inside_[interleaving::execution::now().self()]; }
    bool inside_of(unsigned timer) {
        for (const inside* i = innermost(); i != nullptr; i = i->outer) {
            if (i->timer == timer) return true;
        }
        return false;
    }

    void runs(unsigned i) {
        cell& c = cells_[i];
        interleaving::check(!c.inside, "a callback runs twice at a time");
        c.inside = true;
        ++c.runs;
        ++runs_;
        const inside here{i, innermost()};
        innermost() = &here;
        history_.started(c.made_from, "begun " + name(i), i, of(act::start, i));
        if (c.body) c.body();
        const auto from = history_.begins("to end " + name(i), {i});
        innermost() = here.outer;
        c.inside = false;
        history_.was(from, never, of(act::finish, i));
        one_ended();
        if (c.throws) throw std::runtime_error("a callback that throws");
    }

    // From the destructor of its callback.
    void destroys(unsigned i) {
        const inside here{i, innermost()};
        innermost() = &here;
        cells_[i].when_destroyed();
        innermost() = here.outer;
    }

    void one_ended() {
        if (!gate_) return;
        const std::lock_guard held(gate_->mutex);
        ++gate_->ends;
        gate_->changed.notify_all();
    }

    void look_at(const service_metrics& m) {
        adds_up(m);
        interleaving::check(m.pending + m.due + m.running == 0, "something is left after stop");
        interleaving::check(m.runs == runs_, "the metrics do not count all runs");
        bool periodic = false;
        for (const cell& c : cells_) periodic = periodic || c.periodic;
        interleaving::check(periodic || m.cancelled == cancelled_,
                            "the metrics do not count all cancels");
        account_for_given_up(m);
    }

    // Nobody says which: those that did not run, and were not cancelled.
    void account_for_given_up(const service_metrics& m) {
        std::uint64_t left = m.rejected + m.shed;
        for (unsigned i = 0; i < max_timers && left > 0; ++i) {
            const cell& c = cells_[i];
            if (!c.made || c.runs > 0 || c.cancelled || c.grouped) continue;
            step s = of(act::give_up, i);
            s.time = nanoseconds::max();
            history_.was(c.made_from, never, s);
            --left;
        }
        interleaving::check(left == 0, "more were rejected or shed than there are");
    }

    static std::string name(unsigned i) { return std::to_string(i); }
    static const char* text(outcome o) {
        static constexpr const char* names[] = {"done", "running", "gone"};
        return names[static_cast<std::size_t>(o)];
    }
    static step of(act what, unsigned timer) {
        step s;
        s.what = what;
        s.timer = static_cast<std::uint8_t>(timer);
        return s;
    }
    template <class Result>
    static outcome outcome_of(Result r) {
        return static_cast<outcome>(r);  // both have the same order
    }

    void cancelled(unsigned i, outcome o) {
        if (o != outcome::done) return;
        ++cancelled_;
        cell& c = cells_[i];
        c.cancelled = true;
        interleaving::check(c.plain || c.live == 0,
                            "cancelled, and the callback was not destroyed");
        one_ended();
    }

    static void adds_up(const service_metrics& m) {
        interleaving::check(m.scheduled == m.pending + m.due + m.running + m.cancelled +
                                               m.completed + m.rejected + m.shed + m.dropped,
                            "the metrics do not add up");
    }

    explored_clock clock_;
    const nanoseconds begin_ = interleaving::execution::now().time();
    history<timers_model, step> history_;
    std::array<cell, max_timers> cells_{};
    std::array<const inside*, interleaving::max_threads> inside_{};
    std::uint64_t runs_ = 0;
    std::uint64_t cancelled_ = 0;
    std::uint8_t group_calls_ = 0;
    std::uint8_t grouped_ = 0;
    bool stopped_ = false;
    bool on_time_ = false;
    std::optional<gate> gate_;
    Subject subject_;
};

}  // namespace foliot
