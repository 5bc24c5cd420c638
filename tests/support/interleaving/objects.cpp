// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/interleaving/objects.hpp"

#include <foliot/time/detail/contract.hpp>

namespace foliot::interleaving {

// ---- mutex --------------------------------------------------------------------------------------

mutex::~mutex() {
    if (id_.explored() && owner_) execution::now().fail("a mutex is destroyed while it is held");
}

void mutex::lock() {
    if (!id_.explored()) {
        foliot::detail::require(!execution::inside(), "a mutex from outside of the execution");
        foliot::detail::require(!owner_, "one thread locks a mutex twice");
        owner_ = 0;
        return;
    }
    execution& e = execution::now();
    if (owner_ == e.self()) e.fail("a thread locks a mutex twice");
    operation op("lock");
    op.on(id_.number(), access::acquire);
    request r(op);
    r.free = this;
    e.await_turn(r);
    owner_ = e.self();
    e.happened(op);
}

bool mutex::try_lock() {
    if (!id_.explored()) {
        lock();
        return true;
    }
    execution& e = execution::now();
    operation op("try_lock");
    e.await_turn(request(operation("try_lock").on(id_.number(), access::try_lock)));
    const bool got = !owner_;
    if (got) owner_ = e.self();
    e.happened(op.on(id_.number(), got ? access::try_acquire : access::refused),
               got ? "" : "(held)");
    return got;
}

void mutex::unlock() {
    if (!id_.explored()) {
        owner_.reset();
        return;
    }
    execution& e = execution::now();
    if (owner_ != e.self()) e.fail("a thread unlocks a mutex that it does not hold");
    operation op("unlock");
    op.on(id_.number(), access::release);
    e.await_turn(request(op));
    owner_.reset();
    e.happened(op);
}

// ---- condition_variable -------------------------------------------------------------------------

condition_variable::~condition_variable() {
    if (id_.explored() && !waiting_.empty()) {
        execution::now().fail("a condition variable is destroyed while somebody waits");
    }
}

void condition_variable::notify_one() { notify(false); }
void condition_variable::notify_all() { notify(true); }

void condition_variable::notify(bool all) {
    if (!id_.explored()) return;  // nobody waits there
    execution& e = execution::now();
    const char* const name = all ? "notify_all" : "notify_one";
    e.await_turn(request(operation(name).on(id_.number(), access::notify)));
    std::string whom = " (nobody waits)";
    if (!waiting_.empty() && all) {
        whom = " all";
        for (unsigned t = 0; t < max_threads; ++t) {
            if (waiting_.has(t)) e.notified(t);
        }
    } else if (!waiting_.empty()) {
        unsigned chosen = waiting_.first();
        thread_set rest = waiting_;
        for (unsigned skip = e.pick(waiting_.size()); skip > 0; --skip) {
            rest.remove(chosen);
            chosen = rest.first();
        }
        e.notified(chosen);
        whom = " T" + std::to_string(chosen);
    }
    operation op(name);
    op.on(id_.number(), waiting_.empty() ? access::notify_nobody : access::notify);
    for (unsigned t = 0; t < max_threads; ++t) {
        if (waiting_.has(t) && e.is_notified(t)) waiting_.remove(t);
    }
    e.happened(op, whom);
}

bool condition_variable::wait_until_time(std::unique_lock<mutex>& held,
                                         std::optional<std::chrono::nanoseconds> most) {
    foliot::detail::require(id_.explored(), "a wait outside of an execution");
    execution& e = execution::now();
    mutex& m = *held.mutex();
    if (!held.owns_lock() || m.owner_ != e.self()) e.fail("a wait without its mutex");

    operation begin("wait");
    begin.on(id_.number(), access::enqueue).on(m.object(), access::release);
    if (most) begin.on(execution::clock_object, access::read);
    e.await_turn(request(begin));
    std::optional<std::chrono::nanoseconds> until;
    if (most) {
        until = *most > std::chrono::nanoseconds::max() - e.time() ? std::chrono::nanoseconds::max()
                                                                   : e.time() + *most;
    }
    e.begins_wait(until);
    waiting_.add(e.self());
    m.owner_.reset();
    e.happened(begin, until ? "until " + std::to_string(until->count()) : "");

    // By itself it leaves the others that wait, and then wants the mutex; notified it takes that in
    // the same step. For the order of things that is as much as it would have been by itself.
    operation by_itself("wakes up");
    by_itself.on(id_.number(), access::wake_early);
    if (most && e.waits_change_time()) by_itself.on(execution::clock_object, access::write);
    operation notified("wakes up");
    notified.on(m.object(), access::acquire);
    if (e.may_end_early()) {
        for (const touch& t : by_itself.all()) {
            notified.on(t.object, t.how).or_on(t.object, t.how);
        }
    } else {
        notified.on(id_.number(), access::wake);
    }
    request r(by_itself);
    r.woken = notified;
    r.free = &m;
    r.waits = this;
    e.await_turn(r);
    waiting_.remove(e.self());
    const execution::woken w = e.ends_wait();
    if (!w.notified) {
        e.happened(by_itself, w.time_over ? "(its time is over)" : "(for no reason)");
        m.lock();
        return w.time_over;
    }
    m.owner_ = e.self();
    notified.notified_by = w.by;
    e.happened(notified);
    return false;
}

// ---- thread -------------------------------------------------------------------------------------

void thread::join() {
    foliot::detail::require(number_.has_value(), "a join of no thread");
    execution& e = execution::now();
    if (*number_ == e.self()) e.fail("a thread joins itself");
    request r(operation("join"));
    r.ended = *number_;
    e.await_turn(r);
    e.has_joined(*number_);
    number_.reset();
}

}  // namespace foliot::interleaving
