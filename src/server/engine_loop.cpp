// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/engine_loop.hpp"

#include "server/clock.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace foliot::server {
namespace {

constexpr std::chrono::milliseconds heartbeat{250};
constexpr std::chrono::milliseconds stats_interval{100};
constexpr std::chrono::milliseconds loading_interval{5};  // "ready" is to be known soon
constexpr int stats_share = 20;  // publishing takes at most 1/20 of the loop's time

engine::reply stopping() {
    return engine::failure{
        engine::failure_code::stopping, "the server is going down; try again", {}, 0, std::nullopt};
}

}  // namespace

engine_loop::engine_loop(const engine::options& o, io_runner run_io)
    : run_io_(std::move(run_io)),
      engine_(o),
      last_step_ns_(boot_time().count()),
      stats_(std::make_shared<snapshot>()) {}

engine_loop::~engine_loop() { join(); }

void engine_loop::start() {
    last_step_ns_ = boot_time().count();
    thread_ = std::thread([this] {
        // By default Linux may end a timed wait 50 us late, to save wake-ups.
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
        run();
    });
}

void engine_loop::submit(const std::shared_ptr<open_call>& call,
                         std::vector<engine::command> commands) {
    {
        const std::lock_guard lock(mutex_);
        if (!joined_) {
            call->first_ = next_request_;
            next_request_ += commands.size();
            inbox_.emplace_back(submission{call, std::move(commands)});
            changed_.notify_one();
            return;
        }
    }
    call->finished_(std::vector<engine::reply>(commands.size(), stopping()));
}

void engine_loop::abandon(const std::shared_ptr<open_call>& call) { push(call); }
void engine_loop::io_finished(engine::io_done result) { push(std::move(result)); }
void engine_loop::post_task(std::function<void()> task) { push(std::move(task)); }
void engine_loop::request_stop() { push(engine::stop{}); }

void engine_loop::push(item what) {
    const std::lock_guard lock(mutex_);
    if (joined_) return;
    inbox_.push_back(std::move(what));
    changed_.notify_one();
}

bool engine_loop::wait_stopped(std::chrono::nanoseconds timeout) {
    std::unique_lock lock(mutex_);
    return stopped_.wait_for(lock, timeout, [this] { return engine_stopped_; });
}

void engine_loop::join() {
    {
        const std::lock_guard lock(mutex_);
        quitting_ = true;
        changed_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
    std::vector<item> rest;
    {
        const std::lock_guard lock(mutex_);
        joined_ = true;
        rest.swap(inbox_);
    }
    for (auto& [first, call] : open_) give_up(*call);
    open_.clear();
    for (auto& what : rest) {
        if (auto* s = std::get_if<submission>(&what)) {
            s->call->replies_.resize(s->commands.size());
            refuse(*s->call);
        }
    }
}

std::chrono::nanoseconds engine_loop::since_step() const {
    return boot_time() - std::chrono::nanoseconds{last_step_ns_.load(std::memory_order_relaxed)};
}

std::shared_ptr<const engine_loop::snapshot> engine_loop::stats() const {
    const std::lock_guard lock(stats_mutex_);
    return stats_;
}

void engine_loop::run() {
    std::optional<std::chrono::nanoseconds> wake_at = boot_time();  // the first step acquires
    while (wait_for_work(wake_at)) {
        for (auto& what : taken_) take(std::move(what));
        taken_.clear();
        const auto now = read_clocks();
        auto out = engine_.step(now, inputs_);
        inputs_.clear();
        dirty_ = true;
        wake_at = out.wake_at;
        dispatch(out);
        const auto ended = boot_time();
        publish_stats(ended);
        last_step_ns_.store(ended.count(), std::memory_order_relaxed);
    }
}

/// Fills `taken_`; false: the loop is to end.
bool engine_loop::wait_for_work(std::optional<std::chrono::nanoseconds> wake_at) {
    std::unique_lock lock(mutex_);
    if (inbox_.empty() && !quitting_) {
        const auto now = boot_time();
        auto until = now + heartbeat;
        if (dirty_) until = std::min(until, published_at_ + publish_interval_);
        if (wake_at) until = std::min(until, *wake_at);
        if (until > now) {
            changed_.wait_for(lock, until - now, [this] { return !inbox_.empty() || quitting_; });
        }
    }
    if (quitting_) return false;  // what is in the inbox is answered by join()
    taken_.swap(inbox_);
    return true;
}

void engine_loop::take(item what) {
    switch (what.index()) {
        case 0: take_submission(std::move(*std::get_if<0>(&what))); break;
        case 1: take_abandon(*std::get_if<1>(&what)); break;
        case 2: inputs_.emplace_back(std::move(*std::get_if<2>(&what))); break;
        case 3: inputs_.emplace_back(engine::stop{}); break;
        default: (*std::get_if<4>(&what))(); break;
    }
}

void engine_loop::take_submission(submission s) {
    auto& call = *s.call;
    call.replies_.resize(s.commands.size());
    call.missing_ = s.commands.size();
    if (refuse_) return refuse(call);
    auto id = call.first_;
    for (auto& command : s.commands) {
        inputs_.emplace_back(engine::request{id++, std::move(command)});
    }
    open_.emplace_hint(open_.end(), call.first_, std::move(s.call));
}

void engine_loop::take_abandon(const std::shared_ptr<open_call>& call) {
    if (open_.erase(call->first_) == 0) return;
    for (std::size_t i = 0; i < call->replies_.size(); ++i) {
        inputs_.emplace_back(engine::abandon{call->first_ + i});
    }
}

void engine_loop::dispatch(engine::outputs& out) {
    for (auto& request : out.requests) run_io_(std::move(request));
    for (auto& a : out.answers) deliver(a);
    if (!out.stopped || refuse_) return;
    refuse_ = true;
    publish_stats(boot_time());  // the last word on what is pending
    for (auto& [first, call] : open_) give_up(*call);
    open_.clear();
    const std::lock_guard lock(mutex_);
    engine_stopped_ = true;
    stopped_.notify_all();
}

void engine_loop::deliver(engine::answer& a) {
    auto it = open_.upper_bound(a.to);
    if (it == open_.begin()) return;  // abandoned
    --it;
    auto& call = *it->second;
    const auto index = static_cast<std::size_t>(a.to - call.first_);
    if (index >= call.replies_.size()) return;  // abandoned
    call.replies_[index] = std::move(a.what);
    if (--call.missing_ != 0) return;
    const auto finished = std::move(it->second);
    open_.erase(it);
    finished->finished_(std::move(finished->replies_));
}

/// For commands that the engine never saw.
void engine_loop::refuse(open_call& call) {
    for (auto& reply : call.replies_) reply = stopping();
    call.finished_(std::move(call.replies_));
}

/// For commands that the engine has and will not answer any more; keeps the answers that are there.
void engine_loop::give_up(open_call& call) {
    for (auto& reply : call.replies_) {
        auto* missing = std::get_if<engine::failure>(&reply);
        if (missing == nullptr || !missing->message.empty()) continue;
        missing->code = engine::failure_code::store_unavailable;
        missing->message =
            "the server stopped before this was durable; "
            "a change may or may not have been made";
    }
    call.finished_(std::move(call.replies_));
}

void engine_loop::publish_stats(std::chrono::nanoseconds now) {
    const bool recent = published_at_.count() >= 0 && now < published_at_ + publish_interval_;
    if (recent && !refuse_) return;
    auto next = std::make_shared<snapshot>();
    next->engine = engine_.snapshot();
    backlog_.observe(now, next->engine.overdue);
    next->backlog_stuck = backlog_.stuck_for(now);
    const auto cost = boot_time() - now;
    const auto pace = next->engine.ready ? stats_interval : loading_interval;
    publish_interval_ = std::max<std::chrono::nanoseconds>(pace, cost * stats_share);
    published_at_ = now;
    dirty_ = false;
    const std::lock_guard lock(stats_mutex_);
    stats_ = std::move(next);
}

}  // namespace foliot::server
