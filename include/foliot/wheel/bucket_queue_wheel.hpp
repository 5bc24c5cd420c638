// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/time/detail/contract.hpp>
#include <foliot/time/tick.hpp>
#include <foliot/wheel/detail/hook_list.hpp>
#include <foliot/wheel/detail/hook_lists.hpp>
#include <foliot/wheel/detail/pass.hpp>
#include <foliot/wheel/timer_hook.hpp>
#include <foliot/wheel/timer_queue.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace foliot {

/// How a bucket_queue_wheel is built. What Kafka calls these is in brackets.
struct bucket_queue_options {
    /// How many ticks a bucket of the first wheel is long, at least 1 (tickMs). More than 1: a timer
    /// fires at the end of its bucket, so up to that many ticks less one late; never early. Raise it
    /// where the clock is finer than the delays, and waking up for single ticks costs too much.
    std::uint64_t ticks_per_bucket = 1;

    /// How many buckets a wheel has, 2 to 8192 (wheelSize). A larger one moves a timer less often
    /// on its way and takes more memory. Kafka uses 20.
    std::uint32_t wheel_size = 256;
};

// The timing wheel of Kafka's purgatory: wheels that come into use on demand, and a priority queue of
// the buckets in use, which says where the cursor jumps next.
//
// A bucket of the first wheel is one tick long; its interval, `wheel_size` buckets, is how long a
// bucket of the next one is. A timer goes to the finest wheel whose interval reaches its due. When a
// bucket of the first wheel expires its timers fire; those of a coarser one are moved to finer
// wheels. A bucket enters the queue with its first timer, so the queue is as long as there are
// buckets, not timers, and nothing is done for the ticks in between.
//
// Pick it for few timers over a long time, for instance for its exact count of wake-ups, or for the
// behaviour that users of Kafka know. Pick hierarchical_wheel where many timers wait: this model
// moves all the timers of a coarse bucket in the tick in which it expires (within the budget), and
// wakes for buckets whose timers were cancelled.
//
// Time:    schedule, cancel, reschedule O(1), and O(log buckets) for the first one of a bucket; for
//          advance that for each bucket that expires, and O(hooks fired and moved), whatever the
//          distance; next_wakeup O(1). A hook is moved at most once per wheel.
// Threads: none; one caller at a time, of const functions too.
// Memory:  a hook is 16 bytes in the caller's object; the wheel holds 8.8 bytes for each, 448 bytes
//          for each bucket in use, and 48 bytes for each bucket of as many wheels as reach over 64
//          bits (8 wheels of 256 buckets: 98 KB, of which a third is touched only as buckets come
//          into use). The next hook that comes to a bucket takes the place of a cancelled one; of a
//          bucket with many hooks up to three quarters may be such places, as long as cancels from
//          it go on. A bucket gives its memory back while it is drained, and one whose hooks were
//          all cancelled when it expires, to the other buckets; blocks of 16 KiB go back to the
//          heap when no bucket uses them. next_wakeup() with nothing pending gives back all but
//          one.
// Errors:  the constructor throws std::invalid_argument for an option out of its range. Broken
//          preconditions end the process with a message, in release too, but for those marked
//          (hardened). schedule, reschedule and advance may throw std::bad_alloc, and then have
//          changed nothing resp. resume where they stopped. What the sink throws passes through.
// Order:   lower ticks first (lower buckets, if they are longer than a tick). Within a tick the
//          order is a pure function of the calls made, of those that only ask too, the same on
//          every run and machine; it is *not* the order of scheduling: a hook may take the place of
//          one that was cancelled or moved, a bucket that is mostly such places is set up anew, and
//          hooks that come from coarser wheels fire after those placed directly before them.
//
// timer_queue.hpp says what a pass is, and what the sink may do.
class bucket_queue_wheel {
public:
    /// All ticks up to `start` count as fired. With long buckets, time begins at the start of the
    /// one that `start` is in.
    explicit bucket_queue_wheel(tick start = {}, bucket_queue_options options = {});
    bucket_queue_wheel(const bucket_queue_wheel&) = delete;
    bucket_queue_wheel& operator=(const bucket_queue_wheel&) = delete;

    /// Disarms what is pending: O(size).
    ~bucket_queue_wheel() { clear(); }

    /// Arms `hook`, which must not be armed (checked). Any due is legal; at or before cursor() it
    /// fires in the next pass. O(1), or O(log buckets) for the first one of a bucket.
    [[gnu::always_inline]] void schedule(timer_hook& hook, tick due) {
        detail::require(!hook.armed(), "schedule: the hook is armed already");
        if (due <= pass_.cursor) [[unlikely]]
            return schedule_anyway(hook, due);
        const moment end = end_of(due);
        const std::uint32_t bucket = number(ring_for(end), end);
        if (!lists_.arm(hook, due, bucket)) [[unlikely]]
            return schedule_anyway(hook, due);
    }

    /// True: the hook was armed and is not any more; the sink will not get it. False: it was not
    /// armed. The hook must not be armed in another queue (hardened). O(1).
    [[gnu::always_inline]] bool cancel(timer_hook& hook) noexcept {
        if (!hook.armed()) return false;
        lists_.check_mine(hook, late_ + 2);
        if (lists_.cancel(hook)) [[unlikely]]
            settle();
        return true;
    }

    /// Gives an armed hook another due, or arms it. Later than before is one write to the hook: the
    /// entry stays, and is re-placed when its old bucket expires. O(1), or as for schedule.
    [[gnu::always_inline]] void reschedule(timer_hook& hook, tick due) {
        // What was late when it was scheduled is in no bucket, and may be wanted in this very pass.
        if (access::is_below(hook, late_) && due >= hook.due()) [[likely]] {
            access::due(hook) = due;
        } else {
            place_anew(hook, due);
        }
    }

    /// Fires what is due up to `now`: calls sink(timer_hook&) for each hook, disarmed. Handles at
    /// most `budget` hooks, fired or moved. A `now` earlier than one before is a no-op.
    /// O(budget + expired buckets * log buckets).
    template <class Sink>
    advance_result advance(tick now, std::size_t budget, Sink&& sink) {
        settle();
        lists_.tidy();
        advance_result result;
        result.drained = pass_.advance(
            now, [this] { begin_pass(); }, [&] { return run_pass(budget, result, sink); });
        return result;
    }

    /// When to call advance next: cursor() for "at once", nullopt if nothing is pending. Never
    /// later than the first timer fires: when the first bucket expires, in which there may be timers
    /// of later ticks or, if they were cancelled, none. O(1).
    [[nodiscard]] std::optional<tick> next_wakeup() const noexcept {
        if (empty()) return let_go();
        settle();
        if (pass_.unfinished || !lists_[late_ + late_bank_].empty()) return pass_.cursor;
        return tick_of(queue_.front().expiration);
    }

    [[nodiscard]] std::size_t size() const noexcept { return lists_.size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    /// Every tick before it is fired; this one too, unless a pass is unfinished.
    [[nodiscard]] tick cursor() const noexcept { return pass_.cursor; }

    /// The start of the bucket that the cursor is in (Kafka's currentTime).
    [[nodiscard]] tick current_time() const noexcept { return tick_of(now_); }

    /// How many wheels were needed so far.
    [[nodiscard]] unsigned wheels() const noexcept { return wheels_; }

    /// Calls f(timer_hook&) for every pending hook; f must not change the wheel. O(size + buckets).
    template <class F>
    void for_each(F&& f) const {
        settle();
        for (std::uint32_t number = 0; number < late_ + 2; ++number) lists_[number].for_each(f);
    }

    /// How many places occupancy() tells apart: the wheels, and what was late.
    [[nodiscard]] unsigned places() const noexcept { return wheels() + 1; }

    /// How many hooks wait in a wheel; wheels() means those that were late when they were scheduled.
    /// O(buckets).
    [[nodiscard]] std::size_t occupancy(unsigned place) const noexcept {
        const std::uint32_t first = place < wheels_ ? place * wheel_size_ : late_;
        const std::uint32_t end = place < wheels_ ? first + wheel_size_ : late_ + 2;
        settle();
        std::size_t sum = 0;
        for (std::uint32_t number = first; number < end; ++number) sum += lists_[number].size();
        return sum;
    }

    /// Disarms everything; the cursor stays. Not from a sink (checked). O(size + buckets).
    void clear() noexcept { reset(pass_.cursor); }

    /// Disarms everything and goes to `cursor`, which may be earlier. Not from a sink (checked).
    void reset(tick cursor) noexcept;

    /// Walks everything and says whether it is as it must be. For tests: O(size + buckets).
    [[nodiscard]] bool check_invariants() const;

private:
    using access = detail::hook_access;

    // Time is counted in buckets of the first wheel. A timer ends up in the one that ends with its
    // due or after it, and a bucket is told by its end: number n is fired at tick n * length.
    using moment = std::uint64_t;

    // A bucket is in the queue from its first hook until it expires, also if it is emptied before.
    struct queued_bucket {
        moment expiration;
        std::uint32_t number;
    };

    struct ring {
        moment reach;         // the last moment that is in it, as things stand
        std::uint64_t unit;   // how long its buckets are
        unsigned shift;       // the logarithm of that, if shifts_
        std::uint32_t first;  // the number of its first bucket
    };

    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    static constexpr unsigned most_wheels = 64;

    // Ticks are moments, and positions are moments shifted, in the usual case: one test of shifts_ for
    // all that must divide otherwise.
    [[nodiscard, gnu::always_inline]] moment end_of(tick due) const noexcept {
        if (shifts_) [[likely]]
            return due.count;
        return due.count / length_ + (due.count % length_ != 0 ? 1 : 0);
    }
    // The last tick of time ends its bucket.
    [[nodiscard]] moment moment_of(tick t) const noexcept {
        return t == tick::max() ? end_of(t) : t.count / length_;
    }
    [[nodiscard]] tick tick_of(moment m) const noexcept {
        return m > tick::max().count / length_ ? tick::max() : tick{m * length_};
    }

    [[nodiscard, gnu::always_inline]] std::uint64_t position(const ring& in,
                                                             moment m) const noexcept {
        return shifts_ ? m >> in.shift : m / in.unit;
    }

    // The finest wheel that reaches a moment that is not before now. So what is in the bucket that the
    // cursor is in goes to a finer wheel, and a bucket that is drained is not filled.
    [[nodiscard, gnu::always_inline]] const ring& ring_for(moment m) const noexcept {
        const ring* in = rings_.data();
        while (m > in->reach) ++in;
        return *in;
    }

    // Buckets are numbered wheel by wheel; behind them come two banks of hooks that were late when
    // scheduled: one is filled while the other is drained.
    [[nodiscard, gnu::always_inline]] std::uint32_t number(const ring& in,
                                                           moment m) const noexcept {
        const std::uint64_t at = position(in, m);
        const std::uint64_t slot = shifts_ ? at & (wheel_size_ - 1) : at % wheel_size_;
        return in.first + static_cast<std::uint32_t>(slot);
    }

    void go_to(moment m) noexcept {
        now_ = m;
        for (ring& r : rings_) {
            const std::uint64_t at = position(r, m);
            const bool all = position(r, tick::max().count) - at < wheel_size_;
            r.reach = all ? tick::max().count : (at + wheel_size_) * r.unit - 1;
            if (all) return;
        }
    }

    // What schedule does when it does more than the usual: out of line, as its last step.
    [[gnu::noinline]] void schedule_anyway(timer_hook& hook, tick due) {
        place(hook, due);
        lists_.count_armed();
    }

    void place(timer_hook& hook, tick due) {
        if (due <= pass_.cursor) {
            lists_.append(hook, late_ + late_bank_);
        } else {
            put_into_bucket(hook, end_of(due));
        }
        access::due(hook) = due;
    }

    [[gnu::noinline]] void place_anew(timer_hook& hook, tick due) {
        if (!hook.armed()) return schedule(hook, due);
        const detail::hook_place old = access::place(hook);
        const bool stays_late = hook.due() <= pass_.cursor && due <= pass_.cursor;
        const bool stays =
            due > pass_.cursor && number(ring_for(end_of(due)), end_of(due)) == access::list(old);
        if (stays_late || stays) {
            access::due(hook) = due;
            return;
        }
        lists_.check_mine(hook, late_ + 2);
        place(hook, due);
        if (lists_.leave(old)) settle();
    }

    [[gnu::always_inline]] void put_into_bucket(timer_hook& hook, moment m) {
        const ring& in = ring_for(m);
        const std::uint32_t to = number(in, m);
        if (lists_.append(hook, to)) [[unlikely]]
            enqueue(in, to, m);
    }

    // Changes nothing that can be seen, but for the memory in use. What follows entries, or asks
    // whether a list is empty, must come after it. A bucket that is emptied stays in the queue.
    [[gnu::always_inline]] void settle() const noexcept {
        if (!lists_.settled()) lists_.settle();
    }

    // Who has nothing to wait for may sleep for long: gives back what empty buckets still hold.
    [[gnu::noinline, gnu::cold]] std::nullopt_t let_go() const noexcept {
        if (!pass_.advancing) lists_.let_go(late_ + 2);
        return std::nullopt;
    }

    // ---- the queue of buckets -----------------------------------------------------------------

    // Coarse before fine, so that what a coarse bucket holds for this very moment is in the first
    // wheel when that is fired.
    static bool expires_later(const queued_bucket& a, const queued_bucket& b) noexcept {
        return a.expiration != b.expiration ? a.expiration > b.expiration : a.number < b.number;
    }

    // There is room: for each bucket once.
    void enqueue(const ring& in, std::uint32_t bucket, moment m) noexcept {
        wheels_ = std::max(wheels_, static_cast<unsigned>(&in - rings_.data()) + 1);
        if (queued_[bucket]) return;
        queued_[bucket] = true;
        queue_.push_back({position(in, m) * in.unit, bucket});
        std::push_heap(queue_.begin(), queue_.end(), expires_later);
    }

    queued_bucket dequeue() noexcept {
        std::pop_heap(queue_.begin(), queue_.end(), expires_later);
        const queued_bucket first = queue_.back();
        queue_.pop_back();
        queued_[first.number] = false;
        return first;
    }

    // ---- a pass -------------------------------------------------------------------------------

    void begin_pass() noexcept {
        if (lists_[late_ + late_bank_].empty()) return;
        draining_ = late_ + late_bank_;
        late_bank_ ^= 1;
    }

    // True: the pass is finished. False: the budget ran out.
    template <class Sink>
    bool run_pass(std::size_t& budget, advance_result& result, Sink& sink) {
        while (draining_ != none || find_work()) {
            if (!drain(budget, result, sink)) return false;
            draining_ = none;
        }
        return true;
    }

    // Moves the cursor to the next bucket that holds something. False: there is none up to the
    // target.
    bool find_work() noexcept {
        const moment last = moment_of(pass_.target);
        while (!queue_.empty() && queue_.front().expiration <= last) {
            const queued_bucket first = dequeue();
            if (lists_.drop_if_empty(first.number)) continue;
            draining_ = first.number;
            go_to(first.expiration);
            pass_.cursor = tick_of(now_);
            return true;
        }
        go_to(last);
        pass_.cursor = pass_.target;
        return false;
    }

    // Takes the entries of the list being drained from the front: fires those that are due, unless
    // they are in a coarse bucket, and puts the others where they belong now. All state is in members
    // before the sink is called, so it may change the wheel, and throw. False: the budget ran out.
    template <class Sink>
    bool drain(std::size_t& budget, advance_result& result, Sink& sink) {
        const bool fires = draining_ < wheel_size_ || draining_ >= late_;
        return lists_.take_each(draining_, budget, [&](timer_hook& hook) {
            if (hook.due() > pass_.cursor || !fires) {
                keep_for_later(hook);
                ++result.moved;
                return;
            }
            lists_.count_fired(hook);
            ++result.fired;
            sink(hook);
            settle();
        });
    }

    void keep_for_later(timer_hook& hook) {
        try {
            put_into_bucket(hook, std::max(end_of(hook.due()), now_));
        } catch (...) {
            lists_.put_back(draining_);
            throw;
        }
    }

    [[nodiscard]] bool check_queued(const queued_bucket& bucket) const;
    [[nodiscard]] bool check_list(std::uint32_t list, moment not_before) const;

    std::uint64_t length_;  // of a bucket of the first wheel, in ticks
    std::uint32_t wheel_size_;
    bool shifts_;             // length_ is 1, and wheel_size_ a power of two
    std::uint32_t late_ = 0;  // the number of buckets, and of the first late bank

    mutable detail::hook_lists<std::unique_ptr<detail::hook_list[]>> lists_;
    std::vector<queued_bucket> queue_;  // a heap
    std::vector<bool> queued_;
    std::array<ring, most_wheels> rings_{};
    detail::pass pass_;
    moment now_ = 0;
    unsigned wheels_ = 1;
    std::uint32_t late_bank_ = 0;    // filled; the other one is drained
    std::uint32_t draining_ = none;  // the list that the unfinished pass is in
};

inline bucket_queue_wheel::bucket_queue_wheel(tick start, bucket_queue_options options)
    : length_(options.ticks_per_bucket),
      wheel_size_(options.wheel_size),
      shifts_(length_ == 1 && std::has_single_bit(wheel_size_)),
      pass_(start) {
    if (length_ == 0) {
        throw std::invalid_argument("bucket_queue_options.ticks_per_bucket is 0; it must be >= 1");
    }
    // With more, the buckets of all wheels might be more than 16 bits can number.
    if (wheel_size_ < 2 || wheel_size_ > 8192) {
        throw std::invalid_argument("bucket_queue_options.wheel_size is " +
                                    std::to_string(wheel_size_) + "; it must be 2 to 8192");
    }
    std::uint64_t unit = 1;
    for (ring& r : rings_) {
        r = {0, unit, static_cast<unsigned>(std::bit_width(unit)) - 1, late_};
        late_ += wheel_size_;
        if (unit > tick::max().count / wheel_size_) break;
        unit *= wheel_size_;
    }
    lists_.use(std::make_unique<detail::hook_list[]>(late_ + 2));
    queue_.reserve(late_);
    queued_.resize(late_);
    go_to(moment_of(start));
}

inline void bucket_queue_wheel::reset(tick cursor) noexcept {
    pass_.reset(cursor);
    settle();
    lists_.clear(late_ + 2);
    queue_.clear();
    queued_.assign(late_, false);
    go_to(moment_of(cursor));
    draining_ = none;
}

inline bool bucket_queue_wheel::check_invariants() const {
    settle();
    std::size_t total = 0;
    for (std::uint32_t list = 0; list < late_ + 2; ++list) {
        const bool found = list >= late_ || queued_[list] || list == draining_;
        if (!lists_[list].empty() && !found) return false;
        if (!check_list(list, 0)) return false;
        total += lists_[list].size();
    }
    for (const queued_bucket& bucket : queue_) {
        if (!check_queued(bucket)) return false;
    }
    const auto queued = std::count(queued_.begin(), queued_.end(), true);
    const bool still = pass_.unfinished || (cursor() == pass_.target && draining_ == none);
    return total == size() && static_cast<std::size_t>(queued) == queue_.size() && still &&
           cursor() <= pass_.target && std::is_heap(queue_.begin(), queue_.end(), expires_later);
}

// Whether it will expire, at the start of its bucket.
inline bool bucket_queue_wheel::check_queued(const queued_bucket& bucket) const {
    const unsigned level = bucket.number / wheel_size_;
    const ring& in = rings_[level];
    const moment start = bucket.expiration;
    const bool in_time = start > now_ || (start == now_ && pass_.unfinished);
    return in_time && start <= in.reach && level < wheels_ && queued_[bucket.number] &&
           start % in.unit == 0 && number(in, start) == bucket.number &&
           check_list(bucket.number, start);
}

// Whether the hooks know that they are in this list, and are due at that moment or after it.
inline bool bucket_queue_wheel::check_list(std::uint32_t list, moment not_before) const {
    return lists_.check(list, [&](tick due) {
        if (list == late_ + late_bank_) return due <= cursor();
        return end_of(due) >= not_before || due <= cursor();
    });
}

}  // namespace foliot
