// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/wheel/timer_queue.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace foliot::test {

/// A timer queue beside a plain model of its contract, under random operations.
///
/// The model is a std::multimap from due to timer, and two lists for those that were late when they
/// were scheduled: `waiting_` for the next pass, `batch_` in this one. Every firing, size, wake-up
/// and result of the queue must agree with it. Timers live on the heap one by one, and are freed
/// right after a cancel or in the sink, so that AddressSanitizer sees any stale access.
///
/// All choices come from `Random`: a generator of 64-bit numbers, or anything with that call, its
/// own pick(below), and exhausted(), which ends a run.
///
/// `run` returns an empty string, or what disagreed first.
template <class Queue, class Random = std::mt19937_64>
class oracle {
public:
    /// `source` is what Random is made from: a seed.
    template <class Source>
    oracle(Source source, std::uint64_t start) : random_(source), queue_(tick{start}) {
        target_ = start;
    }
    ~oracle() { queue_.clear(); }
    oracle(const oracle&) = delete;
    oracle& operator=(const oracle&) = delete;

    std::string run(int steps) {
        for (int step = 0; step < steps && fault_.empty() && !exhausted(); ++step) {
            change_something();
            if (pick(4) == 0) advance();
            check();
        }
        return fault_;
    }

    [[nodiscard]] std::size_t fired() const { return fired_; }

private:
    struct timer : timer_hook {};
    using handle = timer_hook*;
    enum class place { by_tick, waiting, batch };
    struct record {
        std::unique_ptr<timer> owned;
        tick due;  // as the model has it; the queue may be told otherwise by a planted bug
        place where = place::by_tick;
        std::multimap<std::uint64_t, handle>::iterator position{};
    };

    std::uint64_t pick(std::uint64_t below) {
        if constexpr (requires { random_.pick(below); }) {
            return random_.pick(below);
        } else {
            return random_() % below;
        }
    }
    [[nodiscard]] bool exhausted() const {
        if constexpr (requires { random_.exhausted(); }) return random_.exhausted();
        return false;
    }

    void fail(std::string what) {
        if (fault_.empty()) fault_ = std::move(what) + " at cursor " + text(queue_.cursor().count);
    }
    static std::string text(std::uint64_t n) { return std::to_string(n); }

    // Near, far, at boundaries, in the past, and where cursor + delay would wrap.
    tick random_due() {
        const std::uint64_t now = queue_.cursor().count;
        switch (pick(8)) {
            case 0: return tick{now + pick(4)};
            case 1: return tick{now - std::min(now, pick(1000))};
            case 2: return saturating_add(tick{now}, pick(300));
            case 3: return tick{random_()};
            case 4: return tick{tick::max().count - pick(3)};
            case 5: {  // the first ticks of some coarse slot ahead
                const std::uint64_t bases[] = {2, 8, 60, 64, 256, 3600, 4096, 65536, 216'000};
                const std::uint64_t unit = bases[pick(9)];
                const std::uint64_t begin = (now / unit + 1 + pick(3)) * unit;
                return tick{begin < now ? tick::max().count : begin - 1 + pick(3)};
            }
            default: return saturating_add(tick{now}, random_() >> pick(64));
        }
    }

    // A record whose timer is pending, or null.
    record* any() {
        if (armed_.empty()) return nullptr;
        return &records_.at(armed_[pick(armed_.size())]);
    }

    void change_something() {
        const std::uint64_t what = pick(10);
        record* const victim = any();
        if (what < 4 || victim == nullptr) {
            if (armed_.size() < 400) schedule_new();
        } else if (what < 6) {
            cancel(*victim);
        } else {
            reschedule(*victim,
                       pick(2) == 0 ? random_due() : saturating_add(victim->due, pick(2000)));
        }
    }

    void schedule_new() {
        auto owned = std::make_unique<timer>();
        const handle h = owned.get();
        record& r = records_[h];
        r.owned = std::move(owned);
        schedule(h, r);
    }

    void schedule(handle h, record& r) {
        r.due = random_due();
        queue_.schedule(*h, r.due);
        armed_.push_back(h);
        enter(h, r);
    }

    void cancel(record& r) {
        const handle h = r.owned.get();
        leave(r);
        if (!queue_.cancel(*h)) fail("cancel says that a pending timer was not armed");
        forget(h);
    }

    void reschedule(record& r, tick due) {
        const bool was_due = r.due <= queue_.cursor();
        queue_.reschedule(*r.owned, due);
        if (was_due && due <= queue_.cursor()) {  // keeps its place
            r.due = due;
            return;
        }
        leave(r);
        r.due = due;
        enter(r.owned.get(), r);
    }

    void enter(handle h, record& r) {
        r.where = r.due <= queue_.cursor() ? place::waiting : place::by_tick;
        if (r.where == place::waiting) {
            ++waiting_;
        } else {
            r.position = by_tick_.emplace(r.due.count, h);
        }
    }

    void leave(record& r) {
        if (r.where == place::by_tick) by_tick_.erase(r.position);
        if (r.where == place::waiting) --waiting_;
        if (r.where == place::batch) --batch_;
    }

    // Frees the timer; any later touch by the queue is a use after free.
    void forget(handle h) {
        disarmed(h);
        records_.erase(h);
    }

    void disarmed(handle h) {
        const auto at = std::find(armed_.begin(), armed_.end(), h);
        *at = armed_.back();
        armed_.pop_back();
    }

    [[nodiscard]] bool work_left() const {
        return batch_ != 0 || (!by_tick_.empty() && by_tick_.begin()->first <= target_);
    }

    void begin_pass(std::uint64_t now) {
        in_pass_ = true;
        target_ = now;
        for (auto& [h, r] : records_) {
            if (r.where == place::waiting) r.where = place::batch;
        }
        batch_ = waiting_;
        waiting_ = 0;
    }

    void advance() {
        if (pick(10) == 0 && target_ > 0) return advance_backwards();
        const std::uint64_t now = random_now();
        const std::size_t budgets[] = {1, 1, 2, 5, 50, 1'000'000};
        const std::size_t budget = budgets[pick(6)];
        // While it cannot be told from outside whether the queue still moves timers for the old
        // pass or has begun the new one, no other operation comes between; the next call may then
        // begin a second one.
        begun_ = false;
        int begins = 1;
        while (advance_once(now, budget, begins) && fault_.empty()) begins = 2;
    }

    // Mostly small steps and wake-ups; now and then a jump, rare enough not to run out of time.
    std::uint64_t random_now() {
        const std::optional<tick> wake = queue_.next_wakeup();
        if (wake && wake->count - queue_.cursor().count < (1ULL << 48) && pick(4) == 0) {
            return std::max(target_, wake->count);
        }
        const std::uint64_t step = pick(25) == 0 ? random_() >> (8 + pick(56)) : pick(500);
        return saturating_add(tick{target_}, step).count;
    }

    void advance_backwards() {
        const std::uint64_t earlier = target_ - 1 - pick(std::min<std::uint64_t>(target_, 100));
        const tick cursor = queue_.cursor();
        const advance_result r = queue_.advance(
            tick{earlier}, 100, [&](timer_hook&) { fail("a timer fired though time went back"); });
        if (r.fired != 0 || queue_.cursor() != cursor) fail("going back in time did something");
        if (r.drained && work_left()) fail("going back in time says drained");
    }

    // True: must be called again before anything else is done.
    bool advance_once(std::uint64_t now, std::size_t budget, int begins) {
        const auto begin = [&] {
            --begins;
            begun_ = true;
            begin_pass(now);
        };
        if (!in_pass_) begin();
        std::size_t calls = 0;
        const advance_result r = queue_.advance(tick{now}, budget, [&](timer_hook& hook) {
            ++calls;
            if (!work_left() && begins > 0) begin();
            on_fire(&hook);
        });
        fired_ += calls;
        if (r.fired != calls) fail("advance miscounts its firings");
        if (r.fired + r.moved > budget) fail("advance did more than its budget");
        if (!r.drained && r.fired + r.moved < budget) fail("advance stopped before its budget");
        if (r.drained) {
            if (!begun_) begin();
            if (work_left()) fail("drained, but a timer that was due did not fire");
            in_pass_ = false;
            if (queue_.cursor().count != now) fail("drained, but the cursor is not at now");
            return false;
        }
        return !work_left();
    }

    void on_fire(handle h) {
        const auto found = records_.find(h);
        if (found == records_.end()) return fail("the sink got a timer that was cancelled");
        record& r = found->second;
        const tick cursor = queue_.cursor();
        if (h->armed()) fail("the sink got an armed hook");
        if (r.due > cursor || cursor.count > target_) fail("a timer fired early");
        if (r.where == place::waiting) fail("a timer of the next pass fired in this one");
        if (batch_ != 0 && r.where != place::batch) fail("a tick fired before the late timers");
        if (r.where == place::by_tick) {
            if (r.position->first != by_tick_.begin()->first) fail("a lower tick was passed over");
            if (r.position->first != cursor.count)
                fail("a timer fired at another tick than its own");
        }
        leave(r);
        if (exhausted()) return forget(h);  // or a choice without end could be to go on for ever
        if (pick(3) == 0) {
            disarmed(h);
            schedule(h, r);
        } else {
            forget(h);
        }
        for (std::uint64_t n = pick(3); n > 0; --n) change_something();
    }

    void check() {
        if (queue_.size() != armed_.size()) fail("size is not the number of pending timers");
        if (queue_.empty() != armed_.empty()) fail("empty disagrees with size");
        if (pick(8) == 0 && !queue_.check_invariants()) fail("an invariant is broken");
        if (pick(16) == 0) check_visits();
        check_wakeup();
    }

    void check_visits() {
        std::size_t visited = 0;
        queue_.for_each([&](timer_hook& hook) { visited += records_.count(&hook); });
        if (visited != armed_.size()) fail("for_each does not visit what is pending");
    }

    void check_wakeup() {
        const std::optional<tick> wake = queue_.next_wakeup();
        if (wake.has_value() == armed_.empty()) return fail("a wake-up for nothing, or none");
        if (!wake) return;
        const bool at_once = in_pass_ || waiting_ != 0;
        if (at_once != (*wake == queue_.cursor())) fail("the wake-up is at once, or should be");
        if (*wake < queue_.cursor()) fail("the wake-up is in the past");
        if (!at_once && wake->count > by_tick_.begin()->first) fail("the wake-up is too late");
    }

    Random random_;
    Queue queue_;
    std::string fault_;
    std::unordered_map<handle, record> records_;
    std::vector<handle> armed_;
    std::multimap<std::uint64_t, handle> by_tick_;
    std::size_t waiting_ = 0;  // late timers for the next pass
    std::size_t batch_ = 0;    // late timers of this pass
    std::uint64_t target_ = 0;
    std::size_t fired_ = 0;
    bool in_pass_ = false;
    bool begun_ = false;  // a pass, by the present `advance`
};

/// From FOLIOT_SEED, or a fixed one; printed, so that a failure can be run again.
std::uint64_t seed_of_run();

}  // namespace foliot::test
