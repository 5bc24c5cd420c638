// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/service/clock.hpp>
#include <foliot/service/detail/due_log.hpp>
#include <foliot/service/detail/sync.hpp>
#include <foliot/service/detail/timer_node.hpp>
#include <foliot/service/executor.hpp>
#include <foliot/service/metrics.hpp>
#include <foliot/service/options.hpp>
#include <foliot/service/task.hpp>
#include <foliot/time/conversion.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace foliot {

/// service_options::max_timers are there already. When some have ended there is room again.
class too_many_timers : public std::runtime_error {
public:
    too_many_timers() : std::runtime_error("service_options.max_timers are there already") {}
};

/// What became of a cancel. See timer::cancel.
enum class cancel_result : std::uint8_t { cancelled, running, gone };
/// What became of the timers of a group. See basic_timer_service::cancel_group.
struct group_result {
    std::size_t cancelled = 0;
    std::size_t running = 0;
};
/// What became of a reschedule. See timer::reschedule.
enum class reschedule_result : std::uint8_t { moved, running, gone };

namespace detail {

[[nodiscard]] constexpr std::chrono::nanoseconds saturating_sum(
    std::chrono::nanoseconds a, std::chrono::nanoseconds b) noexcept {
    using std::chrono::nanoseconds;
    if (b.count() >= 0) return a > nanoseconds::max() - b ? nanoseconds::max() : a + b;
    return a < nanoseconds::min() - b ? nanoseconds::min() : a + b;
}

/// A part of a service: timers under one lock, and a timer queue.
///
/// The lock makes each step atomic: a cancel, the start of a callback and its end are ordered by it,
/// and that order decides what a cancel says. It is held for one timer, or for `limit` of them in
/// collect; never while a callback, its destructor, a hook of the options or the executor runs. No
/// other lock is taken under it.
class shard {
public:
    /// What a shard asks of its service; must outlive it.
    struct surroundings {
        const service_clock* clock;
        bool wall;  // which of its times
        std::chrono::nanoseconds tick;
        std::weak_ptr<const void> owner;  // to be kept while a callback runs
        sync::atomic<std::size_t>* room;  // for so many timers more, of all shards
        std::function<void(shard&, std::chrono::nanoseconds)> on_earlier;  // than it knew
        std::function<void(std::exception_ptr)> on_failure;
        std::function<void()> on_rejected;
    };

    explicit shard(const surroundings& around)
        : around_(around), by_machine_(around.clock == &machine_clock()), nodes_(*this) {}
    shard(const shard&) = delete;
    shard& operator=(const shard&) = delete;
    virtual ~shard();

    struct made {
        timer_node* node;
        std::uint64_t generation;
    };
    /// Null after close(), with the callback as it was. Throws too_many_timers, std::bad_alloc.
    [[nodiscard]] made make(std::chrono::nanoseconds deadline, std::chrono::nanoseconds period,
                            missed policy, const timer_options& options, task& callback);

    [[nodiscard]] cancel_result cancel(timer_node& node, std::uint64_t generation);
    /// The same, and waits while it runs, unless it is called by its own callback.
    [[nodiscard]] cancel_result cancel_and_wait(timer_node& node, std::uint64_t generation);
    /// Cancels the timers of a group that there are when it begins, `limit` with each lock.
    [[nodiscard]] group_result cancel_group(std::uint64_t group, std::size_t limit);
    [[nodiscard]] reschedule_result reschedule(timer_node& node, std::uint64_t generation,
                                               std::chrono::nanoseconds deadline);
    [[nodiscard]] std::optional<std::chrono::nanoseconds> deadline(const timer_node& node,
                                                                   std::uint64_t generation) const;

    // Of nodes that are kept by a reusable_timer. Whose memory they are: adopt, until abandon has
    // returned.
    void adopt(timer_node& node);
    /// Cancels it, and waits while its callback runs, unless that calls it.
    void abandon(timer_node& node) noexcept;
    /// Into the queue or, in it, to another place; if its callback runs, when that has returned.
    /// False after close().
    [[nodiscard]] bool arm_kept(timer_node& node, std::chrono::nanoseconds deadline);
    [[nodiscard]] cancel_result cancel_kept(timer_node& node) noexcept;
    void wait_while_it_runs(timer_node& node);
    [[nodiscard]] std::optional<std::chrono::nanoseconds> deadline_of_kept(
        const timer_node& node) const;

    /// A due timer goes back into the queue, to be due again after `by`.
    void put_off(timer_node& node, std::uint64_t ticket, std::chrono::nanoseconds by) noexcept;

    /// Appends the jobs of up to `limit` timers that are due. True: that was all.
    [[nodiscard]] bool collect(std::size_t limit, std::vector<job>& jobs);
    /// When to collect again, by the clock that it goes by.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next_wakeup();

    /// Appends how long callbacks have been running that have done so for `limit`, each run once. True:
    /// some timer is due or runs, so it is worth to look again.
    [[nodiscard]] bool find_slow(std::chrono::nanoseconds limit,
                                 std::vector<std::chrono::nanoseconds>& slow);

    [[nodiscard]] std::chrono::nanoseconds now() const noexcept {
        return around_.wall ? around_.clock->wall() : around_.clock->steady();
    }
    /// The steady time, where the machine's has been read already.
    [[nodiscard]] std::chrono::nanoseconds steady_given(
        std::chrono::nanoseconds machine) const noexcept {
        return by_machine_ ? machine : around_.clock->steady();
    }
    [[nodiscard]] bool by_wall() const noexcept { return around_.wall; }

    /// The timer whose callback runs on this thread, the innermost if several do; or null.
    [[nodiscard]] static made current() noexcept;

    /// Returns when no callback runs but those that this thread is inside of.
    void wait_until_quiet();
    /// Whether this thread runs or destroys one.
    [[nodiscard]] static bool inside_callback() noexcept;

    /// Nothing is made any more. Ends what is pending, the first time, and says how many timers that
    /// were then.
    std::uint64_t close() noexcept;

    void add_to(service_metrics& metrics) const;

protected:
    // The queue; called under the lock.
    virtual void arm(timer_node& node, tick due) = 0;
    virtual void disarm(timer_node& node) noexcept = 0;
    virtual void move(timer_node& node, tick due) = 0;
    virtual advance_result advance(tick now, std::size_t limit,
                                   void (*sink)(shard&, timer_hook&)) = 0;
    [[nodiscard]] virtual std::optional<tick> first_wakeup() const noexcept = 0;
    [[nodiscard]] virtual std::size_t pending() const noexcept = 0;
    virtual void restart(tick now) noexcept = 0;  // disarms all

private:
    using lock = std::unique_lock<sync::mutex>;

    static void act(void* node, std::uint64_t ticket, job_fate fate) noexcept;
    // A timer that is over: its callback is destroyed when this goes away, after the lock.
    struct remains {
        timer_node* node = nullptr;
        remains() = default;
        remains(const remains&) = delete;
        remains& operator=(const remains&) = delete;
        ~remains() {
            if (node != nullptr) node->home.empty(*node);
        }
    };

    void run(timer_node& node, std::uint64_t ticket) noexcept;
    // Its callback; null: the job is void, or the shard is closed.
    [[nodiscard]] task* start(timer_node& node, std::uint64_t ticket,
                              std::chrono::nanoseconds begun);
    void finish(timer_node& node, std::chrono::nanoseconds took, bool failed) noexcept;
    void end(timer_node& node, std::uint64_t ticket, job_fate fate) noexcept;

    struct group {
        timer_node* first = nullptr;
        timer_node* last = nullptr;
        std::size_t size = 0;
    };
    void join_group(timer_node& node, group& g) noexcept;
    void leave_group(timer_node& node) noexcept;
    static void to_end_of(group& g, timer_node& node) noexcept;
    [[nodiscard]] cancel_result cancel_locked(timer_node& node) noexcept;
    [[nodiscard]] timer_node& reserve();
    [[nodiscard]] std::size_t take_room(std::size_t wanted);
    [[nodiscard]] std::chrono::nanoseconds oldest_overdue() const;
    // What a step under the lock leaves to be done without it.
    struct aftermath {
        std::optional<std::chrono::nanoseconds> earlier;
        bool rejected = false;
    };
    // Into the queue; a timer for which there is no memory is rejected, and false.
    bool rearm(timer_node& node, std::chrono::nanoseconds due, aftermath& after,
               remains& left) noexcept;
    void attend_to(const aftermath& after);

    [[nodiscard]] cancel_result cancel_kept_locked(timer_node& node) noexcept;
    void arm_again(timer_node& node, aftermath& after) noexcept;
    timer_node& stand_in_for(timer_node& kept) noexcept;
    void drop_stand_in(timer_node& kept) noexcept;
    void arm_anew(timer_node& node, tick due, std::uint64_t of);

    [[nodiscard]] timer_node* finished_with(timer_node& node) noexcept;
    void empty(timer_node& node) noexcept;
    void empty_if_dropped(timer_node& node) noexcept;
    void follow_clock(tick now);
    void make_due(timer_node& node);
    [[nodiscard]] std::optional<std::chrono::nanoseconds> tell(tick due) noexcept;
    [[nodiscard]] tick tick_of(std::chrono::nanoseconds deadline) const;
    [[nodiscard]] std::chrono::nanoseconds time_of(tick t) const noexcept;
    /// Whether the token's timer is not gone: what waits is, when a stop has begun.
    [[nodiscard]] bool is(const timer_node& node, std::uint64_t generation) const noexcept {
        using enum timer_node::state;
        return node.generation == generation &&
               (node.now == running || (!closed_ && (node.now == pending || node.now == due)));
    }

    const surroundings& around_;
    const bool by_machine_;
    mutable sync::mutex mutex_;
    sync::condition_variable finished_;
    timer_nodes nodes_;
    struct run_begun {
        timer_node* node;
        std::chrono::nanoseconds at;  // by the steady clock
        bool told_slow;
    };
    std::vector<run_begun> running_;
    mutable due_log due_;
    timer_node* kept_ = nullptr;                       // the first of those that are
    std::unordered_map<std::uint64_t, group> groups_;  // those that have a timer
    std::vector<job>* jobs_ = nullptr;                 // where collect wants them
    tick told_ = tick::max();                          // the driver comes by then
    tick latest_;                                      // of the clock, at the last collect
    bool clock_went_back_ = false;
    bool closed_ = false;
    std::uint64_t left_pending_ = 0;  // when it was closed
    service_metrics counts_;          // its share; `pending` is the queue's, `running` running_
};

/// A shard on a queue of any model.
template <timer_queue Queue>
class queue_shard final : public shard {
public:
    template <class... Arguments>
    explicit queue_shard(const surroundings& around, const Arguments&... of_queue)
        : shard(around), queue_(now_tick(around), of_queue...) {}

private:
    static tick now_tick(const surroundings& around) {
        return elapsed(around.wall ? around.clock->wall() : around.clock->steady(), around.tick);
    }

    void arm(timer_node& node, tick due) override { queue_.schedule(node, due); }
    void disarm(timer_node& node) noexcept override { queue_.cancel(node); }
    void move(timer_node& node, tick due) override { queue_.reschedule(node, due); }
    advance_result advance(tick now, std::size_t limit,
                           void (*sink)(shard&, timer_hook&)) override {
        return queue_.advance(now, limit, [&](timer_hook& hook) { sink(*this, hook); });
    }
    [[nodiscard]] std::optional<tick> first_wakeup() const noexcept override {
        return queue_.next_wakeup();
    }
    [[nodiscard]] std::size_t pending() const noexcept override { return queue_.size(); }
    void restart(tick now) noexcept override { queue_.reset(now); }

    Queue queue_;
};

}  // namespace detail
}  // namespace foliot
