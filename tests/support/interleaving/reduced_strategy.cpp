// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Dynamic partial-order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson and
// Sagonas, 2014). Each execution tells which of its steps race: touch an object after each other
// without being ordered otherwise. Only the orders in which a race comes out the other way are
// tried.
#include "support/interleaving/strategy.hpp"

#include <foliot/time/detail/contract.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace foliot::interleaving {

namespace {

using foliot::detail::require;

class reduced final : public strategy {
public:
    void begin() override {
        position_ = 0;
        happened_ = 0;
        cut_now_ = false;
        time_went_on_ = false;
        last_ = operation{};
        clocks_.fill({});
        numbers_.fill(0);
        for (auto& events : events_of_) events.clear();
    }

    unsigned pick_thread(const turn& t) override {
        if (cut_now_) return t.ready.has(t.current) ? t.current : t.ready.first();
        if (position_ < path_.size()) {
            const node& n = path_[position_];
            require(!n.is_value && n.enabled == t.ready, not_the_same);
            return go_through();
        }
        node n;
        n.enabled = t.ready;
        n.asleep = still_asleep(t);
        const thread_set awake = t.ready - n.asleep;
        if (awake.empty()) {  // all that may come now has been seen in another order
            cut_now_ = true;
            ++cut_;
            return pick_thread(t);
        }
        n.chosen = static_cast<std::uint8_t>(awake.has(t.current) ? t.current : awake.first());
        n.wanted.add(n.chosen);
        path_.push_back(n);
        return go_through();
    }

    unsigned pick_value(unsigned count) override {
        if (cut_now_) return 0;
        if (position_ == path_.size()) {
            node n;
            n.is_value = true;
            n.values = static_cast<std::uint8_t>(count);
            path_.push_back(n);
        }
        require(path_[position_].is_value && path_[position_].values == count, not_the_same);
        return path_[position_++].chosen;
    }

    void happened(unsigned thread, const operation& what) override {
        if (cut_now_ || what.count == 0) return;
        last_ = what;
        if (happened_ < events_.size()) {
            const event& known = events_[happened_];
            require(known.thread == thread && same(known.what, what), not_the_same);
            clocks_[thread] = known.clock;
        } else {
            events_.push_back(ordered(thread, what));
            clocks_[thread] = events_.back().clock;
        }
        ++numbers_[thread];
        for (const touch& t : what.all()) {
            if (t.object >= events_of_.size()) events_of_.resize(t.object + 1);
            events_of_[t.object].push_back(happened_);
        }
        ++happened_;
    }

    void started(unsigned parent, unsigned child) override { clocks_[child] = clocks_[parent]; }
    void joined(unsigned thread, unsigned ended) override { clocks_[thread].join(clocks_[ended]); }
    void all_waited() override {
        vector_clock all;
        for (const vector_clock& c : clocks_) all.join(c);
        clocks_.fill(all);
        time_went_on_ = true;
    }
    std::uint32_t events() const override { return happened_; }

    bool next() override {
        while (!path_.empty()) {
            node& n = path_.back();
            if (n.is_value) {
                if (++n.chosen < n.values) return forget_after();
            } else {
                n.asleep.add(n.chosen);
                const thread_set left = n.wanted - n.asleep;
                if (!left.empty()) {
                    n.chosen = static_cast<std::uint8_t>(left.first());
                    return forget_after();
                }
            }
            path_.pop_back();
        }
        return false;
    }
    std::uint64_t cut() const override { return cut_; }

private:
    static constexpr const char* not_the_same =
        "a scenario that is explored does not do the same each time";

    struct node {
        thread_set enabled;
        thread_set asleep;  // what begins with these has been seen
        thread_set wanted;  // to be tried
        std::uint8_t chosen = 0;
        bool is_value = false;
        std::uint8_t values = 0;
    };
    struct event {
        operation what;
        vector_clock clock;  // itself included
        std::uint32_t number = 0;
        std::uint32_t turn = 0;      // the node at which its thread was chosen
        std::uint32_t decision = 0;  // the last node that it depends on: that, or a value
        std::uint8_t thread = 0;
    };

    static bool same(const operation& a, const operation& b) {
        return std::equal(
            a.all().begin(), a.all().end(), b.all().begin(), b.all().end(),
            [](const touch& x, const touch& y) { return x.object == y.object && x.how == y.how; });
    }

    unsigned go_through() {
        turn_ = static_cast<std::uint32_t>(position_);
        last_ = operation{};
        time_went_on_ = false;
        return path_[position_++].chosen;
    }

    bool forget_after() {
        while (!events_.empty() && events_.back().decision + 1 >= path_.size()) events_.pop_back();
        return true;
    }

    // Of those asleep at the last turn, whose next step does not depend on what was done since.
    thread_set still_asleep(const turn& t) const {
        thread_set still;
        if (path_.empty() || time_went_on_) return still;  // which is another step for all
        const node& before = path_[turn_];
        for (unsigned q = 0; q < max_threads; ++q) {
            if (!before.asleep.has(q) || q == before.chosen) continue;
            if (t.ready.has(q) && !depends_on_last(*t.next[q])) still.add(q);
        }
        return still;
    }
    bool depends_on_last(const operation& next) const {
        for (const touch& a : last_.all()) {
            for (const touch& b : next.all()) {
                if (a.object == b.object && depends(a.how, b.how)) return true;
            }
        }
        return false;
    }

    // The event that happens now, and its races. From the latest event that it depends on back:
    // what is ordered before it by others is no race.
    event ordered(unsigned thread, const operation& what) {
        vector_clock known = clocks_[thread];  // what must come before
        vector_clock all = known;              // what came before
        thread_set settled = thread_set::of(thread);
        thread_set others = settled;
        for (unsigned i = 0; i < max_threads; ++i) {
            if (numbers_[i] > 0) others.add(i);
        }
        std::array<std::size_t, operation::most_touches> left{};
        for (std::size_t i = 0; i < what.count; ++i) {
            left[i] = what.touches[i].object < events_of_.size()
                          ? events_of_[what.touches[i].object].size()
                          : 0;
        }
        while (true) {
            std::size_t latest = what.count;
            std::uint32_t at = 0;
            for (std::size_t i = 0; i < what.count; ++i) {
                if (left[i] == 0) continue;
                const std::uint32_t e = events_of_[what.touches[i].object][left[i] - 1];
                if (latest == what.count || e > at) {
                    latest = i;
                    at = e;
                }
            }
            if (latest == what.count) break;
            --left[latest];
            const event& e = events_[at];
            // All earlier events of a thread are known with one.
            if (known.knows(e.thread, e.number)) settled.add(e.thread);
            const bool nothing_left = what.notified_by == operation::none || at < what.notified_by;
            if (settled.has(e.thread) && at != what.notified_by) {
                if (settled == others && nothing_left) break;
                continue;
            }
            // Where it only waits for a mutex, the step could have come before the other's acquire,
            // but not in between: so of that race, and of that alone, the release does not take
            // away.
            switch (relation_to(e, at, what, what.touches[latest])) {
                case relation::none: continue;
                case relation::acquires:
                    if (known.knows(e.thread, e.number)) break;
                    reverse(at, thread, known);
                    known.join(e.clock);
                    break;
                case relation::race:
                    if (all.knows(e.thread, e.number)) break;
                    reverse(at, thread, all);
                    known.join(e.clock);
                    break;
                case relation::instead:
                    reverse(at, thread, without(at, thread, what));
                    known.join(e.clock);
                    break;
                case relation::enables: known.join(e.clock); break;
                case relation::through: break;
            }
            all.join(e.clock);
        }
        event made;
        made.what = what;
        made.clock = all;
        made.number = numbers_[thread] + 1;
        made.clock.events[thread] = made.number;
        made.turn = turn_;
        made.decision = static_cast<std::uint32_t>(position_ - 1);
        made.thread = static_cast<std::uint8_t>(thread);
        return made;
    }

    // What the step of `thread` would know of if `at` had not been there, as it would be another
    // then.
    vector_clock without(std::uint32_t at, unsigned thread, const operation& what) const {
        vector_clock known = clocks_[thread];
        for (std::size_t i = at + 1; i < events_.size(); ++i) {
            const event& e = events_[i];
            if (e.clock.knows(events_[at].thread, events_[at].number)) continue;
            for (const touch& mine : what.all_otherwise()) {
                for (const touch& t : e.what.all()) {
                    if (t.object == mine.object && depends(t.how, mine.how)) known.join(e.clock);
                }
            }
        }
        return known;
    }

    static relation relation_to(const event& e, std::uint32_t number, const operation& what,
                                const touch& mine) {
        for (const touch& t : e.what.all()) {
            if (t.object != mine.object) continue;
            return between(t.how, mine.how, what.notified_by == number, what.otherwise_count > 0);
        }
        return relation::none;
    }

    // The event `at` is to be tried after the step of `thread` that happens now, which knows of
    // `known`: some thread has to go first that leads there.
    void reverse(std::uint32_t at, unsigned thread, const vector_clock& known) {
        const event& e = events_[at];
        std::array<std::uint32_t, max_threads> first{};  // event of each thread that goes along
        thread_set along;
        thread_set may_begin;
        const auto consider = [&](unsigned t, const vector_clock& clock, std::uint32_t number) {
            bool waits = false;
            for (unsigned r = 0; r < max_threads; ++r) {
                waits = waits || (along.has(r) && clock.knows(r, first[r]));
            }
            along.add(t);
            first[t] = number;
            if (!waits) may_begin.add(t);
        };
        for (std::size_t i = at + 1; i < events_.size(); ++i) {
            const event& later = events_[i];
            if (later.clock.knows(e.thread, e.number) || along.has(later.thread)) continue;
            consider(later.thread, later.clock, later.number);
        }
        if (!along.has(thread)) consider(thread, known, numbers_[thread] + 1);

        node& n = path_[e.turn];
        if (!((n.wanted | n.asleep) & may_begin).empty()) return;
        const thread_set possible = may_begin & n.enabled;
        if (possible.empty()) {
            n.wanted = n.wanted | n.enabled;
        } else {
            n.wanted.add(possible.has(thread) ? thread : possible.first());
        }
    }

    std::vector<node> path_;
    std::size_t position_ = 0;
    std::uint32_t turn_ = 0;
    std::vector<event> events_;
    std::uint32_t happened_ = 0;
    std::vector<std::vector<std::uint32_t>> events_of_;  // each object
    std::array<vector_clock, max_threads> clocks_{};
    std::array<std::uint32_t, max_threads> numbers_{};  // events so far
    operation last_;
    bool time_went_on_ = false;  // since the last turn
    bool cut_now_ = false;
    std::uint64_t cut_ = 0;
};

}  // namespace

std::unique_ptr<strategy> reduced_strategy() { return std::make_unique<reduced>(); }

}  // namespace foliot::interleaving
