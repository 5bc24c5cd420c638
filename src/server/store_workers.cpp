// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "server/store_workers.hpp"

#include "server/clock.hpp"
#include "server/commit_crash_points.hpp"

#include <algorithm>
#include <exception>
#include <type_traits>
#include <utility>

namespace foliot::server {
namespace {

constexpr store::shard_id the_shard{0};  // the embedded store has one
constexpr std::chrono::seconds log_interval{1};
constexpr std::chrono::seconds recent{10};  // a failed read is tried again long before

template <class... Fs>
struct overloaded : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
overloaded(Fs...) -> overloaded<Fs...>;

bool is_write(const engine::store_request& request) {
    return std::holds_alternative<engine::acquire_request>(request) ||
           std::holds_alternative<engine::commit_request>(request);
}

const store::store_error* error_of(const engine::store_reply& reply) {
    return std::visit(
        [](const auto& r) -> const store::store_error* { return r ? nullptr : &r.error(); }, reply);
}

/// The failure of a request, in the type that its success would have.
engine::store_reply failed(const engine::store_request& request, store::store_error error) {
    if (std::holds_alternative<engine::acquire_request>(request)) {
        return store::store_result<store::acquired>{std::move(error)};
    }
    if (std::holds_alternative<engine::commit_request>(request)) {
        return store::store_result<done>{std::move(error)};
    }
    if (std::holds_alternative<engine::find_request>(request)) {
        return store::store_result<std::vector<std::optional<store::found>>>{std::move(error)};
    }
    return store::store_result<store::page>{std::move(error)};
}

std::string_view name_of(store::store_code code) {
    switch (code) {
        case store::store_code::unavailable: return "unavailable";
        case store::store_code::no_space: return "no_space";
        case store::store_code::fenced: return "fenced";
        case store::store_code::locked: return "locked";
        case store::store_code::corrupt: return "corrupt";
        case store::store_code::unsupported: return "unsupported";
    }
    return "unknown";
}

}  // namespace

void store_workers::worker::start(std::function<void(engine::io)> carry_out) {
    thread_ = std::thread([this, carry = std::move(carry_out)] { work(carry); });
}

void store_workers::worker::push(engine::io request) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(request));
    }
    changed_.notify_one();
}

void store_workers::worker::finish() {
    {
        const std::lock_guard lock(mutex_);
        finishing_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
}

std::chrono::nanoseconds store_workers::worker::busy_for(std::chrono::nanoseconds now) const {
    const std::chrono::nanoseconds since{busy_since_ns_.load(std::memory_order_relaxed)};
    return since.count() == 0 ? since : std::max(now - since, std::chrono::nanoseconds{0});
}

void store_workers::worker::work(const std::function<void(engine::io)>& carry_out) {
    for (;;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return finishing_ || !queue_.empty(); });
        if (queue_.empty()) return;
        auto request = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        busy_since_ns_.store(boot_time().count(), std::memory_order_relaxed);
        carry_out(std::move(request));
        busy_since_ns_.store(0, std::memory_order_relaxed);
    }
}

store_workers::store_workers(store::due_store& store, completion done, logger& log)
    : store_(store), done_(std::move(done)), log_(log) {}

store_workers::~store_workers() { stop(); }

void store_workers::start() {
    committer_.start([this](engine::io request) { carry_out(std::move(request)); });
    loader_.start([this](engine::io request) { carry_out(std::move(request)); });
}

void store_workers::run(engine::io request) {
    (is_write(request.what) ? committer_ : loader_).push(std::move(request));
}

void store_workers::stop() {
    committer_.finish();
    loader_.finish();
    release();
}

void store_workers::release() {
    if (!held_) return;
    const auto released = store_.release(the_shard, *held_);
    if (!released) log_.warn("the shard was not released", {{"error", released.error().message}});
    held_.reset();
}

store_workers::health_report store_workers::health() const {
    const auto now = boot_time();
    health_report report;
    report.longest_call = std::max(committer_.busy_for(now), loader_.busy_for(now));
    const std::lock_guard lock(health_mutex_);
    report.failing = failing_;
    report.last_error = last_error_;
    if (read_failed_.count() >= 0 && now - read_failed_ < recent) report.read_error = read_error_;
    return report;
}

void store_workers::carry_out(engine::io request) {
    const auto began = boot_time();
    auto reply = guarded_call(request.what);
    if (std::holds_alternative<engine::commit_request>(request.what)) {
        commit_latency_.record(boot_time() - began);
    }
    note(request.what, reply);
    done_({request.id, std::move(reply)});
}

engine::store_reply store_workers::guarded_call(engine::store_request& request) {
    try {
        return call(request);
    } catch (const std::exception& e) {
        return failed(request, {store::store_code::unavailable, e.what()});
    } catch (...) {
        return failed(request, {store::store_code::unavailable, "the store threw"});
    }
}

engine::store_reply store_workers::call(engine::store_request& request) {
    return std::visit(overloaded{
                          [this](engine::acquire_request&) -> engine::store_reply {
                              auto taken = store_.acquire(the_shard);
                              FOLIOT_CRASH_POINT("epoch_written");
                              if (taken) held_ = taken->current;
                              return taken;
                          },
                          [this](engine::commit_request& r) -> engine::store_reply {
                              commit_crash_points::before(r.batch);
                              auto committed = store_.commit(the_shard, r.epoch, r.batch);
                              if (committed) commit_crash_points::after(r.batch);
                              return committed;
                          },
                          [this](engine::load_near_request& r) -> engine::store_reply {
                              auto page = store_.load_near(the_shard, r.epoch, r.after, r.limit);
                              FOLIOT_CRASH_POINT("near_page_read");
                              return page;
                          },
                          [this](engine::load_far_request& r) -> engine::store_reply {
                              auto page = store_.load_far(the_shard, r.epoch, r.clock, r.after,
                                                          r.to, r.limit);
                              FOLIOT_CRASH_POINT_IF("far_page_read", page && !page->rows.empty());
                              return page;
                          },
                          [this](engine::load_dead_request& r) -> engine::store_reply {
                              return store_.load_dead(the_shard, r.epoch, r.after, r.limit);
                          },
                          [this](engine::find_request& r) -> engine::store_reply {
                              auto found = store_.find(the_shard, r.epoch, r.keys);
                              FOLIOT_CRASH_POINT("ids_read");
                              return found;
                          },
                      },
                      request);
}

void store_workers::note(const engine::store_request& request, const engine::store_reply& reply) {
    const auto* error = error_of(reply);
    const auto now = boot_time();
    const std::lock_guard lock(health_mutex_);
    if (error == nullptr) {
        // A commit proves that the disk takes writes; so does an acquire, which writes its epoch.
        if (!is_write(request) || !failing_) return;
        failing_ = false;
        log_.info("the store works again", {{"errors_not_logged", unlogged_errors_}});
        unlogged_errors_ = 0;
        return;
    }
    last_error_ = error->message;
    if (is_write(request)) {
        failing_ = true;
    } else {
        read_error_ = error->message;
        read_failed_ = now;
    }
    // A store that fails does so thousands of times a second: one line tells as much.
    if (last_logged_.count() >= 0 && now - last_logged_ < log_interval) {
        ++unlogged_errors_;
        return;
    }
    last_logged_ = now;
    log_.error("the store failed", {{"code", name_of(error->code)}, {"error", error->message}});
}

}  // namespace foliot::server
