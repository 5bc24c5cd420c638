// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <foliot/asio/detail/stored_wait.hpp>
#include <foliot/wheel/timer_hook.hpp>

#include <atomic>
#include <chrono>

namespace foliot {

class asio_wheel;

namespace detail {

/// A timer without its executor's type. What a cancel and a new wait touch lies within 64 bytes, if
/// the handler is two words.
///
/// The flags from `native` on are its owner's, `expiry` too while nothing waits; the rest is
/// guarded by the wheel's lock.
struct timer_core : timer_hook {
    explicit timer_core(asio_wheel& wheel_) noexcept : wheel(&wheel_) {}

    [[nodiscard]] bool waits() const noexcept { return first || more; }

    asio_wheel* wheel;
    std::chrono::nanoseconds expiry{};  // of the steady clock, since its epoch
    bool more = false;                  // `others` wait too
    bool native = false;                // its executor is the io_context's own
    bool past = false;                  // expired when it was set, whatever the tick says
    bool may_wait = false;              // a wait was started since it was last cancelled
    bool may_be_armed = false;          // a wait was ever started
    stored_wait first;
    op_circle others;  // in order, after `first`
};

/// What a cancellation slot holds, to cancel one wait alone.
struct cancel_link {
    cancel_link(asio_wheel& wheel_, wait_op& op_) noexcept : wheel(wheel_), op(&op_) {}
    cancel_link(const cancel_link&) = delete;
    cancel_link& operator=(const cancel_link&) = delete;
    ~cancel_link();

    asio_wheel& wheel;
    // Null when the wait is over, by then the wheel may be gone. Set to null under its lock, as the
    // last thing that is done to this.
    std::atomic<wait_op*> op;
};

}  // namespace detail
}  // namespace foliot
