// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/due_store.hpp"

namespace foliot::test {

/// A store that passes every call on to another one, which it does not own. For handing a store
/// that the test keeps to a server that wants to own one, and for overriding single calls.
class forwarding_store : public store::due_store {
public:
    explicit forwarding_store(store::due_store& below) : below_(below) {}

    store::store_result<store::acquired> acquire(store::shard_id s) override {
        return below_.acquire(s);
    }
    store::store_result<done> release(store::shard_id s, store::epoch e) override {
        return below_.release(s, e);
    }
    store::store_result<done> commit(store::shard_id s, store::epoch e,
                                     const store::batch& b) override {
        return below_.commit(s, e, b);
    }
    store::store_result<store::page> load_near(store::shard_id s, store::epoch e,
                                               store::sequence after, std::size_t limit) override {
        return below_.load_near(s, e, after, limit);
    }
    store::store_result<store::page> load_far(store::shard_id s, store::epoch e,
                                              store::clock_kind clock, store::far_position after,
                                              tick to, std::size_t limit) override {
        return below_.load_far(s, e, clock, after, to, limit);
    }
    store::store_result<store::page> load_dead(store::shard_id s, store::epoch e,
                                               store::sequence after, std::size_t limit) override {
        return below_.load_dead(s, e, after, limit);
    }
    store::store_result<std::vector<std::optional<store::found>>> find(
        store::shard_id s, store::epoch e, std::span<const store::timer_key> keys) override {
        return below_.find(s, e, keys);
    }

private:
    store::due_store& below_;
};

}  // namespace foliot::test
