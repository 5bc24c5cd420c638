// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "support/store/fault_store.hpp"

namespace foliot::test {

using kind = store_fault::kind;

void fault_store::set(store_call call, store_fault fault) {
    const std::lock_guard lock(mutex_);
    switches_[static_cast<std::size_t>(call)].fault = fault;
    changed_.notify_all();
}

void fault_store::fail(store_call call, store::store_code code, std::size_t times) {
    set(call, {kind::fail_before, code, times});
}

void fault_store::fail_after(store_call call, store::store_code code, std::size_t times) {
    set(call, {kind::fail_after, code, times});
}

void fault_store::hang(store_call call) { set(call, {kind::hang, {}, SIZE_MAX}); }

void fault_store::clear(store_call call) { set(call, {}); }

void fault_store::clear() {
    const std::lock_guard lock(mutex_);
    for (switchboard& s : switches_) s.fault = {};
    changed_.notify_all();
}

bool fault_store::wait_until_hanging(store_call call, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    const switchboard& s = switches_[static_cast<std::size_t>(call)];
    return changed_.wait_for(lock, patience, [&] { return s.hanging > 0; });
}

std::size_t fault_store::calls(store_call call) const {
    const std::lock_guard lock(mutex_);
    return switches_[static_cast<std::size_t>(call)].calls;
}

/// Counts the call, waits out a hang, and says which fault it meets.
store_fault fault_store::enter(store_call call) {
    std::unique_lock lock(mutex_);
    switchboard& s = switches_[static_cast<std::size_t>(call)];
    ++s.calls;
    if (s.fault.what == kind::hang) {
        ++s.hanging;
        changed_.notify_all();
        changed_.wait(lock, [&] { return s.fault.what != kind::hang; });
        --s.hanging;
        return {};
    }
    const store_fault met = s.fault;
    if (met.what != kind::none && s.fault.times != SIZE_MAX && --s.fault.times == 0) s.fault = {};
    return met;
}

template <class Call>
auto fault_store::through(store_call which, Call call) -> decltype(call()) {
    const store_fault fault = enter(which);
    const auto error = [&] {
        return store::store_error{fault.code, "a fault that the test switched on"};
    };
    if (fault.what == kind::fail_before) return error();
    auto result = call();
    if (fault.what == kind::fail_after) return error();
    return result;
}

store::store_result<store::acquired> fault_store::acquire(store::shard_id shard) {
    return through(store_call::acquire, [&] { return below_.acquire(shard); });
}

store::store_result<done> fault_store::release(store::shard_id shard, store::epoch e) {
    return through(store_call::release, [&] { return below_.release(shard, e); });
}

store::store_result<done> fault_store::commit(store::shard_id shard, store::epoch e,
                                              const store::batch& b) {
    return through(store_call::commit, [&] { return below_.commit(shard, e, b); });
}

store::store_result<store::page> fault_store::load_near(store::shard_id shard, store::epoch e,
                                                        store::sequence after, std::size_t limit) {
    return through(store_call::load, [&] { return below_.load_near(shard, e, after, limit); });
}

store::store_result<store::page> fault_store::load_far(store::shard_id shard, store::epoch e,
                                                       store::clock_kind clock,
                                                       store::far_position after, tick to,
                                                       std::size_t limit) {
    return through(store_call::load,
                   [&] { return below_.load_far(shard, e, clock, after, to, limit); });
}

store::store_result<store::page> fault_store::load_dead(store::shard_id shard, store::epoch e,
                                                        store::sequence after, std::size_t limit) {
    return through(store_call::load, [&] { return below_.load_dead(shard, e, after, limit); });
}

store::store_result<std::vector<std::optional<store::found>>> fault_store::find(
    store::shard_id shard, store::epoch e, std::span<const store::timer_key> keys) {
    return through(store_call::find, [&] { return below_.find(shard, e, keys); });
}

}  // namespace foliot::test
