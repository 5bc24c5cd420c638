// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace foliot::test {

/// The calls of a store that can be made to fail, each kind on its own.
enum class store_call : std::uint8_t { acquire, release, commit, load, find };
inline constexpr std::size_t store_call_count = 5;

/// What goes wrong.
struct store_fault {
    enum class kind : std::uint8_t {
        none,
        fail_before,  ///< answers the error; the store below never hears of the call
        fail_after,   ///< the store below does it, then the answer is the error
        hang,         ///< the call waits until the fault is lifted, then goes through
    };
    kind what = kind::none;
    store::store_code code = store::store_code::unavailable;
    std::size_t times = SIZE_MAX;  ///< wears off after that many calls
};

/// A store over another one, with faults that a test switches on and off at any moment.
///
/// Time: as the store below, or as long as a fault hangs. Threads: all calls and switches.
/// Memory: none. Errors: those of the store below, and those switched on.
/// Order: as the store below. The destructor requires that no call is hanging.
class fault_store final : public store::due_store {
public:
    explicit fault_store(store::due_store& below) : below_(below) {}

    /// From the next call of that kind on. Calls that hang go through where `fault` is no hang.
    void set(store_call call, store_fault fault);

    /// Shorthands of `set`.
    void fail(store_call call, store::store_code code = store::store_code::unavailable,
              std::size_t times = SIZE_MAX);
    void fail_after(store_call call, store::store_code code = store::store_code::unavailable,
                    std::size_t times = SIZE_MAX);
    void hang(store_call call);
    void clear(store_call call);

    /// Lifts every fault; hanging calls go through.
    void clear();

    /// Waits until a call of that kind hangs; false if none did in time.
    [[nodiscard]] bool wait_until_hanging(store_call call, std::chrono::milliseconds patience);

    /// Calls of that kind so far, failed and hanging ones included.
    [[nodiscard]] std::size_t calls(store_call call) const;

    store::store_result<store::acquired> acquire(store::shard_id shard) override;
    store::store_result<done> release(store::shard_id shard, store::epoch e) override;
    store::store_result<done> commit(store::shard_id shard, store::epoch e,
                                     const store::batch& b) override;
    store::store_result<store::page> load_near(store::shard_id shard, store::epoch e,
                                               store::sequence after, std::size_t limit) override;
    store::store_result<store::page> load_far(store::shard_id shard, store::epoch e,
                                              store::clock_kind clock, store::far_position after,
                                              tick to, std::size_t limit) override;
    store::store_result<store::page> load_dead(store::shard_id shard, store::epoch e,
                                               store::sequence after, std::size_t limit) override;
    store::store_result<std::vector<std::optional<store::found>>> find(
        store::shard_id shard, store::epoch e, std::span<const store::timer_key> keys) override;

private:
    struct switchboard {
        store_fault fault;
        std::size_t calls = 0;
        std::size_t hanging = 0;
    };

    store_fault enter(store_call call);

    template <class Call>
    auto through(store_call which, Call call) -> decltype(call());

    store::due_store& below_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::array<switchboard, store_call_count> switches_;  // guarded by mutex_
};

}  // namespace foliot::test
