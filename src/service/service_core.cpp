// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include <foliot/service/detail/service_core.hpp>

#include <foliot/service/worker_pool.hpp>

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <span>
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
    check(o.max_timers >= 1, "max_timers must be at least 1");
    check(o.shards >= 1 && o.shards <= 256, "shards must be 1 to 256");
    check(o.queue_limit >= 1 && o.queue_limit <= (1U << 24), "queue_limit must be 1 to 2^24");
    check(o.workers <= 4096, "workers must be 0 to 4096");
    check(o.block_time.count() >= 0, "block_time must not be negative");
    check(o.backlog_limit >= 1, "backlog_limit must be at least 1");
    check(o.defer_by.count() > 0, "defer_by must be positive");
    check(o.pass_limit >= 1, "pass_limit must be at least 1");
    check(o.pass_time.count() > 0, "pass_time must be positive");
    check(o.lock_limit >= 1 && o.lock_limit <= 65'536, "lock_limit must be 1 to 65536");
    check(o.wall_check.count() > 0, "wall_check must be positive");
    check(o.watchdog.count() >= 0, "watchdog must not be negative");
    return o;
}

// Beside an executor that cannot tell when it has room.
constexpr nanoseconds retry{std::chrono::milliseconds{5}};
// The driver's rest after a pass that failed for want of memory.
constexpr nanoseconds rest{std::chrono::milliseconds{10}};

std::size_t index(priority p) noexcept { return static_cast<std::size_t>(p); }

// Runs a job where it is handed over.
class run_at_once final : public executor {
public:
    [[nodiscard]] bool try_submit(const job& j) override {
        j();
        return true;
    }
};

// Where this thread stands among all, as a fraction of 2^32. Threads that come one after the other
// are spread over any number of shards: their numbers are read from the low bit to the high one.
std::uint32_t share_of_this_thread() noexcept {
    static sync::atomic<std::uint32_t> next{0};
    thread_local bool known = false;
    thread_local std::uint32_t share = 0;
    if (!known) {
        const std::uint32_t number = next.fetch_add(1, std::memory_order_relaxed);
        for (unsigned bit = 0; bit < 32; ++bit) share |= (number >> bit & 1U) << (31U - bit);
        known = true;
    }
    return share;
}

}  // namespace

service_core::service_core(service_options options, const make_shard& make)
    : options_(checked(std::move(options))),
      clock_(options_.clock != nullptr ? options_.clock : &machine_clock()),
      room_for_timers_(options_.max_timers),
      executor_(options_.executor) {
    by_steady_ = {
        clock_,
        false,
        options_.tick,
        {},
        &room_for_timers_,
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
    if (driver_.joinable()) driver_.detach();  // it is this thread
    if (fd_ >= 0) ::close(fd_);
}

void service_core::start(const std::shared_ptr<service_core>& core) {
    core->by_steady_.owner = core;
    core->by_wall_.owner = core;
    if (core->options_.driver) core->driver_ = sync::thread([core] { core->drive(); });
}

shard& service_core::shard_of_this_thread() noexcept {
    return *shards_[std::uint64_t{share_of_this_thread()} * options_.shards >> 32];
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
    // Callbacks may poll, also each other's services: so nobody waits here.
    if (passes_here()) return 0;
    lock one_at_a_time(pass_mutex_, std::try_to_lock);
    if (!one_at_a_time) return 0;
    bool cut = false;
    const std::size_t done = pass(one_at_a_time, cut);
    rearm_fd();
    if (options_.driver && done > 0) wake();  // some may wait for room now
    return done;
}

// Leaves the lock. What was collected when something throws is handed over in the next pass.
std::size_t service_core::pass(lock& one_at_a_time, bool& cut) {
    struct mark {
        sync::atomic<sync::thread::id>& who;
        explicit mark(sync::atomic<sync::thread::id>& w) : who(w) {
            who = sync::this_thread::get_id();
        }
        ~mark() { who = sync::thread::id{}; }
    };
    backlog left;
    std::size_t done = 0;
    {
        const mark passes(passing_);
        pass_begin_ = clock_->steady();
        handed_over_ = 0;
        put_back_ = 0;
        drained_shards_ = 0;
        hand_over_backlog();
        hand_over_collected();
        while (collect(cut)) hand_over_collected();
        done = handed_over_;
        publish(cut);
        if (stop_begun_) left.swap(backlog_);
    }
    one_at_a_time.unlock();
    drop_all(left);
    return done;
}

// Takes due timers out of the next shard that has some; out of each until there are none, once. False:
// that is done, or it is enough for a pass (`cut`).
bool service_core::collect(bool& cut) {
    while (drained_shards_ < shards_.size()) {
        // However short a pass may be, it takes something.
        cut = handed_over_ >= options_.pass_limit ||
              (handed_over_ > 0 && clock_->steady() - pass_begin_ >= options_.pass_time);
        if (cut) return false;
        const nanoseconds begin = clock_->steady();
        const bool all = shards_[first_shard_]->collect(
            std::min(options_.lock_limit, options_.pass_limit - handed_over_), jobs_);
        new_scans_.add(clock_->steady() - begin);
        if (all) {
            first_shard_ = (first_shard_ + 1) % shards_.size();
            ++drained_shards_;
        }
        if (!jobs_.empty()) return true;
    }
    return false;
}

void service_core::hand_over_collected() {
    while (next_job_ < jobs_.size()) {
        const bool nothing_waits = std::all_of(backlog_.begin(), backlog_.end(),
                                               [](const auto& queue) { return queue.empty(); });
        if (nothing_waits && !stop_begun_) {
            const std::size_t taken =
                executor_->try_submit_some(std::span(jobs_).subspan(next_job_));
            next_job_ += taken;
            handed_over_ += taken;
            if (next_job_ == jobs_.size()) break;
        }
        hand_over(jobs_[next_job_]);  // again, if it throws: a job is void once it was taken
        ++next_job_;
        ++handed_over_;
    }
    jobs_.clear();
    next_job_ = 0;
}

void service_core::hand_over(const job& j) {
    if (stop_begun_) return job_access::end(j, job_fate::stop);
    if (backlog_[index(j.urgency())].empty() && executor_->try_submit(j)) return;
    switch (options_.when_full) {
        case overload::block: return wait_in_backlog(j);
        case overload::reject: return job_access::end(j, job_fate::reject);
        case overload::shed:
            if (const auto victim = executor_->evict(j.urgency())) {
                victim->drop();
                if (executor_->try_submit(j)) return;
            }
            return job_access::end(j, j.discardable() ? job_fate::shed : job_fate::reject);
        case overload::defer: return put_back(j);
    }
}

void service_core::wait_in_backlog(const job& j) {
    auto& queue = backlog_[index(j.urgency())];
    if (queue.size() >= options_.backlog_limit) return put_back(j);
    queue.push_back({j, clock_->steady()});
}

// The more go back in a pass, the later they come again, so that they do not all come at once.
void service_core::put_back(const job& j) {
    const auto factor = static_cast<nanoseconds::rep>(1 + put_back_++ / options_.backlog_limit);
    const nanoseconds by = options_.defer_by > nanoseconds::max() / factor
                               ? nanoseconds::max()
                               : options_.defer_by * factor;
    job_access::put_off(j, by);
}

// What waits for room, oldest first: handed over, rejected if it has waited for too long, or kept.
void service_core::hand_over_backlog() {
    for (auto& queue : backlog_) {
        while (!queue.empty()) {
            const waiting_job first = queue.front();
            const bool taken = !stop_begun_ && executor_->try_submit(first.what);
            if (!taken && !stop_begun_ &&
                clock_->steady() < saturating_sum(first.since, options_.block_time)) {
                break;
            }
            queue.pop_front();
            if (!taken) {
                job_access::end(first.what, stop_begun_ ? job_fate::stop : job_fate::reject);
            }
        }
    }
}

void service_core::publish(bool cut) {
    std::optional<nanoseconds> until;
    for (const auto& queue : backlog_) {
        if (queue.empty()) continue;
        nanoseconds at = saturating_sum(queue.front().since, options_.block_time);
        if (options_.executor != nullptr) {
            at = std::min(at, saturating_sum(clock_->steady(), retry));
        }
        until = until ? std::min(*until, at) : at;
    }
    const std::lock_guard held(sleep_mutex_);
    backlog_until_ = until;
    for (std::size_t i = 0; i < priorities; ++i) backlog_lengths_[i] = backlog_[i].size();
    scans_.add(std::exchange(new_scans_, {}));
    ++passes_;
    cut_passes_ += cut ? 1 : 0;
}

void service_core::drop_all(backlog& jobs) noexcept {
    for (auto& queue : jobs) {
        for (const waiting_job& w : queue) job_access::end(w.what, job_fate::stop);
        queue.clear();
    }
}

// ---- the driver ---------------------------------------------------------------------------------

std::optional<nanoseconds> service_core::next_wakeup() {
    std::optional<nanoseconds> first;
    const auto add = [&](nanoseconds at) { first = first ? std::min(*first, at) : at; };
    for (const auto& s : shards_) {
        const auto at = s->next_wakeup();
        if (!at) continue;
        if (!s->by_wall()) {
            add(*at);
            continue;
        }
        const nanoseconds wait =
            std::clamp(saturating_sum(*at, -clock_->wall()), nanoseconds{0}, options_.wall_check);
        add(saturating_sum(clock_->steady(), wait));
    }
    const std::lock_guard held(sleep_mutex_);
    if (backlog_until_) add(*backlog_until_);
    return first;
}

void service_core::drive() {
    while (!stop_begun_) sleep(drive_once());
}

// When to come again. A pass that failed for want of memory is done again after a rest.
std::optional<nanoseconds> service_core::drive_once() noexcept {
    try {
        bool cut = false;
        {
            lock one_at_a_time(pass_mutex_);
            static_cast<void>(pass(one_at_a_time, cut));
        }
        std::optional<nanoseconds> until = cut ? nanoseconds{0} : next_wakeup();
        if (watch()) {
            const nanoseconds next = saturating_sum(clock_->steady(), options_.watchdog);
            until = until ? std::min(*until, next) : next;
        }
        return until;
    } catch (...) {
        const std::lock_guard held(sleep_mutex_);
        ++failed_passes_;
        return saturating_sum(clock_->steady(), rest);
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
        lock held(sleep_mutex_);
        bool slept = false;
        while (!stop_begun_ && !room_) {
            if (earliest_ && (!until || *earliest_ < *until)) until = earliest_;
            earliest_.reset();
            if (!until) {
                woken_.wait(held);
            } else {
                const nanoseconds left = saturating_sum(*until, -clock_->steady());
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
        if (!earliest_ || at < *earliest_) earliest_ = at;
        if (!fd_earlier_ || at < *fd_earlier_) fd_earlier_ = at;
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

int service_core::wakeup_fd() {
    {
        const std::lock_guard held(sleep_mutex_);
        if (fd_ < 0) fd_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        if (fd_ < 0) throw std::system_error(errno, std::system_category(), "timerfd_create");
    }
    rearm_fd();
    return fd_;
}

// Sets the descriptor to what comes next. A timer made meanwhile tells of itself; of two threads in
// here the one that began later knows of all that the other does.
void service_core::rearm_fd() {
    std::uint64_t version = 0;
    {
        const std::lock_guard held(sleep_mutex_);
        if (fd_ < 0) return;
        version = ++fd_version_;
        fd_earlier_.reset();
    }
    auto next = next_wakeup();
    const std::lock_guard held(sleep_mutex_);
    if (version != fd_version_) return;
    if (fd_earlier_) next = next ? std::min(*next, *fd_earlier_) : fd_earlier_;
    set_fd(next);
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

// ---- the end ------------------------------------------------------------------------------------

// Everyone sees to it that the shards are closed, and waits for the threads and the callbacks, but not
// for what waits for this very thread: the callback that it is in, the pass that it is in.
stop_report service_core::stop() noexcept {
    stop_report report;
    bool first = false;
    {
        const std::lock_guard held(sleep_mutex_);
        first = !stop_begun_.exchange(true);
    }
    woken_.notify_all();
    for (const auto& s : shards_) {
        const std::uint64_t ended = s->close();
        if (first) report.pending += ended;
    }
    if (!passes_here()) {
        join_driver();
        backlog left;
        std::vector<job> collected;
        {
            const std::lock_guard no_pass(pass_mutex_);
            left.swap(backlog_);
            collected.swap(jobs_);
            collected.erase(collected.begin(),
                            collected.begin() + static_cast<std::ptrdiff_t>(next_job_));
            next_job_ = 0;
        }
        drop_all(left);
        for (const job& j : collected) job_access::end(j, job_fate::stop);
    }
    executor_->stop();
    if (!shard::inside_callback()) {
        for (const auto& s : shards_) s->wait_until_quiet();
    }
    service_metrics after;
    for (const auto& s : shards_) s->add_to(after);
    if (first) report.due = after.dropped - report.pending + after.due;
    const std::lock_guard held(sleep_mutex_);
    backlog_lengths_ = {};
    return report;
}

void service_core::join_driver() {
    const std::lock_guard one(join_mutex_);
    if (driver_.joinable() && driver_.get_id() != sync::this_thread::get_id()) driver_.join();
}

service_metrics service_core::metrics() const {
    service_metrics m;
    for (const auto& s : shards_) s->add_to(m);
    m.queued = executor_->waiting();
    const std::lock_guard held(sleep_mutex_);
    m.scan = scans_;
    m.passes = passes_;
    m.cut_passes = cut_passes_;
    m.failed_passes = failed_passes_;
    m.wakeups = wakeups_;
    m.late_wakeups = late_wakeups_;
    m.backlog = backlog_lengths_;
    return m;
}

}  // namespace foliot::detail
