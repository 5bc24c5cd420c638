// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/interleaving/execution.hpp"

#include "support/interleaving/objects.hpp"
#include "support/interleaving/where.hpp"

#include <foliot/time/detail/contract.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

namespace foliot::interleaving {

namespace {

std::vector<thread_locals>& locals_of_threads() {
    static std::vector<thread_locals> all(max_threads);
    return all;
}

}  // namespace

void prepare_threads(const std::function<void()>& prelude) {
    thread_locals mine;
    mine.save();
    for (thread_locals& locals : locals_of_threads()) {
        thread_locals().load();
        prelude();
        locals.save();
    }
    mine.load();
}

execution::execution() {
    foliot::detail::require(current == nullptr, "two executions at a time");
    current = this;
    for (std::size_t i = 0; i < max_threads; ++i) {
        threads_.push_back(std::make_unique<thread_state>());
    }
}

execution::~execution() { current = nullptr; }

execution::result execution::run(const std::function<void()>& scenario, strategy& decides,
                                 const execution_rules& rules, bool trace) {
    decides_ = &decides;
    rules_ = rules;
    tracing_ = trace;
    count_ = 0;
    ended_.assign(1, false);  // the clock
    time_ = std::chrono::seconds{1};
    at_end_.clear();
    result_ = {};
    decides.begin();
    self_ = start(scenario);
    inside_ = true;
    root_.go_to(threads_[self_]->stack);
    inside_ = false;
    if (result_.failure.empty()) {
        for (const auto& check : at_end_) check();
    }
    return std::move(result_);
}

// ---- threads ------------------------------------------------------------------------------------

unsigned execution::start(std::function<void()> body) {
    if (count_ == max_threads) fail("more threads than the explorer has");
    const unsigned child = count_++;
    thread_state& t = *threads_[child];
    t.wants = nullptr;
    t.name = "";
    t.ended = false;
    t.notified = false;
    t.expired = false;
    t.timed = false;
    t.spurious = 0;
    t.for_no_reason = false;
    t.starts_for.reset();
    t.stack.begin([this, child, b = std::move(body)] { body_of(child, b); },
                  locals_of_threads()[child]);
    if (!inside_) return child;  // the first
    decides_->started(self_, child);
    if (tracing_) note("starts " + label(child));
    // Up to its first step nobody notices what it does.
    t.starts_for = self_;
    const unsigned parent = std::exchange(self_, child);
    threads_[parent]->stack.go_to(t.stack);
    return child;
}

void execution::body_of(unsigned thread, const std::function<void()>& body) {
    try {
        body();
    } catch (const std::exception& e) {
        fail(std::string("something was thrown out of a thread: ") + e.what());
    } catch (...) {
        fail("something was thrown out of a thread");
    }
    threads_[thread]->ended = true;
    if (tracing_) note("ends");
    go_on_elsewhere();
}

// From a thread that has ended.
void execution::go_on_elsewhere() {
    thread_state& me = *threads_[self_];
    if (me.starts_for) {
        self_ = *std::exchange(me.starts_for, std::nullopt);
        return me.stack.leave_to(threads_[self_]->stack);
    }
    const auto next = choose();
    if (!next) return me.stack.leave_to(root_);
    self_ = *next;
    me.stack.leave_to(threads_[self_]->stack);
}

void execution::await_turn(const request& r) {
    thread_state& me = *threads_[self_];
    me.wants = &r;
    if (me.starts_for) {
        self_ = *std::exchange(me.starts_for, std::nullopt);
        me.stack.go_to(threads_[self_]->stack);
    } else {
        pass_on();
    }
    if (is_too_late(r)) fail("an object is used after its end");
    if (++result_.steps > rules_.max_steps) {
        fail("it goes on and on: " + std::to_string(rules_.max_steps) + " steps");
    }
}

void execution::pass_on() {
    const unsigned next = *choose();  // this thread has not ended
    if (next == self_) return;
    fiber& here = threads_[self_]->stack;
    self_ = next;
    here.go_to(threads_[next]->stack);
}

// Nullopt: all have ended.
std::optional<unsigned> execution::choose() {
    while (true) {
        turn t{{}, {}, self_, next_};
        bool all_ended = true;
        for (unsigned i = 0; i < count_; ++i) {
            const thread_state& s = *threads_[i];
            if (s.ended) continue;
            all_ended = false;
            if (!possible(s)) continue;
            if (s.wants->what.count == 0) return i;  // nobody else notices
            t.ready.add(i);
            const bool waits = s.wants->waits != nullptr;
            next_[i] = waits && s.notified ? &s.wants->woken : &s.wants->what;
            if (waits && !s.notified && !s.expired) t.early.add(i);
        }
        if (all_ended) return std::nullopt;
        if (t.ready.empty()) {
            const auto end = first_end_of_a_wait();
            if (!end) fail("deadlock: " + who_waits_for_what());
            let_time_pass(*end);
            continue;
        }
        const unsigned next = decides_->pick_thread(t);
        result_.choices.push_back(static_cast<std::uint8_t>(next));
        return next;
    }
}

bool execution::possible(const thread_state& t) const {
    const request& r = *t.wants;
    if (is_too_late(r)) return true;
    if (r.ended && !threads_[*r.ended]->ended) return false;
    if (r.waits != nullptr && !t.notified) return t.expired || may_end_by_itself(t);
    return r.free == nullptr || !r.free->held();
}

bool execution::is_too_late(const request& r) const {
    const auto touched = r.what.all();
    return std::any_of(touched.begin(), touched.end(), [this](const touch& t) {
        return t.object >= ended_.size() || ended_[t.object];
    });
}

bool execution::may_end_by_itself(const thread_state& t) const {
    if (t.timed && rules_.time == time_passes::at_any_moment) return true;
    return t.for_no_reason;
}

unsigned execution::pick(unsigned count) {
    if (count == 1) return 0;
    const unsigned value = decides_->pick_value(count);
    result_.choices.push_back(static_cast<std::uint8_t>(value));
    return value;
}

void execution::has_joined(unsigned ended) {
    decides_->joined(self_, ended);
    if (tracing_) note("joins " + label(ended));
}

// ---- waits --------------------------------------------------------------------------------------

void execution::begins_wait(std::optional<std::chrono::nanoseconds> until) {
    thread_state& me = *threads_[self_];
    me.notified = false;
    me.expired = false;
    me.timed = until.has_value();
    me.until = until.value_or(std::chrono::nanoseconds{});
    me.notified_by = operation::none;
    // Said in advance, so that what the thread will do next is one thing.
    me.for_no_reason = me.spurious < rules_.spurious && pick(2) == 1;
    if (me.for_no_reason) ++me.spurious;
}

void execution::notified(unsigned thread) {
    threads_[thread]->notified = true;
    threads_[thread]->notified_by = events();
}

execution::woken execution::ends_wait() {
    thread_state& me = *threads_[self_];
    woken w{me.notified, false, me.notified_by};
    if (me.notified) return w;
    w.time_over = me.expired || (me.timed && rules_.time == time_passes::at_any_moment);
    if (w.time_over) time_ = std::max(time_, me.until);
    return w;
}

std::optional<std::chrono::nanoseconds> execution::first_end_of_a_wait() const {
    std::optional<std::chrono::nanoseconds> first;
    if (rules_.time != time_passes::when_all_wait) return first;
    for (unsigned i = 0; i < count_; ++i) {
        const thread_state& t = *threads_[i];
        if (t.waits_for_time()) first = first ? std::min(*first, t.until) : t.until;
    }
    return first;
}

// Nobody can go on: the clock does.
void execution::let_time_pass(std::chrono::nanoseconds end) {
    time_ = std::max(time_, end);
    for (unsigned i = 0; i < count_; ++i) {
        thread_state& t = *threads_[i];
        if (t.waits_for_time()) t.expired = t.until <= time_;
    }
    decides_->all_waited();
    if (tracing_) note("(all wait; it is " + std::to_string(time_.count()) + " ns now)");
}

// ---- what is told -------------------------------------------------------------------------------

void execution::happened(const operation& what, const std::string& more) {
    decides_->happened(self_, what);
    if (!tracing_) return;
    std::string line = what.name;
    for (const touch& t : what.all()) {
        line += t.object == clock_object ? " clock" : " #" + std::to_string(t.object);
    }
    if (!more.empty()) line += " " + more;
    note(line + where());
}

void execution::has_failed(const std::string& why) {
    if (result_.failure.empty()) result_.failure = why;
}

void execution::fail(const std::string& why) {
    foliot::detail::require(inside_, why.c_str());
    has_failed(why);
    threads_[self_]->stack.go_to(root_);
    std::abort();  // nobody comes back
}

std::string execution::who_waits_for_what() const {
    std::string all;
    for (unsigned i = 0; i < count_; ++i) {
        const thread_state& t = *threads_[i];
        if (t.ended) continue;
        if (!all.empty()) all += ", ";
        all += label(i) + " waits ";
        if (t.wants->ended) {
            all += "for the end of " + label(*t.wants->ended);
        } else if (t.wants->waits != nullptr && !t.notified && !t.expired) {
            all += "to be notified (#" + std::to_string(t.wants->waits->object()) + ")";
        } else if (t.wants->free != nullptr) {
            all += "for mutex #" + std::to_string(t.wants->free->object()) + ", which " +
                   label(t.wants->free->owner()) + " holds";
        } else {
            all += "(" + std::string(t.wants->what.name) + ")";
        }
    }
    return all;
}

std::string execution::label(unsigned thread) const {
    const char* const name = threads_[thread]->name;
    return "T" + std::to_string(thread) + (*name == '\0' ? "" : std::string(" ") + name);
}

void execution::note(const std::string& line) {
    std::string left = label(self_);
    left.resize(std::max<std::size_t>(left.size(), 14), ' ');
    result_.trace.push_back(left + " " + line);
}

}  // namespace foliot::interleaving
