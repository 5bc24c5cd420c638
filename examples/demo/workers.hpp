// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ledger.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

namespace foliot::demo {

/// What all threads of the demo share.
struct shared_state {
    shared_state(ledger& l, std::string at) : book(l), url(std::move(at)), begin(now()) {}

    ledger& book;
    const std::string url;
    const moment begin;
    std::atomic<unsigned> incarnation{1};  ///< of foliotd; raised just before it is killed
    std::atomic<bool> stop{false};
    std::atomic<unsigned> producing{0};  ///< producers at work

    /// An answer that no retry can mend; the demo ends with it.
    void fail(const std::string& why);
    [[nodiscard]] std::string failure() const;

private:
    mutable std::mutex mutex_;
    std::string failure_;
};

/// Sets the timers first, first + step, first + 2 step, ... at their planned moments and cancels
/// those that are to be cancelled, all in batches; repeats what was not acknowledged.
void produce(shared_state& s, std::size_t first, std::size_t step);

/// Leases and acks until `stop`.
void consume(shared_state& s);

}  // namespace foliot::demo
