// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/detail/service_core.hpp>

#include <foliot/service/worker_pool.hpp>

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace foliot::detail {

namespace {

using std::chrono::nanoseconds;

void check(bool right, const char* what) {
    if (!right) throw std::invalid_argument(std::string("service_options.") + what);
}

service_options checked(service_options o) {
    check(o.tick.count() > 0, "tick must be positive");
    check(o.shards >= 1 && o.shards <= 256, "shards must be 1 to 256");
    check(o.queue_limit >= 1 && o.queue_limit <= (1U << 24), "queue_limit must be 1 to 2^24");
    check(o.workers <= 4096, "workers must be 0 to 4096");
    check(o.block_time.count() >= 0, "block_time must not be negative");
    check(o.backlog_limit >= 1, "backlog_limit must be at least 1");
    check(o.defer_by.count() > 0, "defer_by must be positive");
    check(o.pass_limit >= 1, "pass_limit must be at least 1");
    check(o.pass_time.count() > 0, "pass_time must be positive");
    check(o.lock_limit >= 1, "lock_limit must be at least 1");
    check(o.wall_check.count() > 0, "wall_check must be positive");
    check(o.watchdog.count() >= 0, "watchdog must not be negative");
    return o;
}

// Runs a job where it is handed over.
class run_at_once final : public executor {
public:
    [[nodiscard]] bool try_submit(const job& j) override {
        j();
        return true;
    }
};

std::size_t number_of_this_thread() noexcept {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t number = next.fetch_add(1, std::memory_order_relaxed);
    return number;
}

}  // namespace

service_core::service_core(service_options options, make_shard make)
    : options_(checked(std::move(options))),
      clock_(options_.clock != nullptr ? options_.clock : &machine_clock()),
      executor_(options_.executor) {
    by_steady_ = {
        clock_,
        false,
        options_.tick,
        options_.defer_by,
        {},
        [this](shard& s, nanoseconds at) { earlier(s.by_wall() ? clock_->steady() : at); },
        options_.on_failure,
        options_.on_rejected};
    by_wall_ = by_steady_;
    by_wall_.wall = true;
    for (std::size_t i = 0; i < options_.shards; ++i) shards_.push_back(make(by_steady_));
    shards_.push_back(make(by_wall_));
    if (executor_ == nullptr && options_.workers == 0) {
        executor_ = std::make_shared<run_at_once>();
    } else if (executor_ == nullptr) {
        executor_ = std::make_shared<worker_pool>(
            worker_pool_options{options_.workers, options_.queue_limit, [this] { wake(); }});
    }
}

service_core::~service_core() {
    stop();
    if (fd_ >= 0) ::close(fd_);
}

void service_core::start(const std::shared_ptr<service_core>& core) {
    core->by_steady_.owner = core;
    core->by_wall_.owner = core;
    if (core->options_.driver) core->driver_ = std::thread([core] { core->drive(); });
}

shard& service_core::shard_of_this_thread() noexcept {
    return *shards_[number_of_this_thread() % options_.shards];
}

group_result service_core::cancel_group(std::uint64_t group) {
    group_result sum;
    for (const auto& s : shards_) {
        const group_result part = s->cancel_group(group, options_.lock_limit);
        sum.cancelled += part.cancelled;
        sum.running += part.running;
    }
    return sum;
}

// ---- a pass -------------------------------------------------------------------------------------

std::size_t service_core::poll() {
    bool cut = false;
    const std::size_t handed_over = pass(cut);
    if (!passes_here()) rearm_fd();
    return handed_over;
}

int service_core::wakeup_fd() {
    {
        const std::lock_guard held(sleep_mutex_);
        if (fd_ < 0) fd_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        if (fd_ < 0) throw std::system_error(errno, std::system_category(), "timerfd_create");
    }
    rearm_fd();
    return fd_;
}

// Told of what comes next. A timer made meanwhile tells itself, and is not overwritten.
void service_core::rearm_fd() {
    {
        const std::lock_guard held(sleep_mutex_);
        if (fd_ < 0) return;
        fd_at_.reset();
        earliest_.reset();
    }
    const auto next = next_wakeup();
    const std::lock_guard held(sleep_mutex_);
    set_fd(next && earliest_ ? std::min(*next, *earliest_) : next ? next : earliest_);
}

// Under sleep_mutex_. A time that is over makes it readable at once.
void service_core::set_fd(std::optional<nanoseconds> at) noexcept {
    fd_at_ = at;
    itimerspec spec{};
    if (at) {
        const nanoseconds when = std::max(*at, nanoseconds{1});  // 0 would disarm it
        spec.it_value.tv_sec = static_cast<time_t>(when / std::chrono::seconds{1});
        spec.it_value.tv_nsec = static_cast<long>((when % std::chrono::seconds{1}).count());
    }
    ::timerfd_settime(fd_, TFD_TIMER_ABSTIME, &spec, nullptr);
}

std::size_t service_core::pass(bool& cut) {
    if (passes_here()) return 0;  // from a callback that runs in a pass
    const std::lock_guard one_at_a_time(pass_mutex_);
    passing_ = std::this_thread::get_id();
    const nanoseconds begin = clock_->steady();
    std::size_t handed_over = 0;
    hand_over_backlog();
    std::size_t done = 0;  // shards, one after the other, that had nothing more
    for (std::size_t i = first_shard_; done < shards_.size(); i = (i + 1) % shards_.size()) {
        cut = handed_over >= options_.pass_limit ||
              clock_->steady() - begin >= options_.pass_time || back_pressure();
        if (cut) break;
        jobs_.clear();
        const bool all = shards_[i]->collect(
            std::min(options_.lock_limit, options_.pass_limit - handed_over), jobs_);
        done = all ? done + 1 : 0;
        for (const job& j : jobs_) hand_over(j);
        handed_over += jobs_.size();
    }
    first_shard_ = (first_shard_ + 1) % shards_.size();
    passing_ = std::thread::id{};
    if (stop_begun_) drop_backlog();
    const std::lock_guard held(sleep_mutex_);
    ++passes_;
    cut_passes_ += cut ? 1 : 0;
    for (std::size_t i = 0; i < priorities; ++i) backlog_lengths_[i] = backlog_[i].size();
    return handed_over;
}

void service_core::hand_over(const job& j) {
    if (stop_begun_) return job_access::end(j, job_fate::stop);
    auto& before = backlog_[static_cast<std::size_t>(j.urgency())];
    if (before.empty() && executor_->try_submit(j)) return;
    switch (options_.when_full) {
        case overload::block:
            before.push_back({j, clock_->steady()});
            ++backlog_size_;
            return;
        case overload::reject: return job_access::end(j, job_fate::reject);
        case overload::shed:
            if (const auto victim = executor_->evict(j.urgency())) {
                victim->drop();
                if (executor_->try_submit(j)) return;
            }
            return job_access::end(j, j.discardable() ? job_fate::shed : job_fate::reject);
        case overload::defer: return job_access::end(j, job_fate::defer);
    }
}

// What waits for room, oldest first: handed over, rejected if it has waited for too long, or kept.
void service_core::hand_over_backlog() {
    const nanoseconds now = clock_->steady();
    for (auto& queue : backlog_) {
        while (!queue.empty()) {
            const waiting_job& first = queue.front();
            if (!executor_->try_submit(first.what)) {
                if (now - first.since < options_.block_time) break;
                job_access::end(first.what, job_fate::reject);
            }
            queue.pop_front();
            --backlog_size_;
        }
    }
}

// ---- the driver ---------------------------------------------------------------------------------

std::optional<nanoseconds> service_core::next_wakeup() {
    if (passes_here()) return steady_wakeup();
    const std::lock_guard one_at_a_time(pass_mutex_);
    return steady_wakeup();
}

std::optional<nanoseconds> service_core::steady_wakeup() {
    std::optional<nanoseconds> first;
    const auto add = [&](nanoseconds at) { first = first ? std::min(*first, at) : at; };
    for (const auto& s : shards_) {
        const auto at = s->next_wakeup();
        if (!at) continue;
        if (!s->by_wall()) {
            // With back-pressure the wheel waits for the executor.
            if (!back_pressure()) add(*at);
            continue;
        }
        const nanoseconds wait =
            std::clamp(*at - clock_->wall(), nanoseconds{0}, options_.wall_check);
        if (!back_pressure()) add(clock_->steady() + wait);
    }
    for (const auto& queue : backlog_) {
        if (!queue.empty()) add(queue.front().since + options_.block_time);
    }
    return first;
}

void service_core::drive() {
    while (true) {
        bool cut = false;
        static_cast<void>(pass(cut));
        std::optional<nanoseconds> until;
        if (!cut || back_pressure()) {
            until = next_wakeup();
        } else {
            until = nanoseconds{0};
        }
        if (watch()) {
            const nanoseconds next = clock_->steady() + options_.watchdog;
            until = until ? std::min(*until, next) : next;
        }
        sleep(until);
        const std::lock_guard held(sleep_mutex_);
        if (stopping_) return;
    }
}

// Tells of callbacks that run for too long. Whether to come again.
bool service_core::watch() {
    if (options_.watchdog.count() == 0) return false;
    std::vector<nanoseconds> slow;
    bool busy = false;
    for (const auto& s : shards_) busy |= s->find_slow(options_.watchdog, slow);
    if (options_.on_slow) {
        for (const nanoseconds took : slow) options_.on_slow(took);
    }
    return busy;
}

void service_core::sleep(std::optional<nanoseconds> until) {
    nanoseconds late{};
    {
        std::unique_lock held(sleep_mutex_);
        bool slept = false;
        while (!stopping_ && !room_) {
            if (earliest_ && (!until || *earliest_ < *until)) until = earliest_;
            earliest_.reset();
            if (!until) {
                woken_.wait(held);
            } else {
                const nanoseconds left = *until - clock_->steady();
                if (left.count() <= 0) {
                    if (slept) late = -left;
                    break;
                }
                // In parts, as the end must fit into the clock.
                woken_.wait_for(held, std::min<nanoseconds>(left, std::chrono::hours{24}));
            }
            slept = true;
        }
        room_ = false;
        wakeups_ += slept ? 1 : 0;
        if (options_.watchdog.count() == 0 || late < options_.watchdog) return;
        ++late_wakeups_;
    }
    if (options_.on_late) options_.on_late(late);
}

void service_core::earlier(nanoseconds at) noexcept {
    {
        const std::lock_guard held(sleep_mutex_);
        if (earliest_ && *earliest_ <= at) return;
        earliest_ = at;
        if (fd_ >= 0 && (!fd_at_ || at < *fd_at_)) set_fd(at);
    }
    if (options_.driver) woken_.notify_one();
}

void service_core::wake() noexcept {
    {
        const std::lock_guard held(sleep_mutex_);
        room_ = true;
        if (fd_ >= 0) set_fd(nanoseconds{0});
    }
    if (options_.driver) woken_.notify_one();
}

// ---- the end ------------------------------------------------------------------------------------

void service_core::drop_backlog() noexcept {
    for (auto& queue : backlog_) {
        for (const waiting_job& w : queue) job_access::end(w.what, job_fate::stop);
        queue.clear();
    }
    backlog_size_ = 0;
}

stop_report service_core::stop() noexcept {
    if (stop_begun_.exchange(true)) return {};
    stop_report report;
    {
        const std::lock_guard held(sleep_mutex_);
        stopping_ = true;
    }
    woken_.notify_one();
    for (const auto& s : shards_) report.pending += s->close();
    if (driver_.joinable()) {
        if (driver_.get_id() == std::this_thread::get_id()) {
            driver_.detach();
        } else {
            driver_.join();
        }
    }
    service_metrics before;
    for (const auto& s : shards_) s->add_to(before);
    report.due = before.due;
    if (!passes_here()) {  // else the pass does it at its end
        const std::lock_guard no_pass(pass_mutex_);
        drop_backlog();
    }
    executor_->stop();
    return report;
}

service_metrics service_core::metrics() const {
    service_metrics m;
    for (const auto& s : shards_) s->add_to(m);
    m.queued = executor_->waiting();
    const std::lock_guard held(sleep_mutex_);
    m.passes = passes_;
    m.cut_passes = cut_passes_;
    m.late_wakeups = late_wakeups_;
    m.wakeups = wakeups_;
    m.backlog = backlog_lengths_;
    return m;
}

}  // namespace foliot::detail
